#pragma once

#include <vector>

#include "packaging/documentation_page.hpp"
#include "packaging/zip_writer.hpp"

namespace trammel::fmi {

/// The files of an FMU that show the model to people: documentation/index.html, the icon
/// (terminalsAndIcons/icon.png and icon.svg in FMI 3, model.png in FMI 2) and
/// terminalsAndIcons.xml. `run` is nullptr where there was none.
std::vector<ZipEntry> presentationFiles(const CompiledModel& model,
                                        const DocumentationOptions& options,
                                        const ReferenceRun* run);

}  // namespace trammel::fmi

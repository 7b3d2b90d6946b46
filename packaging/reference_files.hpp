#pragma once

#include <vector>

#include "packaging/reference_run.hpp"
#include "packaging/zip_writer.hpp"

namespace trammel::fmi {

/// The reference run as an FMU carries it under extra/org.fmi-standard.fmi-ls-ref, the place of the
/// layered standard for references: its manifest and experiment, and the files that the FMI
/// cross-check knows: NAME_ref.csv (outputs), NAME_in.csv (inputs, where there are some) and
/// NAME_ref.opt (settings).
std::vector<ZipEntry> referenceFiles(const CompiledModel& model, const ReferenceRun& run);

}  // namespace trammel::fmi

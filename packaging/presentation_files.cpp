#include "packaging/presentation_files.hpp"

#include "modelDescription/terminals.hpp"
#include "packaging/model_icon.hpp"
#include "packaging/raster_image.hpp"

namespace trammel::fmi {
namespace {

/// Coordinates at the beginning of the run, or as the file has them; pictures are of mechanisms
/// only, so those of other models do not matter.
Vector startPositions(const CompiledModel& model, const ReferenceRun* run) {
  if (run != nullptr && !run->positions.empty()) return run->positions.front();
  Vector q = Vector::Zero(model.coordinateCount()), v = q;
  if (model.mechanism() != nullptr) model.makeSystem()->startValues(q, v);
  return q;
}

}  // namespace

std::vector<ZipEntry> presentationFiles(const CompiledModel& model,
                                        const DocumentationOptions& options,
                                        const ReferenceRun* run) {
  const bool fmi3 = options.version == FmiVersion::fmi3;
  const Drawing icon = modelIcon(model, startPositions(model, run));
  std::vector<ZipEntry> files;
  files.push_back({"documentation/index.html", documentationPage(model, options, run)});
  if (fmi3) {
    files.push_back({"terminalsAndIcons/icon.png", pngImage(icon)});
    files.push_back({"terminalsAndIcons/icon.svg", svgText(icon, model.name())});
  } else {
    files.push_back({"model.png", pngImage(icon)});
  }
  if (fmi3 || !model.ports().empty()) {
    files.push_back(
        {"terminalsAndIcons/terminalsAndIcons.xml", terminalsXml(model.ports(), options.version)});
  }
  return files;
}

}  // namespace trammel::fmi

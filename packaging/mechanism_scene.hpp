#pragma once

#include <string>

#include "models/compiled_model.hpp"
#include "packaging/reference_run.hpp"

namespace trammel::fmi {

/// What packaging/page/animation.js moves, as JSON: bodies with their poses in the run, joints,
/// forces, paths of points, and from where they are seen first. "null" where the model has no
/// bodies. Long runs of many bodies keep every k-th pose, so that the text stays below some 80 kB.
std::string mechanismScene(const CompiledModel& model, const ReferenceRun& run);

}  // namespace trammel::fmi

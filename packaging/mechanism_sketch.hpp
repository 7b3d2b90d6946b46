#pragma once

#include <string>

#include "models/compiled_model.hpp"

namespace trammel::fmi {

/// A sketch of the mechanism at coordinates q as SVG: bodies as lines between their frames, joints
/// as symbols, springs and beams between theirs, the ground hatched. Plane models are seen in x-y,
/// others in the plane of the axes in which they are largest, gravity downwards.
/// Pre: model.mechanism() is there.
std::string mechanismSketch(const CompiledModel& model, VectorIn q);

}  // namespace trammel::fmi

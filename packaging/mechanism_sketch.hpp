#pragma once

#include <string>

#include "models/compiled_model.hpp"
#include "packaging/drawing.hpp"

namespace trammel::fmi {

/// The mechanism at coordinates q: bodies as lines between their frames, joints as symbols, springs
/// and beams between theirs, the ground hatched; `named`: with the names of the bodies. Plane
/// models are seen in x-y, others in the plane of the axes in which they are largest, gravity
/// downwards. Pre: model.mechanism() is there.
Drawing mechanismDrawing(const CompiledModel& model, VectorIn q, const Drawing::Format& format,
                         bool named);

/// The same as SVG, with names.
std::string mechanismSketch(const CompiledModel& model, VectorIn q);

}  // namespace trammel::fmi

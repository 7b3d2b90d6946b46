#pragma once

#include "models/compiled_model.hpp"
#include "packaging/drawing.hpp"

namespace trammel::fmi {

constexpr int iconSize = 200;  // pixels; FMI asks for at least 100

/// The icon of a model: its mechanism at coordinates q in a square, or, where the model has no
/// bodies, a trammel of Archimedes.
Drawing modelIcon(const CompiledModel& model, VectorIn q);

}  // namespace trammel::fmi

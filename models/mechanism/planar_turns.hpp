#pragma once

#include <span>

#include "models/mechanism/kernel.hpp"

namespace trammel {

/// turns[i] = (cos, sin) of x[indices[i]], several at a time. Off by at most 1.2 units in the last
/// place of 1, and the same on all machines for angles up to 1e6 rad; beyond, those of the C
/// library. Pre: room for as many turns as indices.
void setTurns(const double* x, std::span<const int> indices, PlanarTurn* turns);

}  // namespace trammel

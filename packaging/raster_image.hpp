#pragma once

#include <string>

#include "packaging/drawing.hpp"

namespace trammel::fmi {

/// The drawing as PNG (8 bits, RGB) on white, with smooth edges; texts are left out. Equal drawings
/// give equal bytes.
std::string pngImage(const Drawing& drawing);

}  // namespace trammel::fmi

#pragma once

#include <string_view>

namespace trammel::fmi {

/// Version of Trammel as stated in project(), e.g. "0.1.0".
std::string_view version();

}  // namespace trammel::fmi

#pragma once

#include <string_view>

namespace trammel::fmi {

std::string_view licenseOfRuntime();  // the LICENSE file
std::string_view licensesOfParts();   // what the runtime binary contains of others

}  // namespace trammel::fmi

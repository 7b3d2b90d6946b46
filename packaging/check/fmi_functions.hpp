#pragma once

#include <span>
#include <string_view>

namespace trammel::fmi::check {

/// A function of the C interface.
struct FmiFunction {
  std::string_view name;
  std::string_view interface;  // the only one that has it, empty: all
};

/// All functions of FMI 2.0 or 3.0.
std::span<const FmiFunction> fmiFunctions(bool fmi3);

}  // namespace trammel::fmi::check

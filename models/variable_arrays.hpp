#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/variable_table.hpp"

namespace trammel {

/// Consecutive variables `name[1]`, `name[2]`, …, which FMI 3 sees as one array; or a single one.
struct VariableArray {
  std::string name;
  std::uint32_t first = 0;  // value reference of the first element, and of the array
  std::size_t count = 1;
  bool isArray = false;
};

/// The whole table in order, elements that belong together joined.
std::vector<VariableArray> variableArrays(const VariableTable& table);

}  // namespace trammel

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/fmu/fmu_host.hpp"

namespace trammel::fmi::test {

/// A function of the C interface with its arguments bound, but for the instance.
struct BoundCall {
  std::string name;
  bool takesPointers = false;
  std::function<Status(void* instance)> run;
};

/// All functions of the host's version that take an instance, besides FreeInstance, with arguments
/// that are in order: empty lists, or what the function needs.
std::vector<BoundCall> harmlessCalls(const Host& host);

/// The same with NULL for every pointer and 1 for every length.
std::vector<BoundCall> hostileCalls(const Host& host);

}  // namespace trammel::fmi::test

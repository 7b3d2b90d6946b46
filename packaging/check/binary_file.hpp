#pragma once

#include <set>
#include <string>
#include <string_view>

#include "solver/error.hpp"

namespace trammel::fmi::check {

/// A binary whose headers cannot be followed.
class BinaryError final : public Error {
 public:
  using Error::Error;
};

enum class BinaryFormat { other, elf, portableExecutable, machO };

/// What a shared library says of itself to the loader.
struct BinaryFile {
  BinaryFormat format = BinaryFormat::other;
  std::set<std::string> machines;  // as in platform tuples, e.g. "x86_64"; more than one: universal
  bool shared = false;             // a library that can be loaded
  std::set<std::string> exports;   // symbols
  std::set<std::string> needed;    // shared libraries
  std::set<std::string> searchPaths;  // RPATH and RUNPATH of ELF
  std::string newestGlibc;            // symbol version, empty: none
  bool executableStack = false;
  bool textRelocations = false;
};

/// Throws BinaryError; a file of another format is none. Does not trust any length or offset.
BinaryFile readBinary(std::string_view bytes);

/// -1, 0, 1 as version a is older than, equal to, newer than b, e.g. "2.9" and "2.28".
int compareVersions(std::string_view a, std::string_view b);

}  // namespace trammel::fmi::check

#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <string>

#include "fmu_src/call_table.hpp"
#include "tests/fmu/bound_calls.hpp"
#include "tests/fmu/elf_file.hpp"
#include "tests/fmu/fmu_host.hpp"

using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

/// The names behind FMI2_Export or FMI3_Export in a header of the standard.
std::set<std::string> functionsOf(const std::string& header) {
  const std::string text = readText(std::filesystem::path(TRAMMEL_FMI_HEADERS_DIR) / header);
  const std::regex declaration("FMI[23]_Export\\s+\\w+\\s+(\\w+);");
  std::set<std::string> names;
  for (std::sregex_iterator i(text.begin(), text.end(), declaration), end; i != end; ++i)
    names.insert((*i)[1]);
  return names;
}

std::set<std::string> functionsOfBoth() {
  std::set<std::string> names = functionsOf("fmi2Functions.h");
  names.merge(functionsOf("fmi3Functions.h"));
  return names;
}

}  // namespace

TEST_CASE("the headers declare 44 functions of FMI 2 and 75 of FMI 3") {
  CHECK(functionsOf("fmi2Functions.h").size() == 44);
  CHECK(functionsOf("fmi3Functions.h").size() == 75);
}

TEST_CASE("the binary exports every function of both standards") {
  const ElfFile elf = readElf(builtBinary());
  for (const std::string& name : functionsOfBoth()) {
    INFO(name);
    CHECK(elf.exported.contains(name));
  }
}

#ifndef TRAMMEL_SANITIZED
TEST_CASE("the binary exports nothing else and needs libc and libm only") {
  const ElfFile elf = readElf(builtBinary());
  CHECK(elf.exported == functionsOfBoth());
  CHECK(elf.unique.empty());
  for (const std::string& library : elf.needed) {
    INFO(library);
    CHECK((library == "libc.so.6" || library == "libm.so.6" || library.substr(0, 8) == "ld-linux"));
  }
}
#endif

TEST_CASE("the call table and the calls of the tests are the functions of the headers") {
  for (const Version version : Host::versions) {
    std::set<std::string> expected =
        functionsOf(version == Version::fmi2 ? "fmi2Functions.h" : "fmi3Functions.h");
    for (const char* without :
         {"fmi2GetTypesPlatform", "fmi2GetVersion", "fmi2Instantiate", "fmi2FreeInstance",
          "fmi3GetVersion", "fmi3InstantiateCoSimulation", "fmi3InstantiateModelExchange",
          "fmi3InstantiateScheduledExecution", "fmi3FreeInstance"})
      expected.erase(without);
    std::set<std::string> table, calls;
    for (const CallRule& rule : callTable())
      if (rule.name(version) != nullptr) table.insert(rule.name(version));
    for (const BoundCall& call : harmlessCalls(Host(version, builtBinary())))
      calls.insert(call.name);
    CHECK(table == expected);
    CHECK(calls == expected);
  }
}

TEST_CASE("the binary tells its versions") {
  const SharedObject object(builtBinary());
  CHECK(std::string(object.function<fmi2GetVersionTYPE>("fmi2GetVersion")()) == "2.0");
  CHECK(std::string(object.function<fmi2GetTypesPlatformTYPE>("fmi2GetTypesPlatform")()) ==
        "default");
  CHECK(std::string(object.function<fmi3GetVersionTYPE>("fmi3GetVersion")()) == "3.0");
}

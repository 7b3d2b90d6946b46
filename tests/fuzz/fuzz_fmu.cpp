#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "coupling/temporary_directory.hpp"
#include "packaging/check/binary_file.hpp"
#include "packaging/check/check_fmu.hpp"
#include "packaging/check/check_report.hpp"
#include "packaging/check/checks.hpp"
#include "packaging/check/probe_plan.hpp"
#include "packaging/check/xml_schema.hpp"

namespace {

using namespace trammel;
using namespace trammel::fmi::check;

const std::filesystem::path schemas = TRAMMEL_BINARY_DIR "/schemas";

/// A whole FMU: from the zip on. No code of it is run.
void checkZipFile(std::string_view bytes) {
  const coupling::TemporaryDirectory folder;
  const std::filesystem::path path = folder.path() / "fuzz.fmu";
  std::ofstream(path, std::ios::binary) << bytes;
  CheckOptions options;
  options.schemas = schemas;
  options.load = false;
  options.limits = {.maxEntries = 100, .maxTotalSize = 1 << 20};
  const FindingList findings = checkFmu(path, options);
  findingsText("fuzz.fmu", findings);
  findingsJson("fuzz.fmu", findings);
}

/// A description, as if the zip around it were sound.
void checkXmlFile(std::string_view bytes) {
  FindingList findings;
  const std::unique_ptr<XmlFile> xml =
      XmlFile::read("modelDescription.xml", std::string(bytes), findings);
  if (!xml) return;
  const Description description(*xml);
  checkSchema(xml->name(), xml->text(),
              schemas / (description.fmi3() ? "fmi3/fmi3ModelDescription.xsd"
                                            : "fmi2/fmi2ModelDescription.xsd"),
              findings);
  checkHeader(description, findings);
  checkUnits(description, findings);
  checkVariables(description, findings);
  checkLinks(description, findings);
  checkStructure(description, findings);
  checkTerminals(*xml, description, {}, findings);
  checkSources(description, xml.get(), {}, findings);
  for (const pugi::xml_node interface : description.interfaces()) probePlan(description, interface);
  findingsJson("fuzz.fmu", findings);
}

}  // namespace

/// Checks any bytes as an FMU, as its description and as a binary: findings and BinaryError are
/// answers, everything else that is thrown is a finding of the fuzzer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.find("PK") != std::string_view::npos) checkZipFile(bytes);
  checkXmlFile(bytes);
  try {
    readBinary(bytes);
  } catch (const BinaryError&) {
    return 0;
  }
  return 0;
}

#include "packaging/fmu_package.hpp"

#include <cstdint>
#include <fstream>
#include <pugixml.hpp>
#include <string>
#include <system_error>

#include "modelDescription/version.hpp"
#include "modelDescription/xml_text.hpp"
#include "packaging/license_text.hpp"
#include "packaging/output_file.hpp"
#include "packaging/presentation_files.hpp"
#include "packaging/reference_files.hpp"
#include "solver/error.hpp"

namespace trammel::fmi {
namespace {

std::string fileContent(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::string bytes(error ? 0 : size, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file || bytes.empty()) throw Error(path.string() + ": cannot be read");
  return bytes;
}

/// The binary with the form that was deflated when it was built, if that belongs to it.
ZipEntry binaryEntry(const std::string& name, const std::filesystem::path& path) {
  const std::filesystem::path packed = path.string() + ".zip";
  if (isPackedForm(packed, path)) return {name, "", true, packed};
  return {name, fileContent(path), true};
}

std::string licenseFile() {
  return "The binaries of this FMU are the runtime of Trammel " + std::string(version()) +
         ", under this licence:\n\n" + std::string(licenseOfRuntime()) + '\n' +
         std::string(licensesOfParts()) +
         "\nThe model itself, resources/model.toml, belongs to its author.\n";
}

}  // namespace

std::vector<ZipEntry> fmuFiles(const CompiledModel& model, const PackageOptions& options) {
  std::vector<ZipEntry> files;
  files.push_back(
      {"modelDescription.xml", modelDescriptionXml(model, options.version, options.description)});
  for (const RuntimeBinary& binary : options.binaries) {
    files.push_back(binaryEntry("binaries/" + binary.platform.folder(options.version) + '/' +
                                    model.identifier() + binary.platform.suffix,
                                binary.path));
  }
  files.push_back({"resources/model.toml", model.text()});
  DocumentationOptions documentation{options.version, {}};
  for (const RuntimeBinary& binary : options.binaries)
    documentation.platforms.push_back(binary.platform.tuple);
  for (ZipEntry& file : presentationFiles(model, documentation, options.referenceRun))
    files.push_back(std::move(file));
  files.push_back({"documentation/licenses/license.txt", licenseFile()});
  if (options.referenceRun != nullptr) {
    for (ZipEntry& file : referenceFiles(model, *options.referenceRun))
      files.push_back(std::move(file));
  }
  return files;
}

bool wouldDestroy(const CompiledModel& model, const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  constexpr std::size_t largestDescription = std::size_t{64} << 20U;  // bytes
  pugi::xml_document document;
  document.load_string(zipEntryContent(path, "modelDescription.xml", largestDescription).c_str());
  const pugi::xml_node root = document.child("fmiModelDescription");
  return root.attribute("modelName").value() != xmlText(model.name());
}

std::size_t writeFmu(const CompiledModel& model, const PackageOptions& options,
                     const std::filesystem::path& path) {
  checkOutputFile(path);
  const std::vector<ZipEntry> files = fmuFiles(model, options);
  const std::string archive = zipArchive(files);
  writeOutputFile(path, archive,
                  [&](const std::filesystem::path& written) { verifyZipArchive(written, files); });
  return archive.size();
}

}  // namespace trammel::fmi

#include "packaging/check/check_fmu.hpp"

#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>

#include "coupling/fmu_error.hpp"
#include "coupling/temporary_directory.hpp"
#include "packaging/check/check_binaries.hpp"
#include "packaging/check/check_run.hpp"
#include "packaging/check/check_zip.hpp"
#include "packaging/check/checks.hpp"
#include "packaging/check/xml_schema.hpp"

namespace trammel::fmi::check {
namespace {

namespace fs = std::filesystem;

std::string readBytes(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Error(path.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// The check of one FMU, from the outside in: zip, files, XML, binaries, behaviour.
class FmuCheck {
 public:
  FmuCheck(const fs::path& fmu, const CheckOptions& options) : fmu_(fmu), options_(options) {}

  FindingList run() {
    if (fmu_.extension() != ".fmu")
      findings_.add(
          "zip-extension", {},
          "the file ends with " + inQuotes(fmu_.extension().string()) + ", expected \".fmu\"");
    if (unpack()) checkContent();
    return std::move(findings_);
  }

 private:
  bool unpack() {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(fmu_, error);
    if (error) throw Error(fmu_.string() + ": cannot be read: " + error.message());
    if (size > options_.limits.maxTotalSize) {
      findings_.add("zip-bomb", {}, "the zip itself has " + std::to_string(size) + " bytes");
      return false;
    }
    try {
      const std::string bytes = readBytes(fmu_);
      const ZipDirectory directory = readZipDirectory(bytes);
      if (!checkZip(directory, options_.limits, findings_)) return false;
      for (const ZipEntry& entry : directory.entries) {
        if (!entry.isFolder()) files_.insert(entry.name);
      }
      coupling::unpackArchive(fmu_, folder_.path(), options_.limits);
      if (unpackedFiles() == files_) return true;
      findings_.add("zip-header-mismatch", {}, "two readers of the zip see different entries");
    } catch (const ZipError& problem) {
      findings_.add("zip-unreadable", {}, problem.what());
    } catch (const coupling::FmuError& problem) {
      const std::string text = problem.what(), prefix = fmu_.string() + ": ";
      findings_.add("zip-damaged", {},
                    text.starts_with(prefix) ? text.substr(prefix.size()) : text);
    }
    return false;
  }

  std::set<std::string> unpackedFiles() const {
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_.path())) {
      if (entry.is_regular_file())
        names.insert(entry.path().lexically_relative(folder_.path()).generic_string());
    }
    return names;
  }

  void checkContent() {
    const std::unique_ptr<XmlFile> xml = read("modelDescription.xml", "fmiModelDescription");
    if (!files_.contains("modelDescription.xml"))
      findings_.add("layout-description", {}, "modelDescription.xml is missing in the root");
    if (!xml) return;
    const Description description(*xml);
    if (!description.known()) {
      findings_.add("description-unknown", description.at(xml->root()),
                    "fmiVersion is " + inQuotes(description.version()) + ", expected 2.0 or 3.0");
      return;
    }
    const bool fmi3 = description.fmi3();
    checkLayout({files_.begin(), files_.end()}, fmi3, findings_);
    validate(*xml, fmi3 ? "fmi3/fmi3ModelDescription.xsd" : "fmi2/fmi2ModelDescription.xsd");
    checkHeader(description, findings_);
    checkUnits(description, findings_);
    checkVariables(description, findings_);
    checkLinks(description, findings_);
    checkStructure(description, findings_);
    checkOtherXml(description);
    checkBinaries(description, folder_.path(), files_, findings_);
    if (options_.load) checkRun(description, folder_.path(), files_, options_, findings_);
  }

  void checkOtherXml(const Description& description) {
    if (const auto xml = read("terminalsAndIcons/terminalsAndIcons.xml", "fmiTerminalsAndIcons")) {
      if (description.fmi3()) validate(*xml, "fmi3/fmi3TerminalsAndIcons.xsd");
      checkTerminals(*xml, description, files_, findings_);
    }
    const auto build = read("sources/buildDescription.xml", "fmiBuildDescription");
    if (build && description.fmi3()) validate(*build, "fmi3/fmi3BuildDescription.xsd");
    checkSources(description, build.get(), files_, findings_);
    for (const std::string& name : files_) {
      if (name.starts_with("extra/") && name.ends_with("/fmi-ls-manifest.xml")) checkManifest(name);
    }
  }

  /// A layered standard names itself in its manifest, in a namespace whose prefix is free.
  void checkManifest(const std::string& name) {
    const std::unique_ptr<XmlFile> xml = XmlFile::read(name, text(name), findings_);
    if (!xml) return;
    for (const char* wanted : {"fmi-ls-name", "fmi-ls-version", "fmi-ls-description"}) {
      bool found = false;
      for (const pugi::xml_attribute attribute : xml->root().attributes()) {
        const std::string_view given = attribute.name();
        found = found || given.substr(given.find(':') + 1) == wanted;
      }
      if (!found)
        findings_.add("layered-manifest", xml->at(xml->root()),
                      std::string("attribute ") + wanted + " is missing");
    }
  }

  std::string text(const std::string& name) const { return readBytes(folder_.path() / name); }

  /// Null where there is no such file or it is refused.
  std::unique_ptr<XmlFile> read(const std::string& name, std::string_view rootName) {
    if (!files_.contains(name)) return nullptr;
    std::unique_ptr<XmlFile> xml = XmlFile::read(name, text(name), findings_);
    if (xml && rootName != xml->root().name()) {
      findings_.add("xml-root", xml->at(xml->root()),
                    "the root element is " + inQuotes(xml->root().name()) + ", expected " +
                        inQuotes(rootName));
      return nullptr;
    }
    return xml;
  }

  void validate(const XmlFile& xml, const char* schema) {
    checkSchema(xml.name(), xml.text(), options_.schemas / schema, findings_);
  }

  const fs::path& fmu_;
  const CheckOptions& options_;
  coupling::TemporaryDirectory folder_;
  std::set<std::string> files_;
  FindingList findings_;
};

}  // namespace

FindingList checkFmu(const fs::path& fmu, const CheckOptions& options) {
  return FmuCheck(fmu, options).run();
}

}  // namespace trammel::fmi::check

#include "packaging/container_package.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include "coupling/archive.hpp"
#include "coupling/temporary_directory.hpp"
#include "modelDescription/version.hpp"
#include "models/text.hpp"
#include "packaging/container_exposure.hpp"
#include "packaging/container_xml.hpp"
#include "packaging/errors.hpp"
#include "packaging/license_text.hpp"
#include "packaging/output_file.hpp"

namespace trammel::fmi {
namespace {

namespace fs = std::filesystem;

fs::path containerRuntime(const Installation& installation, const Platform& platform) {
  return installation.runtimeBinary(platform).parent_path() /
         ("trammel_container" + platform.suffix);
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw InputError(path.string() + ": cannot be read");
  return bytes;
}

/// "Double pendulum" -> "Double_pendulum"
std::string identifierOf(const std::string& name) {
  std::string identifier;
  for (const char c : name) {
    const bool isDigit = c >= '0' && c <= '9';
    const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (isDigit && identifier.empty()) identifier += '_';
    identifier += isLetter || isDigit ? c : '_';
  }
  return identifier.empty() ? "container" : identifier.substr(0, 64);
}

/// Two FNV-1a hashes from different bases as {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}.
std::string tokenOf(const std::string& text) {
  constexpr char hex[] = "0123456789abcdef";
  const auto hash = [&text](std::uint64_t h) {
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    h = (h ^ (h >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    h = (h ^ (h >> 27U)) * 0x94D049BB133111EBULL;
    return h ^ (h >> 31U);
  };
  const std::uint64_t basis = 0xCBF29CE484222325ULL;
  const std::uint64_t halves[2] = {hash(basis), hash(~basis)};
  std::string token = "{";
  for (unsigned digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) token += '-';
    token += hex[halves[digit / 16] >> (60U - 4U * (digit % 16U)) & 15U];
  }
  return token + '}';
}

/// Unpacks the members and gives what becomes of them.
class Packer {
 public:
  Packer(const SystemFile& file, const ResolvedSystem& system, const Installation& installation,
         const ContainerOptions& options)
      : file_(file), system_(system), installation_(installation), options_(options) {
    for (ResolvedMember& member : system_.members) {
      resolvePorts(member);
      const fs::path folder = directory_.path() / member.entry->name;
      fs::create_directory(folder);
      coupling::unpackArchive(member.fmu, folder);
      members_.push_back(readMemberXml(folder / "modelDescription.xml"));
    }
    exposed_ = exposedVariables(file_, system_, members_);
    describe();
  }

  std::vector<ZipEntry> files() const {
    std::vector<ZipEntry> files;
    ContainerHeading heading;
    heading.modelName = file_.name.empty() ? fs::path(file_.source).stem().string() : file_.name;
    heading.modelIdentifier = identifierOf(heading.modelName);
    heading.stopTime = file_.stopTime;
    heading.options = options_.description;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      heading.needsTool |= system_.members[k].description.capabilities.needsTool;
      heading.onlyOncePerProcess |= members_[k].onlyOncePerProcess;
    }
    files.push_back({"modelDescription.xml",
                     containerXml(container_, heading, exposed_, members_, options_.version)});
    for (const Platform& platform : platforms()) {
      files.push_back({"binaries/" + platform.folder(options_.version) + '/' +
                           heading.modelIdentifier + platform.suffix,
                       content(containerRuntime(installation_, platform)), true});
    }
    files.push_back({"resources/system.toml", containerText(container_)});
    for (const ResolvedMember& member : system_.members) addFolder(member.entry->name, files);
    files.push_back({"documentation/index.html", page(heading.modelName)});
    files.push_back({"documentation/licenses/license.txt", license()});
    return files;
  }

  /// Those that the runtime and all members have a binary for.
  std::vector<Platform> platforms() const {
    std::vector<Platform> all;
    for (const Platform& platform : containerPlatforms(installation_)) {
      const bool everywhere =
          std::all_of(system_.members.begin(), system_.members.end(),
                      [&](const ResolvedMember& member) { return hasBinary(member, platform); });
      if (everywhere) all.push_back(platform);
    }
    if (all.empty()) {
      throw InputError(file_.source +
                       ": there is no platform that all components have a binary for");
    }
    return all;
  }

 private:
  bool hasBinary(const ResolvedMember& member, const Platform& platform) const {
    const fs::path binaries = directory_.path() / member.entry->name / "binaries";
    const std::string name = member.description.modelIdentifier + platform.suffix;
    const bool fmi2 = member.description.version == coupling::FmuVersion::fmi2;
    return fs::is_regular_file(binaries / platform.tuple / name) ||
           (fmi2 && fs::is_regular_file(binaries / platform.fmi2Folder / name));
  }

  /// All names are written out, and what the FMUs are set to by themselves.
  static void resolvePorts(ResolvedMember& member) {
    for (coupling::FmuPortRequest& port : member.use.ports) {
      if (!port.names) port.names = coupling::portNames(member.description, port.name);
    }
    constexpr const char* repeatable = "solver.repeatable";
    const coupling::FmuVariable* variable = member.description.find(repeatable);
    const auto& parameters = member.use.parameters;
    const bool isChosen = std::any_of(parameters.begin(), parameters.end(),
                                      [&](const auto& p) { return p.first == repeatable; });
    const bool isOffered = variable != nullptr && variable->type == coupling::FmuType::boolean &&
                           member.description.capabilities.saveState && !member.use.ports.empty() &&
                           member.use.tolerance.value_or(1e-6) >= 1e-10;
    if (isOffered && !isChosen) member.use.parameters.emplace_back(repeatable, 1.0);
  }

  void describe() {
    container_.startTime = file_.startTime;
    container_.step = file_.step;
    container_.options = file_.options;
    container_.joints = system_.joints;
    container_.connections = system_.connections;
    for (const ExposedVariable& e : exposed_) container_.variables.push_back(e.variable);
    for (const ResolvedMember& member : system_.members) {
      ContainerMember m{member.entry->name, member.description, member.use};
      std::erase_if(m.fmu.variables,
                    [&](const coupling::FmuVariable& v) { return !takesPart(v, member.use); });
      container_.members.push_back(std::move(m));
    }
    container_.token = tokenOf(std::string(version()) + containerText(container_));
  }

  /// Whether the master looks the variable up.
  static bool takesPart(const coupling::FmuVariable& v, const coupling::FmuUse& use) {
    const auto in = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), v.name) != names.end();
    };
    if (v.intermediateUpdate && v.causality == coupling::FmuCausality::input) return true;
    if (v.name.starts_with("coupling.noise_") || in(use.inputs) || in(use.outputs)) return true;
    for (const auto& [parameter, value] : use.parameters) {
      if (parameter == v.name) return true;
    }
    return std::any_of(use.ports.begin(), use.ports.end(), [&](const auto& port) {
      const coupling::FmuPortNames& n = *port.names;
      return in(n.force) || in(n.position) || in(n.velocity) || in(n.acceleration) ||
             in(n.torque) || in(n.orientation) || in(n.angularVelocity) ||
             in(n.angularAcceleration) || in(n.forceRate) || in(n.forceSecondRate) ||
             in(n.torqueRate) || in(n.torqueSecondRate);
    });
  }

  void addFolder(const std::string& member, std::vector<ZipEntry>& files) const {
    const fs::path folder = directory_.path() / member;
    const std::string place = "resources/members/" + member + '/';
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      const std::string inside = entry.path().lexically_relative(folder).generic_string();
      files.push_back({place + inside, content(entry.path()), inside.starts_with("binaries/")});
    }
  }

  static std::string escaped(const std::string& text) {
    std::string html;
    for (const char c : text) {
      html += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    }
    return html;
  }

  std::string page(const std::string& name) const {
    std::string html = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                       escaped(name) + "</title></head>\n<body>\n<h1>" + escaped(name) +
                       "</h1>\n<p>A container FMU: these FMUs, coupled inside every step of " +
                       numberText(file_.step) + " s.</p>\n<ul>\n";
    for (const ResolvedMember& member : system_.members) {
      html += "<li>" + escaped(member.entry->name) + ": " + escaped(member.description.modelName) +
              ", FMI " +
              (member.description.version == coupling::FmuVersion::fmi2 ? "2.0" : "3.0") +
              "</li>\n";
    }
    html += "</ul>\n<h2>Joints</h2>\n<ul>\n";
    for (const JointEntry& joint : file_.joints) {
      html += "<li>" + escaped(joint.name) + ": " + escaped(joint.type) + "</li>\n";
    }
    return html + "</ul>\n</body></html>\n";
  }

  static std::string license() {
    return "The binaries of this FMU are the container runtime of Trammel " +
           std::string(version()) + ", under this licence:\n\n" + std::string(licenseOfRuntime()) +
           '\n' + std::string(licensesOfParts()) +
           "\nThe members below resources/members belong to their authors; their own licences lie "
           "in\ntheir documentation folders.\n";
  }

  const SystemFile& file_;
  ResolvedSystem system_;
  const Installation& installation_;
  const ContainerOptions& options_;
  coupling::TemporaryDirectory directory_;
  std::vector<MemberXml> members_;
  std::vector<ExposedVariable> exposed_;
  ContainerDescription container_;
};

}  // namespace

std::vector<Platform> containerPlatforms(const Installation& installation) {
  std::vector<Platform> platforms;
  for (const Platform& platform : knownPlatforms()) {
    if (installation.hasRuntimeBinary(platform) &&
        fs::is_regular_file(containerRuntime(installation, platform))) {
      platforms.push_back(platform);
    }
  }
  return platforms;
}

std::vector<ZipEntry> containerFiles(const SystemFile& file, const ResolvedSystem& system,
                                     const Installation& installation,
                                     const ContainerOptions& options) {
  return Packer(file, system, installation, options).files();
}

std::vector<Platform> writeContainer(const SystemFile& file, const Installation& installation,
                                     const ContainerOptions& options, const fs::path& path) {
  checkOutputFile(path);
  const coupling::TemporaryDirectory directory;
  const std::vector<Platform> wanted = containerPlatforms(installation);
  if (wanted.empty()) throw Error("the runtime binary of container FMUs is missing");
  const ResolvedSystem system = resolveSystem(file, installation, {directory.path(), wanted});
  const Packer packer(file, system, installation, options);
  const std::vector<ZipEntry> files = packer.files();
  writeOutputFile(path, zipArchive(files),
                  [&](const fs::path& written) { verifyZipArchive(written, files); });
  return packer.platforms();
}

}  // namespace trammel::fmi

#include "packaging/check/check_binaries.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <optional>

#include "packaging/check/binary_file.hpp"
#include "packaging/check/checks.hpp"
#include "packaging/check/fmi_functions.hpp"

namespace trammel::fmi::check {
namespace {

using pugi::xml_node;

struct Target {
  std::string machine, system;
  bool plain = true;  // no ABI: holds shared libraries
};

constexpr std::string_view newestGlibc = "2.28";  // of Debian 10 and RHEL 8
constexpr std::array<std::string_view, 3> systems{"linux", "windows", "darwin"};
constexpr std::array<std::string_view, 11> machines{"aarch32", "aarch64", "x86",     "x86_64",
                                                    "ppc32",   "ppc64",   "riscv32", "riscv64",
                                                    "i386",    "i586",    "i686"};
// Folders of FMI 2 and what they are for.
constexpr std::array<std::array<std::string_view, 3>, 6> fmi2Folders{{
    {"linux32", "x86", "linux"},
    {"linux64", "x86_64", "linux"},
    {"win32", "x86", "windows"},
    {"win64", "x86_64", "windows"},
    {"darwin32", "x86", "darwin"},
    {"darwin64", "x86_64", "darwin"},
}};

std::optional<Target> targetOf(const std::string& folder, bool fmi3) {
  if (!fmi3) {
    for (const auto& [name, machine, system] : fmi2Folders) {
      if (folder == name) return Target{std::string(machine), std::string(system)};
    }
  }
  const std::size_t dash = folder.find('-');
  if (dash == std::string::npos) return std::nullopt;
  const std::size_t second = std::min(folder.find('-', dash + 1), folder.size());
  Target target{folder.substr(0, dash), folder.substr(dash + 1, second - dash - 1),
                second == folder.size()};
  if (std::find(machines.begin(), machines.end(), target.machine) == machines.end() ||
      std::find(systems.begin(), systems.end(), target.system) == systems.end())
    return std::nullopt;
  if (target.machine.starts_with('i')) target.machine = "x86";
  return target;
}

std::string suffixOf(const std::string& system) {
  return system == "windows" ? ".dll" : system == "darwin" ? ".dylib" : ".so";
}

BinaryFormat formatOf(const std::string& system) {
  return system == "windows"  ? BinaryFormat::portableExecutable
         : system == "darwin" ? BinaryFormat::machO
                              : BinaryFormat::elf;
}

/// Libraries that every installation of the system has.
bool isSystemLibrary(const std::string& name, const std::string& system) {
  static constexpr std::array<std::string_view, 6> linuxNames{
      "libc.so.", "libm.so.", "libdl.so.", "libpthread.so.", "librt.so.", "ld-linux"};
  static constexpr std::array<std::string_view, 22> windowsNames{
      "kernel32.dll", "msvcrt.dll",  "user32.dll",  "advapi32.dll", "shell32.dll",  "shlwapi.dll",
      "ole32.dll",    "ws2_32.dll",  "ntdll.dll",   "ucrtbase.dll", "bcrypt.dll",   "imagehlp.dll",
      "dbghelp.dll",  "psapi.dll",   "version.dll", "gdi32.dll",    "oleaut32.dll", "comdlg32.dll",
      "iphlpapi.dll", "crypt32.dll", "rpcrt4.dll",  "winmm.dll"};
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (system == "darwin")
    return name.starts_with("/usr/lib/") || name.starts_with("/System/Library/") ||
           name.starts_with("@");
  if (system == "windows")
    return lower.starts_with("api-ms-win-") ||
           std::find(windowsNames.begin(), windowsNames.end(), lower) != windowsNames.end();
  return std::any_of(linuxNames.begin(), linuxNames.end(),
                     [&](std::string_view prefix) { return lower.starts_with(prefix); });
}

class BinaryCheck {
 public:
  BinaryCheck(const Description& description, const std::filesystem::path& directory,
              const std::set<std::string>& files, FindingList& findings)
      : d_(description), directory_(directory), files_(files), findings_(findings) {}

  void run() {
    std::set<std::string> folders;
    for (const std::string& name : files_) {
      constexpr std::string_view prefix = "binaries/";
      if (!name.starts_with(prefix)) continue;
      const std::size_t slash = name.find('/', prefix.size());
      if (slash != std::string::npos)
        folders.insert(name.substr(prefix.size(), slash - prefix.size()));
    }
    for (const std::string& folder : folders) checkFolder(folder);
  }

 private:
  void report(std::string_view rule, const std::string& file, std::string text) {
    findings_.add(rule, {file, 0}, std::move(text));
  }

  void checkFolder(const std::string& folder) {
    const std::optional<Target> target = targetOf(folder, d_.fmi3());
    if (!target) {
      report("binary-folder", "binaries/" + folder,
             std::string("the standard names no such platform, expected for example ") +
                 (d_.fmi3() ? "x86_64-linux" : "linux64"));
      return;
    }
    if (!target->plain) return;  // static libraries
    std::set<std::string> seen;
    for (const xml_node interface : d_.interfaces()) {
      const std::string file = "binaries/" + folder + "/" +
                               interface.attribute("modelIdentifier").value() +
                               suffixOf(target->system);
      if (!seen.insert(file).second) continue;
      if (files_.contains(file)) {
        checkFile(file, *target);
      } else {
        report("binary-missing", file,
               std::string("the binary of ") + interface.name() + " is missing");
      }
    }
  }

  void checkFile(const std::string& file, const Target& target) {
    std::ifstream stream(directory_ / file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream),
                            std::istreambuf_iterator<char>()};
    BinaryFile binary;
    try {
      binary = readBinary(bytes);
    } catch (const BinaryError& error) {
      report("binary-damaged", file, error.what());
      return;
    }
    if (binary.format != formatOf(target.system)) {
      report("binary-format", file, "it is no binary for " + target.system);
      return;
    }
    if (!binary.machines.contains(target.machine))
      report("binary-machine", file,
             "it is for " + *binary.machines.begin() + ", expected " + target.machine);
    if (!binary.shared) report("binary-shared", file, "it is no shared library");
    checkExports(file, binary);
    checkLibraries(file, binary, target);
    if (binary.executableStack) report("binary-stack", file, "it asks for an executable stack");
    if (binary.textRelocations)
      report("binary-text", file, "its code is changed when it is loaded");
  }

  void checkExports(const std::string& file, const BinaryFile& binary) {
    std::string missing, foreign;
    for (const FmiFunction& function : fmiFunctions(d_.fmi3())) {
      if (binary.exports.contains(std::string(function.name))) continue;
      const bool declared = function.interface.empty() || d_.interface(function.interface);
      (declared ? missing : foreign) += (declared ? missing : foreign).empty() ? "" : ", ";
      (declared ? missing : foreign) += function.name;
    }
    if (!missing.empty()) report("binary-export", file, "it does not export " + missing);
    if (!foreign.empty() && d_.fmi3())
      report("binary-export-all", file, "it does not export " + foreign);
    const auto others =
        std::count_if(binary.exports.begin(), binary.exports.end(), [](const std::string& name) {
          return !name.starts_with("fmi2") && !name.starts_with("fmi3") && !name.starts_with('_');
        });
    if (others > 0)
      report("binary-export-others", file,
             "it exports " + std::to_string(others) +
                 " symbols besides those of FMI, which may clash with other libraries");
  }

  void checkLibraries(const std::string& file, const BinaryFile& binary, const Target& target) {
    const std::string folder = file.substr(0, file.rfind('/') + 1);
    std::string strange;
    for (const std::string& name : binary.needed) {
      if (!isSystemLibrary(name, target.system) && !files_.contains(folder + name))
        strange += (strange.empty() ? "" : ", ") + name;
    }
    if (!strange.empty()) {
      report("binary-library", file,
             "it needs " + strange + ", expected only libraries that every machine has");
      if (!files_.contains("documentation/externalDependencies.txt") &&
          !files_.contains("documentation/externalDependencies.html"))
        report("binary-dependencies", file,
               "documentation/externalDependencies.txt or .html, which tells of " + strange +
                   ", is missing");
    }
    for (const std::string& path : binary.searchPaths) {
      if (!path.starts_with("$ORIGIN"))
        report("binary-search-path", file,
               "it looks for libraries in " + inQuotes(path) + ", expected $ORIGIN");
    }
    if (compareVersions(binary.newestGlibc, newestGlibc) > 0)
      report("binary-glibc", file,
             "it needs glibc " + binary.newestGlibc + ", expected " + std::string(newestGlibc) +
                 " at most");
  }

  const Description& d_;
  const std::filesystem::path& directory_;
  const std::set<std::string>& files_;
  FindingList& findings_;
};

}  // namespace

void checkBinaries(const Description& description, const std::filesystem::path& directory,
                   const std::set<std::string>& files, FindingList& findings) {
  BinaryCheck(description, directory, files, findings).run();
}

}  // namespace trammel::fmi::check

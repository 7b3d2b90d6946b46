#include "packaging/check/check_zip.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace trammel::fmi::check {
namespace {

constexpr unsigned encrypted = 1U << 0, dataDescriptor = 1U << 3, utf8Names = 1U << 11;
constexpr unsigned strongEncryption = 1U << 6;
constexpr unsigned stored = 0, deflated = 8;
constexpr std::size_t longestName = 1024;     // [byte], as the unpacker
constexpr std::size_t largestExtra = 16'384;  // [byte] of extra fields and comment of an entry

class ZipCheck {
 public:
  ZipCheck(const ZipDirectory& directory, const coupling::ArchiveLimits& limits,
           FindingList& findings)
      : directory_(directory), limits_(limits), findings_(findings) {}

  bool run() {
    checkFile();
    if (!safe_) return false;
    for (const ZipEntry& entry : directory_.entries) {
      checkName(entry);
      checkMethod(entry);
      checkKind(entry);
    }
    checkDuplicates();
    checkOverlap();
    checkSize();
    return safe_;
  }

 private:
  void report(std::string_view rule, const std::string& entry, std::string text) {
    findings_.add(rule, {entry, 0}, std::move(text));
  }
  /// Reports something that makes unpacking unsafe or impossible.
  void refuse(std::string_view rule, const std::string& entry, std::string text) {
    safe_ = false;
    report(rule, entry, std::move(text));
  }
  static std::string shown(const ZipEntry& entry) {
    const std::string text = inQuotes(entry.name);
    return isUtf8(entry.name) ? text.substr(1, text.size() - 2) : std::string();
  }

  void checkFile() {
    if (directory_.split)
      refuse("zip-split", "", "the zip is one part of several, expected one file");
    if (directory_.zip64)
      refuse("zip-zip64", "", "the zip uses zip64, expected version 2.0 at most");
    if (directory_.trailing > 0)
      report("zip-extra-data", "",
             std::to_string(directory_.trailing) + " bytes follow the end record, expected none");
    const auto count = static_cast<std::int64_t>(directory_.entries.size());
    if (count > limits_.maxEntries)
      refuse("zip-entry-count", "",
             "the zip has " + std::to_string(count) + " entries, expected at most " +
                 std::to_string(limits_.maxEntries));
  }

  void checkName(const ZipEntry& entry) {
    const std::string& name = entry.name;
    const std::string place = shown(entry);
    if (name.empty() || name == "/" || name.size() > longestName) {
      refuse("zip-name", place,
             "the name has " + std::to_string(name.size()) + " bytes, expected 1 to 1024");
      return;
    }
    if (std::any_of(name.begin(), name.end(),
                    [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == 0x7f; }))
      refuse("zip-name", place, "the name has a control character");
    if (!isUtf8(name)) {
      refuse("zip-name-encoding", place, "the name is not UTF-8: " + inQuotes(asciiOnly(name)));
    } else if ((entry.flags & utf8Names) == 0 && asciiOnly(name) != name) {
      report("zip-name-encoding", place, "the name is not ASCII and not marked as UTF-8");
    }
    if (name.find('\\') != std::string::npos)
      refuse("zip-backslash", place,
             "the name " + inQuotes(name) + " has a backslash, expected '/'");
    if (name.front() == '/' || (name.size() > 1 && name[1] == ':'))
      refuse("zip-absolute-path", place, "the name " + inQuotes(name) + " is absolute");
    checkParts(name, place);
    if (entry.extraSize > largestExtra)
      report("zip-header-size", place,
             "extra fields and comment take " + std::to_string(entry.extraSize) +
                 " bytes, expected at most " + std::to_string(largestExtra));
    if (!entry.mismatch.empty())
      refuse("zip-header-mismatch", place, "local header and directory: " + entry.mismatch);
  }

  void checkParts(const std::string& name, const std::string& place) {
    for (std::size_t begin = 0; begin < name.size();) {
      const std::size_t end = std::min(name.find('/', begin), name.size());
      const std::string part = name.substr(begin, end - begin);
      if (part == "..")
        refuse("zip-parent-path", place,
               "the name " + inQuotes(name) + " leaves the FMU by \"..\"");
      if (part == "." || (part.empty() && begin > 0))
        refuse("zip-dot-path", place, "the name " + inQuotes(name) + " has an empty part or \".\"");
      begin = end + 1;
    }
  }

  static std::string asciiOnly(const std::string& name) {
    std::string text = name;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) > 0x7eU; },
        '?');
    return text;
  }

  void checkMethod(const ZipEntry& entry) {
    const std::string place = shown(entry);
    if ((entry.flags & (encrypted | strongEncryption)) != 0)
      refuse("zip-encrypted", place, "the entry is encrypted");
    if (entry.method != stored && entry.method != deflated)
      refuse("zip-method", place,
             "the compression method is " + std::to_string(entry.method) +
                 ", expected 0 (stored) or 8 (deflated)");
    if (entry.versionNeeded > 20)
      report("zip-version", place,
             "the version needed to extract is " + std::to_string(entry.versionNeeded / 10) + "." +
                 std::to_string(entry.versionNeeded % 10) + ", expected 2.0 at most");
    if ((entry.flags & dataDescriptor) != 0 && entry.method == stored && !entry.isFolder())
      report("zip-data-descriptor", place, "a stored entry has its size behind its content");
  }

  void checkKind(const ZipEntry& entry) {
    constexpr unsigned unixSystem = 3, macSystem = 19;
    constexpr unsigned mask = 0170000, link = 0120000, regular = 0100000, folder = 0040000;
    if (entry.system != unixSystem && entry.system != macSystem) return;
    const unsigned type = (entry.attributes >> 16U) & mask;
    if (type == link) {
      refuse("zip-link", shown(entry), "the entry is a symbolic link");
    } else if (type != 0 && type != regular && type != folder) {
      refuse("zip-special-file", shown(entry), "the entry is a device, a pipe or a socket");
    }
  }

  static std::string folded(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  }

  void checkDuplicates() {
    std::map<std::string, std::string> seen;  // folded name -> name
    std::set<std::string> files, folders;
    for (const ZipEntry& entry : directory_.entries) {
      std::string name = entry.name;
      if (entry.isFolder()) name.pop_back();
      const auto [found, isNew] = seen.emplace(folded(name), name);
      if (!isNew && found->second == name) {
        refuse("zip-duplicate", shown(entry), "the name occurs twice");
      } else if (!isNew) {
        report(
            "zip-case-duplicate", shown(entry),
            "the name differs from " + inQuotes(found->second) + " only in upper and lower case");
      }
      (entry.isFolder() ? folders : files).insert(name);
      for (std::size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1))
        folders.insert(name.substr(0, at));
    }
    for (const std::string& name : files) {
      if (folders.contains(name)) refuse("zip-file-and-folder", name, "it is a file and a folder");
    }
  }

  /// Entries that share bytes unpack to far more than the file holds.
  void checkOverlap() {
    std::vector<const ZipEntry*> entries;
    for (const ZipEntry& entry : directory_.entries) entries.push_back(&entry);
    std::sort(entries.begin(), entries.end(),
              [](const ZipEntry* a, const ZipEntry* b) { return a->begin < b->begin; });
    std::uint64_t end = 0;
    for (const ZipEntry* entry : entries) {
      if (entry->begin < end) refuse("zip-overlap", shown(*entry), "it shares bytes with another");
      end = std::max(end, entry->end);
    }
    if (end > directory_.begin) refuse("zip-overlap", "", "an entry reaches into the directory");
    if (!entries.empty() && entries.front()->begin > 0)
      report("zip-extra-data", "",
             std::to_string(entries.front()->begin) + " bytes stand before the first entry");
  }

  void checkSize() {
    std::uint64_t total = 0, packed = 0;
    for (const ZipEntry& entry : directory_.entries) {
      total += entry.size;
      packed += entry.packedSize;
    }
    const bool steep = total > limits_.freeSize && total / limits_.maxRatio > packed;
    if (total > limits_.maxTotalSize || steep)
      refuse("zip-bomb", "",
             "the zip unpacks from " + std::to_string(packed) + " to " + std::to_string(total) +
                 " bytes, expected at most " + std::to_string(limits_.maxTotalSize) + " and " +
                 std::to_string(limits_.maxRatio) + " times as many");
  }

  const ZipDirectory& directory_;
  const coupling::ArchiveLimits& limits_;
  FindingList& findings_;
  bool safe_ = true;
};

bool endsWith(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

}  // namespace

bool checkZip(const ZipDirectory& directory, const coupling::ArchiveLimits& limits,
              FindingList& findings) {
  return ZipCheck(directory, limits, findings).run();
}

void checkLayout(const std::vector<std::string>& files, bool fmi3, FindingList& findings) {
  static constexpr std::array<std::string_view, 6> known{
      "binaries", "documentation", "resources", "sources", "terminalsAndIcons", "extra"};
  const std::set<std::string_view> names(files.begin(), files.end());
  const auto anyBelow = [&](std::string_view folder) {
    return std::any_of(files.begin(), files.end(),
                       [&](const std::string& name) { return name.starts_with(folder); });
  };
  std::set<std::string> strange;
  for (const std::string& name : files) {
    const std::string top = name.substr(0, name.find('/'));
    const bool isFile = top == name;
    if (isFile ? top != "modelDescription.xml" && (fmi3 || top != "model.png")
               : std::find(known.begin(), known.end(), top) == known.end())
      strange.insert(top);
  }
  for (const std::string& name : strange)
    findings.add("layout-root", {name, 0}, "the standard names no such file or folder in the root");
  if (!anyBelow("binaries/") && !anyBelow("sources/"))
    findings.add("layout-implementation", {}, "there is neither binaries/ nor sources/");
  if (anyBelow("documentation/") && !names.contains("documentation/index.html"))
    findings.add("layout-documentation", {"documentation", 0}, "index.html is missing");
  if (anyBelow("documentation/licenses/") &&
      !names.contains("documentation/licenses/license.txt") &&
      !names.contains("documentation/licenses/license.html") &&
      !names.contains("documentation/licenses/license.spdx"))
    findings.add("layout-license", {"documentation/licenses", 0},
                 "license.txt, license.html or license.spdx is missing");
  for (const std::string& name : files) {
    const bool needsPng = endsWith(name, ".svg") && (name == "terminalsAndIcons/icon.svg" ||
                                                     name == "documentation/diagram.svg");
    if (needsPng && !names.contains(name.substr(0, name.size() - 3) + "png"))
      findings.add("layout-icon", {name, 0}, "the same picture as .png is missing");
  }
}

bool isUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80U   ? 1
                               : lead < 0xC2U ? 0
                               : lead < 0xE0U ? 2
                               : lead < 0xF0U ? 3
                               : lead < 0xF5U ? 4
                                              : 0;
    if (length == 0 || length > text.size() - i) return false;
    std::uint32_t point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xC0U) != 0x80U) return false;
      point = point << 6U | (next & 0x3FU);
    }
    // Neither longer than needed, nor a surrogate, nor beyond the last character.
    if ((length == 3 && point < 0x800) || (length == 4 && point < 0x10000) || point > 0x10FFFF ||
        (point >= 0xD800 && point <= 0xDFFF))
      return false;
    i += length;
  }
  return true;
}

}  // namespace trammel::fmi::check

#include "packaging/check/binary_file.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "packaging/check/byte_view.hpp"

namespace trammel::fmi::check {
namespace {

constexpr std::uint64_t maxTableEntries = 1'000'000;

/// Sections of a portable executable: where addresses in memory lie in the file.
struct ImageSection {
  std::uint64_t address = 0, size = 0, offset = 0;
};

class ImageReader {
 public:
  ImageReader(const ByteView& bytes, BinaryFile& binary) : bytes_(bytes), binary_(binary) {}

  void read() {
    const std::uint64_t header = bytes_.u32(0x3c);
    if (bytes_.u32(header) != 0x4550) throw BinaryError("no header of a portable executable");
    binary_.machines.insert(machineOf(bytes_.u16(header + 4)));
    constexpr std::uint64_t isLibrary = 0x2000;
    binary_.shared = (bytes_.u16(header + 22) & isLibrary) != 0;
    const std::uint64_t optional = header + 24;
    const std::uint64_t sections = optional + bytes_.u16(header + 20);
    for (std::uint64_t i = 0; i < bytes_.u16(header + 6); ++i) {
      const std::uint64_t at = sections + 40 * i;
      sections_.push_back({bytes_.u32(at + 12), std::max(bytes_.u32(at + 8), bytes_.u32(at + 16)),
                           bytes_.u32(at + 20)});
    }
    const bool is64 = bytes_.u16(optional) == 0x20b;
    const std::uint64_t tables = optional + (is64 ? 112 : 96);
    if (const std::uint64_t exports = bytes_.u32(tables)) readExports(offsetOf(exports));
    if (const std::uint64_t imports = bytes_.u32(tables + 8)) readImports(offsetOf(imports));
  }

 private:
  static std::string machineOf(std::uint64_t machine) {
    switch (machine) {
      case 0x14c:
        return "x86";
      case 0x8664:
        return "x86_64";
      case 0xaa64:
        return "aarch64";
      case 0x1c0:
      case 0x1c4:
        return "aarch32";
      default:
        return "machine " + std::to_string(machine);
    }
  }

  std::uint64_t offsetOf(std::uint64_t address) const {
    for (const ImageSection& s : sections_) {
      if (address >= s.address && address - s.address < s.size)
        return s.offset + address - s.address;
    }
    throw BinaryError("an address lies in no section");
  }

  void readExports(std::uint64_t table) {
    const std::uint64_t count = std::min(bytes_.u32(table + 24), maxTableEntries);
    if (count == 0) return;
    const std::uint64_t names = offsetOf(bytes_.u32(table + 32));
    for (std::uint64_t i = 0; i < count; ++i)
      binary_.exports.insert(bytes_.text(offsetOf(bytes_.u32(names + 4 * i))));
  }

  void readImports(std::uint64_t table) {
    for (std::uint64_t i = 0; i < maxTableEntries; ++i) {
      const std::uint64_t name = bytes_.u32(table + 20 * i + 12);
      if (name == 0) break;
      binary_.needed.insert(bytes_.text(offsetOf(name)));
    }
  }

  const ByteView& bytes_;
  BinaryFile& binary_;
  std::vector<ImageSection> sections_;
};

void readMachSlice(const ByteView& bytes, BinaryFile& binary) {
  if (bytes.u32(0) != 0xfeedfacf) throw BinaryError("no 64-bit Mach-O file");
  const std::uint64_t processor = bytes.u32(4), type = bytes.u32(12);
  binary.machines.insert(processor == 0x01000007   ? "x86_64"
                         : processor == 0x0100000c ? "aarch64"
                                                   : "machine " + std::to_string(processor));
  constexpr std::uint64_t library = 6, bundle = 8;
  binary.shared = type == library || type == bundle;
  std::uint64_t at = 32;
  for (std::uint64_t i = 0; i < std::min(bytes.u32(16), maxTableEntries); ++i) {
    constexpr std::uint64_t symbolTable = 2, loadLibrary = 12;
    const std::uint64_t command = bytes.u32(at), size = bytes.u32(at + 4);
    if (command == loadLibrary) binary.needed.insert(bytes.text(at + bytes.u32(at + 8)));
    if (command == symbolTable) {
      const std::uint64_t symbols = bytes.u32(at + 8), names = bytes.u32(at + 16);
      for (std::uint64_t k = 0; k < std::min(bytes.u32(at + 12), maxTableEntries); ++k) {
        const std::uint64_t symbol = symbols + 16 * k;
        // External and defined in a section; C names have a leading underscore.
        if ((bytes.number(symbol + 4, 1) & 0x0fU) != 0x0fU) continue;
        const std::string name = bytes.text(names + bytes.u32(symbol));
        binary.exports.insert(name.starts_with('_') ? name.substr(1) : name);
      }
    }
    if (size < 8) throw BinaryError("a load command is too short");
    at += size;
  }
}

std::uint64_t bigEndian32(const ByteView& bytes, std::uint64_t at) {
  std::uint64_t value = 0;
  for (std::uint64_t i = 0; i < 4; ++i) value = value << 8U | bytes.number(at + i, 1);
  return value;
}

}  // namespace

void readPortableExecutable(const ByteView& bytes, BinaryFile& binary) {
  ImageReader(bytes, binary).read();
}

void readMachO(const ByteView& bytes, BinaryFile& binary) {
  if (!bytes.startsWith("\xca\xfe\xba\xbe")) return readMachSlice(bytes, binary);
  constexpr std::uint64_t maxSlices = 16;
  for (std::uint64_t i = 0; i < std::min(bigEndian32(bytes, 4), maxSlices); ++i) {
    const std::uint64_t at = 8 + 20 * i;
    readMachSlice(bytes.part(bigEndian32(bytes, at + 8), bigEndian32(bytes, at + 12)), binary);
  }
}

BinaryFile readBinary(std::string_view text) {
  const ByteView bytes(text);
  BinaryFile binary;
  if (bytes.startsWith("\x7f"
                       "ELF")) {
    binary.format = BinaryFormat::elf;
    readElf(bytes, binary);
  } else if (bytes.startsWith("MZ")) {
    binary.format = BinaryFormat::portableExecutable;
    readPortableExecutable(bytes, binary);
  } else if (bytes.startsWith("\xcf\xfa\xed\xfe") || bytes.startsWith("\xca\xfe\xba\xbe")) {
    binary.format = BinaryFormat::machO;
    readMachO(bytes, binary);
  }
  return binary;
}

int compareVersions(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const auto next = [](std::string_view& text) {
      unsigned long value = 0;
      const std::size_t dot = std::min(text.find('.'), text.size());
      std::from_chars(text.data(), text.data() + dot, value);
      text.remove_prefix(std::min(dot + 1, text.size()));
      return value;
    };
    const unsigned long first = next(a), second = next(b);
    if (first != second) return first < second ? -1 : 1;
  }
  return 0;
}

}  // namespace trammel::fmi::check

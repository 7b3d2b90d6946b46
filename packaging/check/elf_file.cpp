#include <algorithm>

#include "packaging/check/byte_view.hpp"

namespace trammel::fmi::check {
namespace {

// Names and numbers of the System V ABI and its GNU extensions.
constexpr std::uint64_t etDyn = 3;
constexpr std::uint64_t ptGnuStack = 0x6474e551, pfExecute = 1;
constexpr std::uint64_t shtDynamic = 6, shtDynsym = 11, shtGnuVerneed = 0x6ffffffe;
constexpr std::uint64_t dtNull = 0, dtNeeded = 1, dtRpath = 15, dtTextrel = 22, dtRunpath = 29;
constexpr std::uint64_t dtFlags = 30, dfTextrel = 4;
constexpr std::uint64_t maxTableEntries = 10'000'000;

std::string machineOf(std::uint64_t machine, bool is64) {
  switch (machine) {
    case 3:
      return "x86";
    case 62:
      return "x86_64";
    case 40:
      return "aarch32";
    case 183:
      return "aarch64";
    case 20:
      return "ppc32";
    case 21:
      return "ppc64";
    case 243:
      return is64 ? "riscv64" : "riscv32";
    default:
      return "machine " + std::to_string(machine);
  }
}

struct Section {
  std::uint64_t type = 0, offset = 0, size = 0, link = 0;
};

class ElfReader {
 public:
  ElfReader(const ByteView& bytes, BinaryFile& binary)
      : bytes_(bytes), binary_(binary), is64_(bytes.number(4, 1) == 2) {}

  void read() {
    if (bytes_.number(5, 1) != 1) throw BinaryError("ELF file of a big-endian machine");
    binary_.shared = bytes_.u16(16) == etDyn;
    binary_.machines.insert(machineOf(bytes_.u16(18), is64_));
    readSegments();
    const std::uint64_t count = bytes_.u16(is64_ ? 60 : 48);
    if (count == 0) throw BinaryError("ELF file without section headers");
    for (std::uint64_t i = 0; i < count; ++i) readSection(section(i));
  }

 private:
  std::uint64_t word(std::uint64_t at) const { return is64_ ? bytes_.u64(at) : bytes_.u32(at); }

  void readSegments() {
    const std::uint64_t begin = word(is64_ ? 32 : 28), size = bytes_.u16(is64_ ? 54 : 42);
    const std::uint64_t count = bytes_.u16(is64_ ? 56 : 44);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t at = begin + i * size;
      if (bytes_.u32(at) == ptGnuStack)
        binary_.executableStack = (bytes_.u32(at + (is64_ ? 4 : 24)) & pfExecute) != 0;
    }
  }

  Section section(std::uint64_t index) const {
    const std::uint64_t at = word(is64_ ? 40 : 32) + index * bytes_.u16(is64_ ? 58 : 46);
    return {bytes_.u32(at + 4), word(at + (is64_ ? 24 : 16)), word(at + (is64_ ? 32 : 20)),
            bytes_.u32(at + (is64_ ? 40 : 24))};
  }

  std::string name(const Section& s, std::uint64_t offset) const {
    return bytes_.text(section(s.link).offset + offset);
  }

  void readSection(const Section& s) {
    if (s.type == shtDynamic) readDynamic(s);
    if (s.type == shtDynsym) readSymbols(s);
    if (s.type == shtGnuVerneed) readVersions(s);
  }

  void readDynamic(const Section& s) {
    const std::uint64_t size = is64_ ? 16 : 8;
    for (std::uint64_t i = 0; i < s.size / size && i < maxTableEntries; ++i) {
      const std::uint64_t tag = word(s.offset + i * size);
      const std::uint64_t value = word(s.offset + i * size + size / 2);
      if (tag == dtNull) break;
      if (tag == dtNeeded) binary_.needed.insert(name(s, value));
      if (tag == dtRpath || tag == dtRunpath) binary_.searchPaths.insert(name(s, value));
      if (tag == dtTextrel || (tag == dtFlags && (value & dfTextrel) != 0))
        binary_.textRelocations = true;
    }
  }

  void readSymbols(const Section& s) {
    const std::uint64_t size = is64_ ? 24 : 16;
    for (std::uint64_t i = 0; i < s.size / size && i < maxTableEntries; ++i) {
      const std::uint64_t at = s.offset + i * size;
      const bool defined = bytes_.u16(at + (is64_ ? 6 : 14)) != 0;
      const std::uint64_t binding = bytes_.number(at + (is64_ ? 4 : 12), 1) >> 4U;
      if (defined && binding != 0) binary_.exports.insert(name(s, bytes_.u32(at)));
    }
  }

  /// Versions of symbols that the library takes from others; those of glibc are GLIBC_x.y.
  void readVersions(const Section& s) {
    constexpr std::uint64_t maxCount = 10'000;
    std::uint64_t at = s.offset;
    for (std::uint64_t file = 0; file < maxCount; ++file) {
      std::uint64_t version = at + bytes_.u32(at + 8);
      for (std::uint64_t i = 0; i < std::min(bytes_.u16(at + 2), maxCount); ++i) {
        const std::string text = name(s, bytes_.u32(version + 8));
        constexpr std::string_view prefix = "GLIBC_";
        if (text.starts_with(prefix) &&
            compareVersions(text.substr(prefix.size()), binary_.newestGlibc) > 0)
          binary_.newestGlibc = text.substr(prefix.size());
        version += bytes_.u32(version + 12);
      }
      const std::uint64_t next = bytes_.u32(at + 12);
      if (next == 0) break;
      at += next;
    }
  }

  const ByteView& bytes_;
  BinaryFile& binary_;
  bool is64_;
};

}  // namespace

void readElf(const ByteView& bytes, BinaryFile& binary) { ElfReader(bytes, binary).read(); }

}  // namespace trammel::fmi::check

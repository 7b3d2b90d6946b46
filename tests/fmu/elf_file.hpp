#pragma once

#include <elf.h>

#include <cstring>
#include <filesystem>
#include <set>
#include <string>

#include "tests/fmu/fmu_folder.hpp"

namespace trammel::fmi::test {

/// What a 64-bit ELF shared object says of itself to the dynamic linker.
struct ElfFile {
  std::set<std::string> needed;    // shared libraries
  std::set<std::string> exported;  // defined symbols
  std::set<std::string>
      unique;  // those of them that are shared by all objects of a process (STB_GNU_UNIQUE)
};

inline ElfFile readElf(const std::filesystem::path& path) {
  const std::string bytes = readText(path);
  const auto at = [&bytes]<class T>(T value, std::size_t offset) {
    if (offset + sizeof value > bytes.size()) throw Error("ELF file ends early");
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  };
  const auto header = at(Elf64_Ehdr{}, 0);
  const auto section = [&](std::size_t i) {
    return at(Elf64_Shdr{}, header.e_shoff + i * header.e_shentsize);
  };
  ElfFile elf;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr s = section(i);
    const auto text = [&](std::size_t offset) {
      return std::string(bytes.c_str() + section(s.sh_link).sh_offset + offset);
    };
    for (std::size_t o = 0; s.sh_type == SHT_DYNAMIC && o < s.sh_size; o += sizeof(Elf64_Dyn)) {
      const auto entry = at(Elf64_Dyn{}, s.sh_offset + o);
      if (entry.d_tag == DT_NEEDED) elf.needed.insert(text(entry.d_un.d_val));
    }
    for (std::size_t o = 0; s.sh_type == SHT_DYNSYM && o < s.sh_size; o += sizeof(Elf64_Sym)) {
      const auto symbol = at(Elf64_Sym{}, s.sh_offset + o);
      if (symbol.st_shndx == SHN_UNDEF) continue;
      elf.exported.insert(text(symbol.st_name));
      if (ELF64_ST_BIND(symbol.st_info) == STB_GNU_UNIQUE) elf.unique.insert(text(symbol.st_name));
    }
  }
  return elf;
}

}  // namespace trammel::fmi::test

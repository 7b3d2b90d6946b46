#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace trammel::fmi {

/// An executable or shared object of this process, as the dynamic linker of Linux knows it.
struct LoadedObject {
  const char* name = nullptr;  // path; "" for the executable, null where nothing was found
  std::uintptr_t begin = 0;    // addresses [begin, end) of its segments
  std::uintptr_t end = 0;
  std::uintptr_t unwindTable = 0;  // address of its .eh_frame_hdr; 0: none
};

inline LoadedObject loadedObject(const dl_phdr_info& info) noexcept {
  LoadedObject object{info.dlpi_name, UINTPTR_MAX, 0, 0};
  for (std::size_t i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    const std::uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME) object.unwindTable = begin;
    if (segment.p_type != PT_LOAD) continue;
    if (begin < object.begin) object.begin = begin;
    if (begin + segment.p_memsz > object.end) object.end = begin + segment.p_memsz;
  }
  return object;
}

/// The object that holds an address. Unlike dladdr, which glibc has moved between libraries, this
/// needs nothing but libc.
inline LoadedObject loadedObjectAt(const void* address) noexcept {
  struct Search {
    std::uintptr_t address;
    LoadedObject found;
  } search{reinterpret_cast<std::uintptr_t>(address), {}};
  const auto visit = [](dl_phdr_info* info, std::size_t, void* data) {
    Search& wanted = *static_cast<Search*>(data);
    const LoadedObject object = loadedObject(*info);
    if (wanted.address < object.begin || wanted.address >= object.end) return 0;
    wanted.found = object;
    return 1;
  };
  dl_iterate_phdr(visit, &search);
  return search.found;
}

}  // namespace trammel::fmi

#include "fmu_src/platform.hpp"

#include "solver/error.hpp"

#ifdef _WIN32
#include <windows.h>

#include <vector>
#else
#include <dlfcn.h>
#endif

namespace trammel::fmi {

#ifdef _WIN32

std::filesystem::path binaryPath() {
  HMODULE module = nullptr;
  const DWORD flags =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (GetModuleHandleExW(flags, reinterpret_cast<LPCWSTR>(&binaryPath), &module) == 0)
    throw Error("the system does not know where this binary lies");
  std::vector<wchar_t> name(32768);
  const DWORD length = GetModuleFileNameW(module, name.data(), static_cast<DWORD>(name.size()));
  return std::filesystem::path(name.data(), name.data() + length);
}

#else

std::filesystem::path binaryPath() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&binaryPath), &info) == 0 || info.dli_fname == nullptr)
    throw Error("the system does not know where this binary lies");
  return std::filesystem::absolute(info.dli_fname);
}

#endif

std::filesystem::path pathFromUtf8(const std::string& text) {
  return std::filesystem::path(std::u8string(text.begin(), text.end()));
}

}  // namespace trammel::fmi

#include "fmu_src/platform.hpp"

#include "solver/error.hpp"

#ifdef _WIN32
#include <windows.h>

#include <vector>
#else
#include "fmu_src/loaded_object.hpp"
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
  const LoadedObject object = loadedObjectAt(reinterpret_cast<const void*>(&binaryPath));
  if (object.name == nullptr) throw Error("the system does not know where this binary lies");
  if (*object.name == '\0') return std::filesystem::read_symlink("/proc/self/exe");
  return std::filesystem::absolute(object.name);
}

#endif

std::filesystem::path pathFromUtf8(const std::string& text) {
  return std::filesystem::path(std::u8string(text.begin(), text.end()));
}

}  // namespace trammel::fmi

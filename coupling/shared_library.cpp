#include "coupling/shared_library.hpp"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include <utility>

#include "coupling/fmu_error.hpp"

namespace trammel::coupling {

#ifdef _WIN32

SharedLibrary::SharedLibrary(const std::filesystem::path& path) : path_(path) {
  // Libraries that the FMU brings along lie beside its binary.
  handle_ = LoadLibraryExW(path.c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
  if (handle_ == nullptr) {
    throw FmuError("cannot load " + path.string() + ": error " + std::to_string(GetLastError()) +
                   " of Windows");
  }
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) FreeLibrary(static_cast<HMODULE>(handle_));
}

void* SharedLibrary::find(const char* name) const {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), name));
}

#else

SharedLibrary::SharedLibrary(const std::filesystem::path& path) : path_(path) {
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    const char* reason = dlerror();
    throw FmuError("cannot load " + path.string() + ": " +
                   (reason != nullptr ? reason : "unknown"));
  }
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

void* SharedLibrary::find(const char* name) const { return dlsym(handle_, name); }

#endif

SharedLibrary::SharedLibrary(SharedLibrary&& other) noexcept
    : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, nullptr)) {}

void* SharedLibrary::require(const std::string& name) const {
  void* symbol = find(name.c_str());
  if (symbol == nullptr) throw FmuError(path_.string() + ": function " + name + " is missing");
  return symbol;
}

}  // namespace trammel::coupling

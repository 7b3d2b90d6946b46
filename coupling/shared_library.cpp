#include "coupling/shared_library.hpp"

#include <dlfcn.h>

#include <utility>

#include "coupling/fmu_error.hpp"

namespace trammel::coupling {

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

SharedLibrary::SharedLibrary(SharedLibrary&& other) noexcept
    : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, nullptr)) {}

void* SharedLibrary::find(const char* name) const { return dlsym(handle_, name); }

void* SharedLibrary::require(const std::string& name) const {
  void* symbol = find(name.c_str());
  if (symbol == nullptr) throw FmuError(path_.string() + ": function " + name + " is missing");
  return symbol;
}

}  // namespace trammel::coupling

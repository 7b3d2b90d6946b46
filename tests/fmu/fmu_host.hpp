#pragma once

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fmi2Functions.h"
#include "fmi3Functions.h"
#include "fmu_src/status.hpp"
#include "tests/fmu/fmu_folder.hpp"

namespace trammel::fmi::test {

struct LogLine {
  Status status;
  std::string category, message;
};
using LogLines = std::vector<LogLine>;

/// A shared object, closed with the host.
class SharedObject {
 public:
  explicit SharedObject(const std::filesystem::path& path)
      : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw Error(std::string("dlopen: ") + dlerror());
  }
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;
  ~SharedObject() { dlclose(handle_); }

  template <class Function>
  Function* function(const std::string& name) const {
    void* const symbol = dlsym(handle_, name.c_str());
    if (symbol == nullptr) throw Error("no symbol " + name);
    return reinterpret_cast<Function*>(symbol);
  }

 private:
  void* handle_;
};

void logMessage2(fmi2ComponentEnvironment lines, fmi2String name, fmi2Status status,
                 fmi2String category, fmi2String message, ...);
void logMessage3(fmi3InstanceEnvironment lines, fmi3Status status, fmi3String category,
                 fmi3String message);

/// What an importer gives when it instantiates; members are what most tests want.
struct Arguments {
  const char* name = "instance";
  const char* token = nullptr;
  const char* resources = nullptr;
  bool loggingOn = true;
  bool withLogger = true;
  bool eventModeUsed = false;  // FMI 3
};

/// The functions that both versions have in common, under one name. The functions of the standards
/// take the instance as void*, so one class serves both.
class Host {
 public:
  static constexpr std::array versions = {Version::fmi2, Version::fmi3};

  Host(Version version, const std::filesystem::path& binary);

  Version version() const { return version_; }
  const SharedObject& object() const { return object_; }
  std::string location(const FmuFolder& folder) const;  // of the resources, as the version asks

  void* instantiate(const Arguments& arguments, LogLines& lines) const;
  void* instantiate(const FmuFolder& folder, LogLines& lines) const;
  void free(void* instance) const;

  /// Sets the experiment up, too. A tolerance or stop time of 0 is passed as not defined.
  std::function<Status(void*, double tolerance, double startTime, double stopTime)> enter;
  std::function<Status(void*)> exit, terminate, reset;
  std::function<Status(void*, double t, double h)> doStep;
  std::function<Status(void*, const std::uint32_t*, std::size_t, double*)> get;
  std::function<Status(void*, const std::uint32_t*, std::size_t, const double*)> set;
  std::function<Status(void*, void**)> getState, freeState;
  std::function<Status(void*, void*)> setState;
  std::function<Status(void*, void*, std::size_t*)> stateSize;
  std::function<Status(void*, void*, void*, std::size_t)> serialize;
  std::function<Status(void*, const void*, std::size_t, void**)> deserialize;

 private:
  void bind2();
  void bind3();

  Version version_;
  SharedObject object_;
};

}  // namespace trammel::fmi::test

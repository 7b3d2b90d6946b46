#pragma once

#include <filesystem>
#include <string>

namespace trammel::coupling {

/// A shared library loaded for itself: its symbols are not offered to others.
class SharedLibrary final {
 public:
  explicit SharedLibrary(const std::filesystem::path& path);
  ~SharedLibrary();
  SharedLibrary(SharedLibrary&& other) noexcept;
  SharedLibrary& operator=(SharedLibrary&&) = delete;

  /// nullptr: no such symbol.
  void* find(const char* name) const;

  /// Sets a function pointer; throws FmuError naming the symbol where it is missing.
  template <class Function>
  void resolve(Function*& function, const std::string& name) const {
    function = reinterpret_cast<Function*>(require(name));
  }
  /// Leaves nullptr where it is missing.
  template <class Function>
  void look(Function*& function, const std::string& name) const {
    function = reinterpret_cast<Function*>(find(name.c_str()));
  }

 private:
  void* require(const std::string& name) const;

  std::filesystem::path path_;
  void* handle_ = nullptr;
};

}  // namespace trammel::coupling

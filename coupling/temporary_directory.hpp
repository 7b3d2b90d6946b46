#pragma once

#include <filesystem>

namespace trammel::coupling {

/// A fresh directory that only this user can enter, removed with all its content at the end.
class TemporaryDirectory final {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;  // empty: moved from
};

}  // namespace trammel::coupling

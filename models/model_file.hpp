#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "solver/error.hpp"

namespace trammel {

/// A wrong model file: what() is one line `file:line: what, got, expected`.
class ModelError final : public Error {
 public:
  ModelError(const std::string& file, int line, const std::string& message);
};

struct ModelFile;  // plain data of a .toml; every value knows its line

ModelFile readModelFile(const std::filesystem::path& path);
/// `source` is the name used in messages.
ModelFile parseModel(std::string_view text, std::string source);

}  // namespace trammel

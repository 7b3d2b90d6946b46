#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/coded_program.hpp"
#include "models/compiled_model.hpp"
#include "models/model_file.hpp"

namespace trammel {

/// A file of kind "coded": what the model shows. Its equations are in C++, so the entries have no
/// expressions and the part of the common data is empty.
struct CodedFile {
  ModelFile common;
  std::vector<CoordinateEntry> coordinates;
  std::vector<ConstraintEntry> constraints;
};

/// None where the file is of another kind. Throws ModelError.
std::optional<CodedFile> readCodedFile(const std::filesystem::path& path);
std::optional<CodedFile> parseCodedFile(std::string_view text, std::string source);

/// Throws ModelError where a name is used twice. Without a factory the model has all but equations.
CompiledModel compile(const CodedFile& file, SystemFactory makeSystem = {});

}  // namespace trammel

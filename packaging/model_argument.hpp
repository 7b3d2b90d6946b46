#pragma once

#include <filesystem>
#include <string>

#include "models/compiled_model.hpp"
#include "packaging/installation.hpp"

namespace trammel::fmi {

/// A file named on the command line.
struct ModelArgument {
  std::filesystem::path path;
  bool isFmu = false;
};

/// The file of that name or, where there is none, the model of that name in the catalogue. An FMU
/// is known by its content. Throws InputError.
ModelArgument findModel(const std::string& argument, const Installation& installation);

/// Throws ModelError or InputError.
CompiledModel loadModel(const std::filesystem::path& path);

}  // namespace trammel::fmi

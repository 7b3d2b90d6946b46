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

/// The FMU of that name; where there is none, the only one beside it whose name differs in capitals
/// and underscores alone, which is said on standard error: "slider_crank.fmu" is how one may recall
/// the SliderCrank.fmu that `trammel export slider_crank` wrote. The name as it is where there is
/// neither.
std::filesystem::path findFmu(const std::string& argument);

/// The file of that name or, where there is none, the model of that name in the catalogue or the
/// FMU that findFmu knows. An FMU is known by its content. Throws InputError.
ModelArgument findModel(const std::string& argument, const Installation& installation);

/// Throws ModelError or InputError.
CompiledModel loadModel(const std::filesystem::path& path);

}  // namespace trammel::fmi

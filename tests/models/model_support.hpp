#pragma once

#include <string>

#include "models/compiled_model.hpp"

namespace trammel {

inline CompiledModel compileText(const std::string& text) {
  return compile(parseModel(text, "test.toml"));
}

inline CompiledModel compileCatalogue(const std::string& name) {
  return compile(
      readModelFile(std::string(TRAMMEL_SOURCE_DIR) + "/models/catalogue/" + name + ".toml"));
}

/// The smallest model: one free mass.
inline std::string freeMass(const std::string& more = "") {
  return "trammel = 1\nkind = \"equations\"\nname = \"Free\"\n[coordinates.x]\nmass = 1.0\n" + more;
}

/// What compiling the text throws, empty if it does not.
inline std::string compileError(const std::string& text) {
  try {
    compileText(text);
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}

}  // namespace trammel

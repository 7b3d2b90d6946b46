#include "packaging/model_argument.hpp"

#include <array>
#include <fstream>
#include <iostream>
#include <string_view>
#include <system_error>
#include <vector>

#include "packaging/errors.hpp"

namespace trammel::fmi {
namespace {

namespace fs = std::filesystem;

bool isZip(const fs::path& path) {
  std::array<char, 4> magic{};
  std::ifstream(path, std::ios::binary).read(magic.data(), magic.size());
  const std::string_view text(magic.data(), magic.size());
  return text == "PK\3\4" || text == "PK\5\6";
}

/// A name without the difference between capitals and small letters and without underscores.
std::string folded(const fs::path& name) {
  std::string text;
  for (const char c : name.string()) {
    if (c != '_') text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

std::string catalogueList(const Installation& installation) {
  std::string list;
  for (const std::string& name : installation.catalogueNames()) {
    if (!list.empty()) list += ", ";
    list += name;
  }
  return list.empty() ? "is empty" : "has " + list;
}

}  // namespace

fs::path findFmu(const std::string& argument) {
  fs::path given(argument);
  std::error_code ignored;
  if (fs::exists(given, ignored) || given.extension() != ".fmu") return given;
  const fs::path folder = given.has_parent_path() ? given.parent_path() : fs::path(".");
  std::vector<fs::path> alike;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (folded(entry.path().filename()) == folded(given.filename()))
      alike.push_back(given.parent_path() / entry.path().filename());
  }
  if (alike.size() != 1) return given;
  std::cerr << "note: there is no " << argument << ", taking " << alike.front().string() << '\n';
  return alike.front();
}

ModelArgument findModel(const std::string& argument, const Installation& installation) {
  std::error_code ignored;
  if (fs::is_directory(argument, ignored)) {
    throw InputError(argument + ": is a directory, expected a model file or an FMU");
  }
  if (fs::exists(argument, ignored)) {
    return {argument, fs::path(argument).extension() == ".fmu" || isZip(argument)};
  }
  if (const fs::path fmu = findFmu(argument); fmu != argument) return {fmu, true};
  const fs::path model = installation.catalogueModel(argument);
  if (model.empty()) {
    throw InputError(argument + ": no such file and no such model in the catalogue, which " +
                     catalogueList(installation));
  }
  return {model, false};
}

CompiledModel loadModel(const fs::path& path) {
  if (!std::ifstream(path)) throw InputError(path.string() + ": cannot be read");
  return compile(readModelFile(path));
}

}  // namespace trammel::fmi

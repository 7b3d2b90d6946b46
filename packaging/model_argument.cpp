#include "packaging/model_argument.hpp"

#include <array>
#include <fstream>
#include <string_view>
#include <system_error>

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

std::string catalogueList(const Installation& installation) {
  std::string list;
  for (const std::string& name : installation.catalogueNames()) {
    list += (list.empty() ? "" : ", ") + name;
  }
  return list.empty() ? "is empty" : "has " + list;
}

}  // namespace

ModelArgument findModel(const std::string& argument, const Installation& installation) {
  std::error_code ignored;
  if (fs::is_directory(argument, ignored)) {
    throw InputError(argument + ": is a directory, expected a model file or an FMU");
  }
  if (fs::exists(argument, ignored)) {
    return {argument, fs::path(argument).extension() == ".fmu" || isZip(argument)};
  }
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

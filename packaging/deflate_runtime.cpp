// Deflates a runtime binary once, when it is built, so that exporting copies the stream:
//   deflate_runtime platforms/x86_64-linux/trammel.so   writes trammel.so.zip beside it
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "packaging/output_file.hpp"
#include "packaging/zip_writer.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: deflate_runtime BINARY\n";
    return 1;
  }
  try {
    const std::filesystem::path binary(argv[1]);
    std::ifstream file(binary, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file || bytes.empty()) {
      std::cerr << binary.string() << ": cannot be read\n";
      return 1;
    }
    trammel::fmi::writeOutputFile(
        binary.string() + ".zip",
        trammel::fmi::zipArchive({{binary.filename().string(), bytes, true}}));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

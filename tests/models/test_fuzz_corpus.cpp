#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "model_support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

TEST_CASE("Every file of the fuzzer's corpus is compiled or refused as a model") {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(TRAMMEL_SOURCE_DIR "/tests/fuzz/corpus")) {
    INFO(entry.path().filename());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    CHECK_NOTHROW(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
    ++count;
  }
  CHECK(count >= 10);
}

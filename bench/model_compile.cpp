// Time and memory of reading and compiling a chain of N rods, written by generate_chain.py.

#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include "models/compiled_model.hpp"

namespace trammel {
namespace {

using Clock = std::chrono::steady_clock;

std::string chainOf(int rods) {
  const std::string command =
      "python3 '" TRAMMEL_SOURCE_DIR "/models/catalogue/generate_chain.py' " + std::to_string(rods);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  char buffer[65536];
  while (pipe) {
    const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe.get());
    if (count == 0) break;
    text.append(buffer, count);
  }
  return text;
}

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

std::size_t bytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void printCosts() {
  std::printf(
      "chain of N rods: reading and compiling, memory of the compiled model and one system\n");
  std::printf("%6s %10s %10s %10s %10s %12s\n", "N", "parse s", "compile s", "both s", "MB",
              "bytes/rod");
  for (const int rods : {1000, 2000, 4000}) {
    const std::string text = chainOf(rods);
    const std::size_t before = bytesInUse();
    const auto start = Clock::now();
    auto file = std::make_unique<ModelFile>(parseModel(text, "chain.toml"));
    const auto parsed = Clock::now();
    const CompiledModel model = compile(*file);
    const auto compiled = Clock::now();
    file.reset();
    const std::unique_ptr<ModelSystem> system = model.makeSystem();
    const double bytes = static_cast<double>(bytesInUse() - before);
    std::printf("%6d %10.3f %10.3f %10.3f %10.1f %12.0f\n", rods, seconds(parsed - start),
                seconds(compiled - parsed), seconds(compiled - start), bytes / 1e6, bytes / rods);
  }
}

}  // namespace
}  // namespace trammel

int main() {
  trammel::printCosts();
  return 0;
}

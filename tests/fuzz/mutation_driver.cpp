#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

// Calls LLVMFuzzerTestOneInput with mutations of the files of a corpus where the compiler has no
// libFuzzer. The input of each call stands in the file fuzz_input until the next, so that after a
// crash it is there.
//   fuzz_model CORPUS SECONDS [SEED]
//   fuzz_fmu CORPUS SECONDS [SEED]

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

class Mutator {
 public:
  Mutator(std::vector<std::string> corpus, unsigned seed)
      : corpus_(std::move(corpus)), random_(seed) {
    for (const std::string& text : corpus_)
      for (std::string& line : linesOf(text)) lines_.push_back(std::move(line));
  }

  std::string next() {
    std::string text = corpus_[below(corpus_.size())];
    const std::size_t count = 1 + below(6);
    for (std::size_t i = 0; i < count; ++i) mutate(text);
    return text;
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }

  void mutate(std::string& text) {
    static constexpr const char* words[] = {
        "0",         "-1",     "1e308",     "nan",      "inf",        "[]",
        "{}",        "\"\"",   "true",      "\"x\"",    "time",       "der(",
        "sqrt(-1)",  "1/0",    "ground",    ".x",       ".phi",       "[[1,2],[3]]",
        "=",         "\n",     "[",         "\"1 mm\"", "\"1 kg\"",   "]",
        "\"",        "lambda", "[0, 0, 0]", "<",        "/>",         "<!--",
        "<![CDATA[", "&#0;",   "&lt;",      "''",       "4294967295", "\xff\xff\xff\xff",
        "PK\1\2",    "PK\3\4", "PK\5\6",    "PK\6\7"};
    if (text.empty()) return;
    const std::size_t at = below(text.size());
    std::vector<std::string> lines;
    switch (below(7)) {
      case 0:
        text[at] = static_cast<char>(random_());
        break;
      case 1:
        text.erase(at, 1 + below(8));
        break;
      case 2:
        text.insert(at, words[below(std::size(words))]);
        break;
      case 3: {  // a value becomes a word
        const std::size_t equals = text.find("= ", at);
        if (equals == std::string::npos) break;
        const std::size_t end = std::min(text.find('\n', equals), text.size());
        text.replace(equals + 2, end - equals - 2, words[below(std::size(words))]);
        break;
      }
      case 4:  // a line of any file
        text.insert(std::min(text.find('\n', at), text.size() - 1) + 1,
                    lines_[below(lines_.size())]);
        break;
      case 5: {  // without a line
        const std::size_t begin = text.rfind('\n', at) + 1;
        text.erase(begin, std::min(text.find('\n', at), text.size() - 1) + 1 - begin);
        break;
      }
      default: {  // the value of another line
        const std::string& other = lines_[below(lines_.size())];
        const std::size_t from = other.find("= "), equals = text.find("= ", at);
        if (from == std::string::npos || equals == std::string::npos) break;
        const std::size_t end = std::min(text.find('\n', equals) + 1, text.size());
        text.replace(equals, end - equals, other.substr(from));
      }
    }
  }

  std::vector<std::string> corpus_, lines_;
  std::mt19937 random_;
};

std::vector<std::string> readFolder(const char* folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: fuzz_model|fuzz_fmu CORPUS SECONDS [SEED]\n");
    return 1;
  }
  const unsigned seed = argc > 3 ? static_cast<unsigned>(std::stoul(argv[3])) : 1;
  Mutator mutator(readFolder(argv[1]), seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::stol(argv[2]));
  long runs = 0;
  for (; std::chrono::steady_clock::now() < end; ++runs) {
    const std::string text = mutator.next();
    std::ofstream("fuzz_input", std::ios::binary) << text;
    try {
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "finding after %ld runs, see fuzz_input: %s\n", runs, error.what());
      return 2;
    }
  }
  std::printf("%ld runs without a finding\n", runs);
  return 0;
}

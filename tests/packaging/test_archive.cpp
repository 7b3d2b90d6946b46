#include "coupling/archive.hpp"

#include <catch2/catch.hpp>

#include "coupling/fmu_error.hpp"
#include "coupling/temporary_directory.hpp"
#include "packaging/zip_writer.hpp"
#include "tests/packaging/files.hpp"

using namespace trammel;
using namespace trammel::coupling;
using namespace trammel::testing;
using fmi::zipArchive;

namespace {

/// A zip file and a folder to unpack it into, one level below, so that an escape from it can be
/// seen.
struct Unpacking {
  TemporaryDirectory directory;
  std::filesystem::path zip = directory.path() / "a.zip";
  std::filesystem::path target = directory.path() / "target";

  explicit Unpacking(const std::string& bytes) {
    writeFile(zip, bytes);
    std::filesystem::create_directory(target);
  }
  void run(const ArchiveLimits& limits = {}) const { unpackArchive(zip, target, limits); }
};

/// The writer refuses bad names, so a harmless one of equal length is patched.
std::string archiveWithName(const std::string& name) {
  const std::string harmless(name.size(), 'q');
  std::string bytes = zipArchive({{harmless, "content"}});
  replaceAll(bytes, harmless, name);
  return bytes;
}

/// An archive with one entry whose central record carries this Unix mode.
std::string archiveWithMode(unsigned mode) {
  std::string bytes = zipArchive({{"entry", "target"}});
  const std::size_t attributes = bytes.find("PK\1\2") + 38;
  bytes[attributes + 2] = static_cast<char>(mode & 0xff);
  bytes[attributes + 3] = static_cast<char>(mode >> 8);
  return bytes;
}

}  // namespace

TEST_CASE("a sound archive is unpacked with its folders, contents and executable files") {
  const Unpacking unpacking(
      zipArchive({{"a/b/c.txt", "text"}, {"d.so", std::string("\0\1", 2), true}}));
  unpacking.run();
  CHECK(readFile(unpacking.target / "a/b/c.txt") == "text");
  CHECK(readFile(unpacking.target / "d.so") == std::string("\0\1", 2));
  const auto mode = std::filesystem::status(unpacking.target / "d.so").permissions();
  CHECK((mode & std::filesystem::perms::owner_exec) != std::filesystem::perms::none);
}

TEST_CASE("names that leave the folder are refused and nothing is written outside") {
  for (const char* name : {"../evil", "a/../../evil", "/evil", "..", "a\\evil", "C:evil", "a//evil",
                           "./evil", "a/./evil"}) {
    CAPTURE(name);
    const Unpacking unpacking(archiveWithName(name));
    CHECK_THROWS_AS(unpacking.run(), FmuError);
    CHECK(filesIn(unpacking.directory.path()) == std::vector<std::string>{"a.zip", "target"});
  }
}

TEST_CASE("a message names the archive and the entry") {
  const Unpacking unpacking(archiveWithName("../evil"));
  CHECK_THROWS_WITH(unpacking.run(),
                    Catch::Contains(unpacking.zip.string()) && Catch::Contains("\"../evil\""));
}

TEST_CASE("links and special files are refused") {
  CHECK_THROWS_WITH(Unpacking(archiveWithMode(0120777)).run(), Catch::Contains("symbolic link"));
  CHECK_THROWS_WITH(Unpacking(archiveWithMode(0010644)).run(), Catch::Contains("special file"));
  CHECK_NOTHROW(Unpacking(archiveWithMode(0100644)).run());
}

TEST_CASE("encrypted entries are refused") {
  std::string bytes = zipArchive({{"entry", "content"}});
  bytes[bytes.find("PK\3\4") + 6] |= 1;
  bytes[bytes.find("PK\1\2") + 8] |= 1;
  CHECK_THROWS_WITH(Unpacking(bytes).run(), Catch::Contains("encrypted"));
}

TEST_CASE("duplicate names are refused") {
  std::string bytes = zipArchive({{"first", "1"}, {"other", "2"}});
  replaceAll(bytes, "other", "first");
  CHECK_THROWS_WITH(Unpacking(bytes).run(), Catch::Contains("\"first\" occurs twice"));
}

TEST_CASE("a file that is also a folder is refused") {
  CHECK_THROWS_AS(Unpacking(zipArchive({{"a", "1"}, {"a/b", "2"}})).run(), FmuError);
}

TEST_CASE("too many entries and too much content are refused") {
  const std::string bytes =
      zipArchive({{"a", std::string(100'000, 'a')}, {"b", std::string(100'000, 'b')}});
  CHECK_NOTHROW(Unpacking(bytes).run({.maxEntries = 2, .maxTotalSize = 200'000}));
  CHECK_THROWS_WITH(Unpacking(bytes).run({.maxEntries = 1}), Catch::Contains("got 2"));
  CHECK_THROWS_WITH(Unpacking(bytes).run({.maxTotalSize = 199'999}), Catch::Contains("199999"));
}

TEST_CASE("steep compression is refused above a size that any FMU may have") {
  const std::string bytes = zipArchive({{"zeros", std::string(1'000'000, '\0')}});
  CHECK(bytes.size() < 5'000);
  CHECK_NOTHROW(Unpacking(bytes).run({.maxRatio = 100}));
  CHECK_NOTHROW(
      Unpacking(bytes).run({.maxRatio = 1100, .freeSize = 1000}));  // deflate: 1032 at most
  CHECK_THROWS_WITH(Unpacking(bytes).run({.maxRatio = 100, .freeSize = 1000}),
                    Catch::Contains("100 times"));
}

TEST_CASE("the size that counts is what comes out, not what the headers say") {
  // Both headers of a bomb claim one byte; sizes stand at 22 of the local and 24 of the central
  // record.
  std::string bytes = zipArchive({{"bomb", std::string(1'000'000, 'a')}});
  for (const std::size_t at : {bytes.find("PK\3\4") + 22, bytes.find("PK\1\2") + 24}) {
    bytes.replace(at, 4, std::string("\1\0\0\0", 4));
  }
  CHECK_THROWS_AS(Unpacking(bytes).run({.maxTotalSize = 10'000}), FmuError);
}

TEST_CASE("damaged archives are refused") {
  const std::string bytes = zipArchive({{"a", std::string(1000, 'a')}});
  CHECK_THROWS_WITH(Unpacking("no zip").run(), Catch::Contains("not a readable zip file"));
  CHECK_THROWS_AS(Unpacking(bytes.substr(0, bytes.size() - 10)).run(), FmuError);
  std::string changed = bytes;
  changed[bytes.find("PK\1\2") + 16] ^= 1;  // checksum
  CHECK_THROWS_WITH(Unpacking(changed).run(), Catch::Contains("damaged"));
}

TEST_CASE("a temporary directory is private and removed with its content") {
  std::filesystem::path path;
  {
    const TemporaryDirectory directory;
    path = directory.path();
    writeFile(path / "file", "x");
    CHECK(std::filesystem::status(path).permissions() == std::filesystem::perms::owner_all);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

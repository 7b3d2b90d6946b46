#include "packaging/output_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <stdexcept>

#include "coupling/temporary_directory.hpp"
#include "packaging/errors.hpp"
#include "tests/packaging/files.hpp"

using namespace trammel::fmi;
using namespace trammel::testing;
using trammel::coupling::TemporaryDirectory;

TEST_CASE(
    "a file is written whole, readable by others as the umask says, and nothing else is left") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "a.txt";
  writeOutputFile(path, "first");
  writeOutputFile(path, "second");
  CHECK(readFile(path) == "second");
  CHECK(filesIn(directory.path()) == std::vector<std::string>{"a.txt"});
  const mode_t mask = umask(0);
  umask(mask);
  struct stat information {};
  REQUIRE(stat(path.c_str(), &information) == 0);
  CHECK((information.st_mode & 0777) == (0666 & ~mask));
}

TEST_CASE("a file that fails its check is removed and the former one stays") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "a.txt";
  writeOutputFile(path, "former");
  const auto refuse = [&](const std::filesystem::path& written) {
    CHECK(readFile(written) == "new");
    CHECK(written.parent_path() == path.parent_path());
    throw std::runtime_error("refused");
  };
  CHECK_THROWS_WITH(writeOutputFile(path, "new", refuse), "refused");
  CHECK(readFile(path) == "former");
  CHECK(filesIn(directory.path()) == std::vector<std::string>{"a.txt"});
}

TEST_CASE("a missing folder and a folder in place of a file are refused with their names") {
  const TemporaryDirectory directory;
  const auto missing = directory.path() / "missing" / "a.txt";
  CHECK_THROWS_WITH(writeOutputFile(missing, "x"),
                    Catch::Contains(missing.string()) && Catch::Contains("does not exist"));
  CHECK_THROWS_WITH(writeOutputFile(directory.path(), "x"), Catch::Contains("is a directory"));
  CHECK_THROWS_AS(checkOutputFile(missing), InputError);
}

TEST_CASE("a link is followed and a device is not replaced") {
  const TemporaryDirectory directory;
  const auto target = directory.path() / "target.txt";
  const auto link = directory.path() / "link.txt";
  writeFile(target, "former");
  std::filesystem::create_symlink(target, link);
  writeOutputFile(link, "new");
  CHECK(readFile(target) == "new");
  CHECK(std::filesystem::is_symlink(link));
  CHECK_NOTHROW(writeOutputFile("/dev/null", "x"));
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("a link to a file that is not there makes that file, a circle of links is refused") {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "results");
  const auto link = directory.path() / "link.txt", circle = directory.path() / "circle.txt";
  std::filesystem::create_symlink("results/target.txt", link);
  writeOutputFile(link, "new");
  CHECK(readFile(directory.path() / "results/target.txt") == "new");
  CHECK(std::filesystem::is_symlink(link));
  std::filesystem::create_symlink("circle.txt", circle);
  CHECK_THROWS_AS(writeOutputFile(circle, "x"), InputError);
}

TEST_CASE("a temporary file that a killed process of the same number left is no hindrance") {
  const TemporaryDirectory directory;
  const auto left = directory.path() / (".a.txt." + std::to_string(getpid()) + ".part");
  writeFile(left, "half");
  writeOutputFile(directory.path() / "a.txt", "whole");
  CHECK(readFile(directory.path() / "a.txt") == "whole");
  CHECK(readFile(left) == "half");
  CHECK(filesIn(directory.path()).size() == 2);
}

TEST_CASE("a device in a folder that cannot be written is written to") {
  CHECK_NOTHROW(checkOutputFile("/dev/stderr"));
  CHECK_THROWS_WITH(writeOutputFile("/dev/full", "x"), Catch::Contains("No space left on device"));
}

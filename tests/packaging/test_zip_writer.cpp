#include <catch2/catch.hpp>
#include <cstdint>

#include "coupling/temporary_directory.hpp"
#include "packaging/zip_writer.hpp"
#include "solver/error.hpp"
#include "tests/packaging/files.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::testing;

namespace {

const std::vector<ZipEntry> someFiles{{"modelDescription.xml", std::string(5000, 'x')},
                                      {"binaries/linux64/a.so", std::string(300, '\0'), true},
                                      {"resources/empty", ""}};

std::uint32_t number(const std::string& bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

/// Offsets of the records with this signature (PKWARE APPNOTE 4.3.7 and 4.3.12).
std::vector<std::size_t> records(const std::string& bytes, const std::string& signature) {
  std::vector<std::size_t> found;
  for (std::size_t at = bytes.find(signature); at != std::string::npos;
       at = bytes.find(signature, at + 1)) {
    found.push_back(at);
  }
  return found;
}

}  // namespace

TEST_CASE("equal files give equal bytes in whatever order they are given") {
  std::vector<ZipEntry> reversed(someFiles.rbegin(), someFiles.rend());
  CHECK(zipArchive(someFiles) == zipArchive(reversed));
  CHECK(zipArchive(someFiles) == zipArchive(someFiles));
}

TEST_CASE("local headers keep the zip rules of FMI: version 2.0, no descriptor, fixed date") {
  const std::string bytes = zipArchive(someFiles);
  const auto locals = records(bytes, "PK\3\4");
  REQUIRE(locals.size() == someFiles.size());
  for (const std::size_t at : locals) {
    CHECK(number(bytes, at + 4, 2) <= 20);             // version needed to extract, 2.0
    CHECK((number(bytes, at + 6, 2) & 0x2009u) == 0);  // not encrypted, no data descriptor
    const std::uint32_t method = number(bytes, at + 8, 2);
    CHECK((method == 0 || method == 8));
    CHECK(number(bytes, at + 10, 2) == 0);       // 00:00:00
    CHECK(number(bytes, at + 12, 2) == 0x0021);  // 1980-01-01
    CHECK(number(bytes, at + 28, 2) == 0);       // no extra field, so no zip64
  }
}

TEST_CASE("the central directory is sorted by name and tells permissions") {
  const std::string bytes = zipArchive(someFiles);
  const auto central = records(bytes, "PK\1\2");
  REQUIRE(central.size() == someFiles.size());
  std::vector<std::string> names;
  for (const std::size_t at : central) {
    names.push_back(bytes.substr(at + 46, number(bytes, at + 28, 2)));
    const bool isBinary = names.back().ends_with(".so");
    CHECK(number(bytes, at + 38, 4) >> 16 == (isBinary ? 0100755u : 0100644u));
    CHECK(number(bytes, at + 30, 2) == 0);  // no extra field
  }
  CHECK(names == std::vector<std::string>{"binaries/linux64/a.so", "modelDescription.xml",
                                          "resources/empty"});
}

TEST_CASE("content that repeats is deflated") {
  CHECK(zipArchive({{"a", std::string(1'000'000, 'a')}}).size() < 10'000);
}

TEST_CASE("entry names that are no relative file names are refused") {
  for (const char* name : {"", "/etc/passwd", "a\\b", "folder/"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(zipArchive({{name, "x"}}), Error);
  }
  CHECK_THROWS_WITH(zipArchive({{"a", "1"}, {"a", "2"}}), Catch::Contains("\"a\" occurs twice"));
}

TEST_CASE("a stream that was deflated before gives the same archive") {
  const coupling::TemporaryDirectory directory;
  const auto packed = directory.path() / "packed.zip";
  std::string bytes;
  for (int i = 0; i < 20'000; ++i) bytes += std::to_string(i * 7919 % 1013);
  writeFile(packed, zipArchive({{"trammel.so", bytes, true}}));
  const auto binary = directory.path() / "b.so";
  writeFile(binary, bytes);
  CHECK(isPackedForm(packed, binary));
  CHECK_FALSE(isPackedForm(directory.path() / "missing.zip", binary));
  CHECK_FALSE(isPackedForm(packed, directory.path() / "missing.so"));
  writeFile(binary, bytes + 'x');
  CHECK_FALSE(isPackedForm(packed, binary));
  std::string other = bytes;
  other[10'000] ^= 1;
  writeFile(binary, other);
  CHECK_FALSE(isPackedForm(packed, binary));
  std::vector<ZipEntry> copied = someFiles;
  copied.push_back({"binaries/linux64/b.so", "", true, packed});
  std::vector<ZipEntry> deflated = someFiles;
  deflated.push_back({"binaries/linux64/b.so", bytes, true});
  const auto path = directory.path() / "a.zip";
  std::string archive = zipArchive(copied);
  CHECK(archive == zipArchive(deflated));
  writeFile(path, archive);
  CHECK_NOTHROW(verifyZipArchive(path, copied));
  CHECK_NOTHROW(verifyZipArchive(path, deflated));
  CHECK(zipEntryContent(path, "binaries/linux64/b.so", bytes.size()) == bytes);
  CHECK(zipEntryContent(path, "binaries/linux64/b.so", bytes.size() - 1).empty());
  archive[archive.find("b.so") + 100] ^= 1;
  writeFile(path, archive);
  CHECK_THROWS_AS(verifyZipArchive(path, copied), Error);
}

TEST_CASE("a written archive is verified entry by entry") {
  const coupling::TemporaryDirectory directory;
  const auto path = directory.path() / "a.zip";
  std::string bytes = zipArchive(someFiles);
  writeFile(path, bytes);
  CHECK_NOTHROW(verifyZipArchive(path, someFiles));

  SECTION("a file with one byte changed is found out") {
    bytes[bytes.find("PK\3\4") + 40 + 10] ^= 0x55;
    writeFile(path, bytes);
    CHECK_THROWS_AS(verifyZipArchive(path, someFiles), Error);
  }
  SECTION("a cut file is found out") {
    writeFile(path, bytes.substr(0, bytes.size() / 2));
    CHECK_THROWS_AS(verifyZipArchive(path, someFiles), Error);
  }
  SECTION("a missing entry is found out") {
    auto more = someFiles;
    more.push_back({"other", "x"});
    CHECK_THROWS_AS(verifyZipArchive(path, more), Error);
  }
}

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "packaging/check/binary_file.hpp"
#include "packaging/check/check_zip.hpp"
#include "packaging/check/checks.hpp"
#include "packaging/check/rules.hpp"
#include "packaging/check/xml_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

using namespace trammel;
using namespace trammel::fmi::check;

namespace {

std::string readFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void replay(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

/// Little-endian bytes of a number.
std::string little(std::uint64_t value, std::size_t length) {
  std::string bytes;
  for (std::size_t i = 0; i < length; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

/// A 64-bit DLL with one section at address 0x1000 that exports "f" and imports from "q.dll".
std::string smallImage() {
  std::string bytes(0x300, '\0');
  const auto put = [&](std::size_t at, const std::string& text) {
    bytes.replace(at, text.size(), text);
  };
  put(0, "MZ");
  put(0x3c, little(0x40, 4));
  put(0x40, "PE");
  put(0x44, little(0x8664, 2) + little(1, 2));    // machine, sections
  put(0x54, little(240, 2) + little(0x2000, 2));  // size of the optional header, a library
  put(0x58, little(0x20b, 2));                    // 64-bit
  put(0x58 + 112, little(0x1000, 4));             // exports
  put(0x58 + 120, little(0x1040, 4));             // imports
  const std::size_t section = 0x58 + 240;
  put(section + 8, little(0x100, 4) + little(0x1000, 4) + little(0x100, 4) + little(0x200, 4));
  put(0x200 + 24, little(1, 4));       // one name
  put(0x200 + 32, little(0x1080, 4));  // list of names
  put(0x200 + 0x80, little(0x1090, 4));
  put(0x200 + 0x90, "f");
  put(0x200 + 0x40 + 12, little(0x10a0, 4));
  put(0x200 + 0xa0, "q.dll");
  return bytes;
}

}  // namespace

TEST_CASE("every file of the fuzzer's corpus and every beginning of it is checked or refused") {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(TRAMMEL_SOURCE_DIR "/tests/fuzz/corpus_fmu")) {
    const std::string bytes = readFile(entry.path());
    INFO(entry.path().filename());
    CHECK_NOTHROW(replay(bytes));
    for (std::size_t size = 0; size < bytes.size(); size += bytes.size() / 16 + 1)
      CHECK_NOTHROW(replay(bytes.substr(0, size)));
    ++count;
  }
  CHECK(count >= 7);
}

TEST_CASE("the library of this program is read as what it is") {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(self), std::istreambuf_iterator<char>()};
  const BinaryFile binary = readBinary(bytes);
  CHECK(binary.format == BinaryFormat::elf);
  CHECK(binary.machines.size() == 1);
  CHECK(binary.needed.contains("libc.so.6"));
  CHECK(compareVersions(binary.newestGlibc, "2.17") >= 0);
  CHECK_FALSE(binary.executableStack);
}

TEST_CASE("a library for Windows tells machine, exports and imports") {
  const BinaryFile binary = readBinary(smallImage());
  CHECK(binary.format == BinaryFormat::portableExecutable);
  CHECK(binary.machines == std::set<std::string>{"x86_64"});
  CHECK(binary.shared);
  CHECK(binary.exports == std::set<std::string>{"f"});
  CHECK(binary.needed == std::set<std::string>{"q.dll"});
}

TEST_CASE("headers that point outside of a binary are refused") {
  for (const std::size_t at : {0x3cU, 0x46U, 0xc8U, 0xd0U, 0x154U}) {
    std::string bytes = smallImage();
    bytes.replace(at, 2, "\xff\xff");
    CAPTURE(at);
    CHECK_THROWS_AS(readBinary(bytes), BinaryError);
  }
  CHECK_THROWS_AS(readBinary("\x7f"
                             "ELF"),
                  BinaryError);
}

TEST_CASE("versions are compared by their numbers") {
  CHECK(compareVersions("2.9", "2.28") < 0);
  CHECK(compareVersions("2.28", "2.28") == 0);
  CHECK(compareVersions("2.2.5", "2.2") > 0);
  CHECK(compareVersions("", "2.0") < 0);
}

TEST_CASE("names follow the grammar of the convention structured") {
  // The first five are the examples of the standard.
  for (const char* name : {"vehicle.engine.speed", "resistor12.u", "v_min",
                           "robot.axis.'motor #234'", "der(pipe[3,4].T[14],2)", "'\\''", "a[1]"}) {
    CAPTURE(name);
    CHECK(isStructuredName(name));
  }
  for (const char* name : {"", "2a", "a.", ".a", "a b", "a[]", "a[1", "der(a", "der(a,)", "''",
                           "'a", "a..b", "der(der(a))", "a[x]", "'\\q'"}) {
    CAPTURE(name);
    CHECK_FALSE(isStructuredName(name));
  }
}

TEST_CASE("only well-formed UTF-8 is accepted") {
  CHECK(isUtf8("a\xc3\xa4\xe2\x82\xac\xf0\x9d\x84\x9e"));
  // Cut, overlong, surrogate, beyond the last character, alone.
  for (const char* text :
       {"\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80", "\xff"})
    CHECK_FALSE(isUtf8(text));
}

TEST_CASE("markup inside of comments, values and CDATA does not nest") {
  FindingList findings;
  CHECK(isSafeXml("a.xml", "<a b='<c>'><!-- <!DOCTYPE --><![CDATA[<!DOCTYPE]]></a>", findings));
  CHECK(findings.findings().empty());
  CHECK_FALSE(isSafeXml("a.xml", "<a><!ENTITY b 'c'></a>", findings));
  CHECK(findings.has("xml-doctype"));
}

TEST_CASE("a long list of findings is cut and counted") {
  FindingList findings;
  for (std::size_t i = 0; i < FindingList::maxOfOneRule + 5; ++i)
    findings.add("xml-schema", {"a.xml", i}, "text");
  CHECK(findings.findings().size() == FindingList::maxOfOneRule);
  CHECK(findings.left() == 5);
  CHECK_THROWS_AS(findings.add("no-rule", {}, ""), Error);
}

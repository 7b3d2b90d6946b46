#include <catch2/catch.hpp>

#include "fmu_src/resources.hpp"

using namespace trammel::fmi;

TEST_CASE("a file URI is read with and without authority") {
  CHECK(pathFromUri("file:///tmp/a/resources") == "/tmp/a/resources");
  CHECK(pathFromUri("file:/tmp/a/resources") == "/tmp/a/resources");
  CHECK(pathFromUri("file://localhost/tmp/a/resources") == "/tmp/a/resources");
  CHECK(pathFromUri("FILE:///tmp/a") == "/tmp/a");
}

TEST_CASE("per cent codes of a URI are decoded, also those of UTF-8") {
  CHECK(pathFromUri("file:///tmp/a%20b/resources") == "/tmp/a b/resources");
  CHECK(pathFromUri("file:///tmp/%C3%BCbung%2Bx") ==
        "/tmp/\xC3\xBC"
        "bung+x");
  CHECK(pathFromUri("file:///tmp/100%25") == "/tmp/100%");
}

TEST_CASE("a plain path is taken as it is") {
  CHECK(pathFromUri("/tmp/a%20b/resources") == "/tmp/a%20b/resources");
  CHECK(resourceDirectory(Version::fmi3, "/tmp/a%20b/resources/") == "/tmp/a%20b/resources/");
}

TEST_CASE("a wrong resource location is refused by what is wrong with it") {
  CHECK_THROWS_WITH(pathFromUri("https://example.org/x"), Catch::Contains("unknown scheme"));
  CHECK_THROWS_WITH(pathFromUri("file://server/share"), Catch::Contains("host \"server\""));
  CHECK_THROWS_WITH(pathFromUri("file:///tmp/a%2"), Catch::Contains("two hexadecimal digits"));
  CHECK_THROWS_WITH(pathFromUri("file:///tmp/a%zz"), Catch::Contains("two hexadecimal digits"));
  CHECK_THROWS_WITH(pathFromUri("file:///tmp/%00"), Catch::Contains("%00"));
  CHECK_THROWS_WITH(pathFromUri("file://"), Catch::Contains("no path"));
}

#include "packaging/csv_writer.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <charconv>
#include <limits>
#include <sstream>

using trammel::fmi::CsvWriter;

TEST_CASE("a header quotes names with commas and quotes only") {
  std::ostringstream stream;
  const std::array<std::string, 3> names{"time", "der(x,2)", "'a\"b'"};
  CsvWriter(stream).writeHeader(names);
  CHECK(stream.str() == "time,\"der(x,2)\",\"'a\"\"b'\"\n");
}

TEST_CASE("numbers are short and read back bit for bit") {
  std::ostringstream stream;
  const std::array<double, 3> simple{0.1, 1e-6, -3};
  CsvWriter(stream).writeRow(simple);
  CHECK(stream.str() == "0.1,1e-06,-3\n");
  using Limits = std::numeric_limits<double>;
  for (const double value :
       {0.1 + 0.2, 1.0 / 3, Limits::min(), Limits::denorm_min(), Limits::max()}) {
    std::ostringstream line;
    CsvWriter(line).writeRow(std::array{value});
    const std::string text = line.str();
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    CHECK(back == value);
  }
}

#include <zlib.h>

#include <catch2/catch.hpp>
#include <pugixml.hpp>

#include "packaging/model_icon.hpp"
#include "packaging/page.hpp"
#include "packaging/presentation_files.hpp"
#include "packaging/raster_image.hpp"
#include "tests/packaging/files.hpp"
#include "tests/packaging/models.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::testing;

namespace {

CompiledModel catalogueModel(const char* name) {
  return compile(readModelFile(cataloguePath(name)));
}

struct Image {
  unsigned width = 0, height = 0;
  std::string rows;  // of RGB, each after a byte for the filter

  unsigned value(unsigned x, unsigned y, unsigned channel) const {
    return static_cast<unsigned char>(rows.at(y * (3 * width + 1) + 1 + 3 * x + channel));
  }
};

unsigned bigEndian(const std::string& bytes, std::size_t at) {
  unsigned value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8U | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

/// Reads a PNG of 8 bits and RGB as the PNG specification says; checks the sums of all chunks.
Image readPng(const std::string& png) {
  REQUIRE(png.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  Image image;
  std::string packed;
  for (std::size_t at = 8; at < png.size();) {
    const std::size_t length = bigEndian(png, at);
    const std::string type = png.substr(at + 4, 4), data = png.substr(at + 8, length);
    const std::string body = type + data;
    CHECK(bigEndian(png, at + 8 + length) ==
          crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())));
    if (type == "IHDR") {
      image.width = bigEndian(data, 0);
      image.height = bigEndian(data, 4);
      CHECK(data.substr(8) == std::string("\x08\x02\x00\x00\x00", 5));
    }
    if (type == "IDAT") packed += data;
    at += 12 + length;
  }
  uLongf size = uLongf{image.height} * (uLongf{3} * image.width + 1);
  image.rows.resize(size);
  REQUIRE(uncompress(reinterpret_cast<Bytef*>(image.rows.data()), &size,
                     reinterpret_cast<const Bytef*>(packed.data()),
                     static_cast<uLong>(packed.size())) == Z_OK);
  REQUIRE(size == image.rows.size());
  return image;
}

std::string fileNamed(const std::vector<ZipEntry>& files, const std::string& name) {
  for (const ZipEntry& file : files)
    if (file.name == name) return file.bytes;
  return "";
}

}  // namespace

TEST_CASE("shapes are drawn where they are, with half tones on their edges") {
  Drawing drawing({0, 0}, {1, 1}, {20, 10, true});
  drawing.circle({20, 20}, 5, Paint::area({0, 0, 0}));
  drawing.line({2.0, 2.5}, {12.0, 2.5}, Paint::line({255, 0, 0}, 1));
  const Image image = readPng(pngImage(drawing));
  CHECK(image.width == 40);
  CHECK(image.height == 40);
  CHECK(image.value(20, 20, 0) == 0);
  CHECK(image.value(30, 30, 0) == 255);
  // The area of the disc, 25 π pixels, is what the white lacks.
  double dark = 0;
  for (unsigned y = 10; y < 30; ++y)
    for (unsigned x = 10; x < 30; ++x) dark += 1 - image.value(x, y, 0) / 255.0;
  CHECK(dark == Approx(25 * M_PI).epsilon(0.01));
  CHECK(image.value(6, 2, 0) == 255);
  CHECK(image.value(6, 2, 1) == 0);  // red
  CHECK(image.value(6, 4, 1) == 255);
}

TEST_CASE("every model of the catalogue has a square icon with something on it") {
  for (const char* name : {"pendulum", "four_bar", "robot_arm", "chain", "wang_hou", "crane"}) {
    INFO(name);
    const CompiledModel model = catalogueModel(name);
    Vector q(model.coordinateCount()), v(model.coordinateCount());
    model.makeSystem()->startValues(q, v);
    const std::string png = pngImage(modelIcon(model, q));
    const Image image = readPng(png);
    CHECK(image.width == iconSize);
    CHECK(image.height == iconSize);
    int inked = 0;
    for (unsigned y = 0; y < image.height; ++y)
      for (unsigned x = 0; x < image.width; ++x) inked += image.value(x, y, 2) < 200 ? 1 : 0;
    CHECK(inked > 300);
    CHECK(png == pngImage(modelIcon(model, q)));
  }
}

TEST_CASE("the icon lies where each version of FMI looks for it") {
  const CompiledModel model = catalogueModel("four_bar");
  const auto fmi3 = presentationFiles(model, {FmiVersion::fmi3, {"x86_64-linux"}}, nullptr);
  CHECK_FALSE(fileNamed(fmi3, "terminalsAndIcons/icon.png").empty());
  CHECK_THAT(fileNamed(fmi3, "terminalsAndIcons/icon.svg"), Catch::StartsWith("<svg "));
  pugi::xml_document document;
  REQUIRE(document.load_string(fileNamed(fmi3, "terminalsAndIcons/terminalsAndIcons.xml").c_str()));
  CHECK(document.select_node("/fmiTerminalsAndIcons/GraphicalRepresentation/Icon").node());
  const auto fmi2 = presentationFiles(model, {FmiVersion::fmi2, {"x86_64-linux"}}, nullptr);
  CHECK(fileNamed(fmi2, "model.png") == fileNamed(fmi3, "terminalsAndIcons/icon.png"));
}

TEST_CASE("the page is the same for the same model and run, and there without a run") {
  const CompiledModel model = catalogueModel("four_bar");
  const ReferenceRun run = referenceRun(model);
  const DocumentationOptions options{FmiVersion::fmi3, {"x86_64-linux"}};
  const std::string page = documentationPage(model, options, &run);
  CHECK(page == documentationPage(model, options, &run));
  CHECK_THAT(page, Catch::Contains("id=\"stage\"") && Catch::Contains("id=\"charts\""));
  const std::string bare = documentationPage(model, options, nullptr);
  CHECK_THAT(bare, !Catch::Contains("id=\"stage\"") && Catch::Contains("class=\"sketch\""));
}

TEST_CASE("texts and numbers are written as JSON in a script may have them") {
  CHECK(jsonText("a\"b\\c</script>\n") == "\"a\\\"b\\\\c\\u003c/script\\u003e\\u000a\"");
  CHECK(jsonNumber(1.0 / 3) == "0.333333");
  CHECK(jsonNumber(-1e-7) == "-1e-07");
  CHECK(jsonNumber(-0.0) == "0");
  CHECK(jsonNumber(std::nan("")) == "null");
  CHECK(fixedNumber(-0.00001, 3) == "0");
  CHECK(fixedNumber(1.5, 3) == "1.5");
  CHECK(fixedNumber(100, 0) == "100");
  CHECK(filled("{{a}} {{b}} {{c", {{"a", "{{b}}"}, {"b", "2"}}) == "{{b}} 2 {{c");
}

TEST_CASE("thinned data keep the last row") {
  const PlotData data{{0, 1, 2, 3, 4, 5}, {{"x", "m", "", "output", {0, 1, 4, 9, 16, 25}}}};
  const PlotData thin = thinned(data, 2);
  CHECK(thin.times == std::vector<double>{0, 2, 4, 5});
  CHECK(thin.columns[0].values == std::vector<double>{0, 4, 16, 25});
}

#include <catch2/catch.hpp>
#include <fstream>
#include <vector>

#include "model_support.hpp"

namespace trammel {
namespace {

/// A table of the frame around a fragment; left out where the fragment has one of that header.
struct Section {
  std::string header, body;
};

const std::vector<Section> equationsFrame{
    {"[parameters]",
     "L = 1.0\nL0 = 0.4\nk = 50.0\nm = 1.0\nm1 = 1.0\nm2 = 0.1\nc = 0.3\nphi0 = 0.2\n"},
    {"[inputs]", "F = {}\n"},
    {"[coordinates.x]", "mass = 1.0\nstart = 1.0\n"},
    {"[coordinates.y]", "mass = 1.0\nstart = 0.5\n"},
    {"[coordinates.phi]", "mass = 1.0\n"},
    {"[constraints.rod]", "expression = \"x^2 + y^2 - 1.25\"\n"}};

const std::vector<Section> spatialFrame{
    {"[parameters]", "L = 1.0\n"},
    {"[inputs]", "u = {}\n"},
    {"[bodies.arm]", "mass = 1.0\ninertia = [0.1, 0.1, 0.1]\n"},
    {"[bodies.wheel]", "mass = 1.0\ninertia = [0.1, 0.1, 0.1]\nposition = [0.5, 0.0, 0.0]\n"},
    {"[bodies.slider]", "mass = 1.0\ninertia = [0.1, 0.1, 0.1]\n"},
    {"[bodies.bob]", "type = \"point\"\nmass = 1.0\nposition = [0.0, 0.5, 1.0]\n"},
    {"[frames.tip]", "body = \"arm\"\nposition = [0.5, 0.0, 0.0]\n"},
    {"[joints.hinge]", "type = \"revolute\"\nb = \"arm\"\naxis = [0.0, 1.0, 0.0]\n"},
    {"[joints.axle]", "type = \"revolute\"\na = \"tip\"\nb = \"wheel\"\naxis = [0.0, 1.0, 0.0]\n"},
    {"[joints.guide]", "type = \"prismatic\"\nb = \"slider\"\naxis = [1.0, 0.0, 0.0]\n"}};

const std::vector<Section> planarFrame{
    {"[bodies.arm]", "mass = 1.0\ninertia = 0.1\n"},
    {"[bodies.wheel]", "mass = 1.0\ninertia = 0.1\nposition = [0.5, 0.0]\n"}};

/// What stands between ```toml and ``` in the document.
struct Block {
  std::string text;
  int line = 0;
  bool mechanism = false;  // stands in the part about mechanisms
};

std::vector<Block> blocksOf(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file.good());
  std::vector<Block> blocks;
  bool inside = false, mechanism = false;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.rfind("## ", 0) == 0) mechanism = line.find("mechanism") != std::string::npos;
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back().text += line + '\n';
    } else if (line == "```toml") {
      inside = true;
      blocks.push_back({"", number + 1, mechanism});
    }
  }
  return blocks;
}

/// The fragment comes first, behind the head, because it may begin with keys of no table.
std::string completed(const Block& block) {
  if (block.text.find("trammel = 1") != std::string::npos) return block.text;
  const bool planar = block.text.find("planar = true") != std::string::npos;
  const std::vector<Section>& frame =
      !block.mechanism ? equationsFrame : (planar ? planarFrame : spatialFrame);
  const std::string kind = block.mechanism ? "mechanism" : "equations";
  std::string text =
      "trammel = 1\nkind = \"" + kind + "\"\nname = \"Fragment\"\n" + block.text + '\n';
  for (const Section& section : frame) {
    if (block.text.find(section.header + "\n") == std::string::npos)
      text += section.header + '\n' + section.body;
  }
  return text;
}

}  // namespace

TEST_CASE("Every example of the description of the format compiles") {
  const auto blocks = blocksOf(std::string(TRAMMEL_SOURCE_DIR) + "/docs/model_format.md");
  CHECK(blocks.size() >= 30);
  for (const Block& block : blocks) {
    const std::string error = compileError(completed(block));
    INFO("block in line " << block.line << ":\n" << completed(block) << "\n" << error);
    CHECK(error.empty());
  }
}

TEST_CASE("Every type of joint and force has an example in the description of the format") {
  std::string text;
  for (const Block& block : blocksOf(std::string(TRAMMEL_SOURCE_DIR) + "/docs/model_format.md"))
    text += block.text;
  for (const char* type :
       {"fixed",          "revolute", "prismatic",       "cylindrical",   "spherical",
        "universal",      "planar",   "distance",        "point_on_line", "point_on_circle",
        "screw",          "gear",     "rack_and_pinion", "motion",        "spring",
        "torsion_spring", "force",    "torque",          "actuator",      "bushing",
        "beam",           "stop",     "contact",         "friction",      "flange",
        "point",          "frame"}) {
    INFO(type);
    CHECK(text.find("type = \"" + std::string(type) + "\"") != std::string::npos);
  }
}

}  // namespace trammel

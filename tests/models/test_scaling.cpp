#include <catch2/catch.hpp>
#include <sstream>

#include "model_support.hpp"
#include "models/equations_system.hpp"
#include "models/model_data.hpp"

namespace trammel {

namespace {

/// N rods of 1 m in a plane, each with three coordinates and joined to the one before by two
/// constraints.
std::string chainText(int rods) {
  std::ostringstream text;
  text << "trammel = 1\nkind = \"equations\"\nname = \"Chain\"\n"
       << "[parameters]\nm = 1\nL = 1\ng = 9.81\n";
  for (int i = 1; i <= rods; ++i) {
    text << "[coordinates.x" << i << "]\nstart = " << i - 0.5 << "\nmass = \"m\"\n"
         << "[coordinates.y" << i << "]\nmass = \"m\"\nforce = \"-m*g\"\n"
         << "[coordinates.a" << i << "]\nmass = \"m*L^2/12\"\n";
    text << "[constraints.jx" << i << "]\nexpression = \"x" << i << " - L/2*cos(a" << i << ")";
    if (i > 1) text << " - x" << i - 1 << " - L/2*cos(a" << i - 1 << ")";
    text << "\"\n[constraints.jy" << i << "]\nexpression = \"y" << i << " - L/2*sin(a" << i << ")";
    if (i > 1) text << " - y" << i - 1 << " - L/2*sin(a" << i - 1 << ")";
    text << "\"\n";
  }
  return text.str();
}

struct Size {
  std::size_t instructions = 0;
  std::size_t entries = 0;
};

Size sizeOf(const std::string& text) {
  const ModelFile file = parseModel(text, "chain.toml");
  CompiledModel::Data data;
  compileEquations(file, std::get<EquationsPart>(file.part), data);
  const auto& program = std::get<EquationsProgram>(data.program);
  Size size;
  for (const Tape* tape :
       {&program.forceBalance, &program.constraint, &program.constraintRate,
        &program.constraintAcceleration, &program.linearisation, &program.massAndGradient}) {
    size.instructions += tape->instructionCount();
  }
  for (const SparsePattern* pattern : {&program.M, &program.C, &program.K, &program.G})
    size.entries += pattern->entryCount();
  return size;
}

}  // namespace

TEST_CASE("Instructions and matrix entries of a chain grow in proportion to its length") {
  const Size a = sizeOf(chainText(50)), b = sizeOf(chainText(100)), c = sizeOf(chainText(350));
  CHECK(b.instructions - a.instructions == 50 * ((c.instructions - b.instructions) / 250));
  CHECK((c.instructions - b.instructions) % 250 == 0);
  CHECK((c.instructions - b.instructions) / 250 <
        150);  // instructions of a rod in all tapes together
  // Entries of a rod: 3 of M, 1 of K (the angle, twice differentiated), 2·4 of G.
  CHECK(c.entries - b.entries == 3000);
  CHECK(b.entries - a.entries == 600);
}

TEST_CASE("A sum over all coordinates is differentiated in one walk") {
  const auto text = [](int n) {
    std::string result = "trammel = 1\nkind = \"equations\"\nname = \"Sum\"\n", sum;
    for (int i = 0; i < n; ++i) {
      const std::string x = "x" + std::to_string(i);
      result += "[coordinates." + x + "]\nmass = 1\nstart = 1\n";
      sum += (i == 0 ? "" : " + ") + x + "^2";
    }
    return result + "[constraints.sphere]\nexpression = \"" + sum + "\"\n";
  };
  const Size a = sizeOf(text(100)), b = sizeOf(text(200)), c = sizeOf(text(2000));
  CHECK(18 * (b.instructions - a.instructions) == c.instructions - b.instructions);
  CHECK(c.entries == 6000);  // diagonals of M and K, one row of G
}

}  // namespace trammel

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "model_support.hpp"

namespace trammel {

TEST_CASE("Entries keep the order of the file and every value knows its line") {
  const ModelFile file = parseModel(
      "trammel = 1\n"                                                  // 1
      "kind = \"equations\"\n"                                         // 2
      "name = \"Order\"\n"                                             // 3
      "description = \"two lines\\nhere\"\n"                           // 4
      "[coordinates.z]\n"                                              // 5
      "mass = 1\n"                                                     // 6
      "\n"                                                             // 7
      "start = \"b\"\n"                                                // 8
      "[coordinates.a]\n"                                              // 9
      "mass = \"2*b\"\n"                                               // 10
      "[parameters]\n"                                                 // 11
      "c = { value = 3, unit = \"kg\", variability = \"tunable\" }\n"  // 12
      "b = 4.5\n"                                                      // 13
      "[solver]\n"                                                     // 14
      "max_order = 4\n",                                               // 15
      "order.toml");
  CHECK(file.source == "order.toml");
  CHECK(file.name == "Order");
  CHECK(file.description == "two lines\nhere");
  REQUIRE(file.parameters.size() == 2);
  CHECK(file.parameters[0].name == "c");
  CHECK(file.parameters[0].line == 12);
  CHECK(file.parameters[0].unit->value == "kg");
  CHECK(file.parameters[0].tunable);
  CHECK(file.parameters[1].name == "b");
  CHECK(file.parameters[1].value.value == 4.5);
  CHECK(file.parameters[1].value.line == 13);
  CHECK_FALSE(file.parameters[1].tunable);
  const auto& part = std::get<EquationsPart>(file.part);
  REQUIRE(part.coordinates.size() == 2);
  CHECK(part.coordinates[0].name == "z");
  CHECK(part.coordinates[0].line == 5);
  CHECK(std::get<std::string>(part.coordinates[0].start.value) == "b");
  CHECK(part.coordinates[0].start.line == 8);
  CHECK(std::get<double>(part.coordinates[0].mass.value) == 1);
  CHECK(part.coordinates[1].name == "a");
  CHECK(part.coordinates[1].mass.line == 10);
  CHECK(file.solver.maxOrder->value == 4);
  CHECK(file.solver.maxOrder->line == 15);
}

TEST_CASE("Lines are counted with Windows line ends too") {
  CHECK(compileError("trammel = 1\r\nkind = \"equations\"\r\nname = "
                     "\"W\"\r\n[coordinates.x]\r\nmass = -1\r\n") ==
        "test.toml:5: coordinate \"x\": mass must be > 0, is -1");
}

TEST_CASE("Numbers are in the declared unit, expressions in SI units") {
  const CompiledModel model = compileText(R"(
trammel = 1
kind = "equations"
name = "Units"
[parameters]
d = { value = 10, unit = "mm", min = 1, max = 100 }
T = { value = 20, unit = "degC" }
[inputs]
F = { unit = "kN", start = 2, nominal = 5 }
[coordinates.x]
unit = "mm"
start = 30
start_velocity = 40
nominal = 50
mass = 1
[coordinates.y]
unit = "mm"
start = "d"
mass = 1
)");
  const VariableTable& table = model.variables();
  CHECK(*table.find("d")->start == Approx(0.01).epsilon(1e-15));
  CHECK(*table.find("d")->min == Approx(0.001).epsilon(1e-15));
  CHECK(*table.find("d")->max == Approx(0.1).epsilon(1e-15));
  CHECK(*table.find("T")->start == Approx(293.15).epsilon(1e-15));
  CHECK(*table.find("F")->start == 2000);
  CHECK(*table.find("F")->nominal == 5000);
  CHECK(*table.find("x")->start == Approx(0.03).epsilon(1e-15));
  CHECK(*table.find("x")->nominal == Approx(0.05).epsilon(1e-15));
  CHECK(*table.find("der(x)")->start == Approx(0.04).epsilon(1e-15));
  CHECK(*table.find("y")->start == *table.find("d")->start);
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  CHECK(system->coordinateNominal(0) == Approx(0.05).epsilon(1e-15));
  CHECK(system->coordinateNominal(1) == 1);
}

TEST_CASE("The token depends on every byte of the text and on nothing else") {
  const std::string text = freeMass();
  const std::string token = compileText(text).token();
  CHECK(token == compile(parseModel(text, "other.toml")).token());
  CHECK(token != compileText(text + "\n").token());
  CHECK(token != compileText(text + "#").token());
  REQUIRE(token.size() == 38);
  const std::string pattern = "{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}";
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool isHex = std::string("0123456789abcdef").find(token[i]) != std::string::npos;
    CHECK((pattern[i] == 'x' ? isHex : token[i] == pattern[i]));
  }
  // Equal on every machine: written down once.
  CHECK(compileText(freeMass()).token() == "{e6209484-963c-5756-e1ba-690b533b91df}");
}

TEST_CASE("The identifier is the name as a C identifier") {
  const std::pair<const char*, const char*> cases[] = {{"Pendulum", "Pendulum"},
                                                       {"Slider crank (2)", "Slider_crank_2"},
                                                       {"3-D top", "_3_D_top"},
                                                       {"Größe", "Gr_e"},
                                                       {"__x", "x"},
                                                       {"???", "model"}};
  for (const auto& [name, identifier] : cases) {
    const CompiledModel model =
        compileText(std::string("trammel = 1\nkind = \"equations\"\nname = \"") + name +
                    "\"\n[coordinates.x]\nmass = 1\n");
    CHECK(model.name() == name);
    CHECK(model.identifier() == identifier);
  }
  const CompiledModel longName =
      compileText("trammel = 1\nkind = \"equations\"\nname = \"" + std::string(150, 'a') +
                  "\"\n[coordinates.x]\nmass = 1\n");
  CHECK(longName.identifier() == std::string(64, 'a'));
}

TEST_CASE("Experiment and solver settings have defaults and follow each other's tolerance") {
  const CompiledModel plain = compileText(freeMass());
  CHECK(plain.defaultExperiment().startTime == 0);
  CHECK(plain.defaultExperiment().stopTime == 1);
  CHECK(plain.defaultExperiment().stepSize == 0.01);
  CHECK(plain.defaultExperiment().tolerance == 1e-6);
  CHECK(plain.solverOptions().tolerance == 1e-6);
  CHECK(plain.solverOptions().maxOrder == SolverOptions{}.maxOrder);

  const CompiledModel experiment =
      compileText(freeMass("[experiment]\nstart_time = 2\ntolerance = 1e-4\nstep_size = 0.5\n"));
  CHECK(experiment.defaultExperiment().startTime == 2);
  CHECK(experiment.defaultExperiment().stopTime == 3);
  CHECK(experiment.defaultExperiment().stepSize == 0.5);
  CHECK(experiment.solverOptions().tolerance == 1e-4);

  const CompiledModel solver =
      compileText(freeMass("[solver]\ntolerance = 1e-8\nmax_order = 2\nmax_step = 0.25\n"));
  CHECK(solver.defaultExperiment().tolerance == 1e-8);
  CHECK(solver.solverOptions().tolerance == 1e-8);
  CHECK(solver.solverOptions().maxOrder == 2);
  CHECK(solver.solverOptions().maxStep == 0.25);

  const CompiledModel chosen =
      compileText(freeMass("[solver]\nmethod = \"index3\"\nmode = \"damp\"\ninitial_step = 1e-3\n"
                           "error_test = \"positions_and_velocities\"\n"
                           "[experiment]\nstart_time = 1\nstop_time = 5\n"));
  CHECK(chosen.solverOptions().method == Method::index3);
  CHECK(chosen.solverOptions().mode == Mode::damp);
  CHECK(chosen.solverOptions().initialStep == 1e-3);
  CHECK(chosen.solverOptions().errorTest == ErrorTest::positionsAndVelocities);
  CHECK(chosen.solverOptions().horizon == 4);
}

TEST_CASE("Names may have parts joined by dots") {
  const CompiledModel model =
      compileText(freeMass("force = \"-spring.k*x\"\n[parameters]\n\"spring.k\" = 2.0\n"));
  CHECK(model.variables().find("spring.k") != nullptr);
}

TEST_CASE("The first example of the documentation is a model") {
  std::ifstream stream(std::string(TRAMMEL_SOURCE_DIR) + "/docs/model_format.md");
  const std::string page(std::istreambuf_iterator<char>(stream), {});
  const std::string opening = "```toml\n";
  const std::size_t first = page.find(opening) + opening.size();
  const CompiledModel model = compileText(page.substr(first, page.find("```", first) - first));
  CHECK(model.name() == "Pendulum");
  CHECK(model.coordinateCount() == 2);
  CHECK(model.outputCount() == 1);
}

}  // namespace trammel

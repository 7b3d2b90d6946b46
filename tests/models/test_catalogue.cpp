#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "model_support.hpp"
#include "solver/integrator.hpp"

using namespace trammel;

namespace {

std::vector<std::string> catalogueNames() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TRAMMEL_SOURCE_DIR) + "/models/catalogue")) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  return names;
}

}  // namespace

TEST_CASE("Every model of the catalogue compiles and starts on its constraints") {
  const std::vector<std::string> names = catalogueNames();
  CHECK(names.size() >= 5);
  std::set<std::string> identifiers;
  for (const std::string& name : names) {
    INFO(name);
    const CompiledModel model = compileCatalogue(name);
    CHECK_FALSE(model.description().empty());
    CHECK(identifiers.insert(model.identifier()).second);
    const std::unique_ptr<ModelSystem> system = model.makeSystem();
    Vector q(model.coordinateCount()), v(model.coordinateCount()), g(model.constraintCount());
    system->startValues(q, v);
    const double t = model.defaultExperiment().startTime;
    system->constraint(t, q, g);
    CHECK(g.cwiseAbs().maxCoeff() <= 1e-14);
    system->constraintRate(t, q, v, g);
    CHECK(g.cwiseAbs().maxCoeff() <= 1e-14);
  }
}

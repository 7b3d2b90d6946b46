#include "packaging/reference_run.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "packaging/errors.hpp"
#include "tests/packaging/models.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::testing;

namespace {

CompiledModel catalogueModel(const std::string& name) {
  return compile(readModelFile(cataloguePath(name)));
}

}  // namespace

TEST_CASE("the reference run is the default experiment with inputs at their start values") {
  const CompiledModel model = slider();
  const ReferenceRun run = referenceRun(model);
  // 0.5 s to 2.5 s in steps of 0.125 s: 17 points.
  REQUIRE(run.times.size() == 17);
  CHECK(run.times.front() == 0.5);
  CHECK(run.times[1] == 0.625);
  CHECK(run.times.back() == 2.5);
  CHECK(run.outputInterval == 0.125);
  REQUIRE(run.inputs.size() == 1);
  CHECK(run.inputs[0].values == std::vector<double>(17, 0.5));
  // Exact: m x'' = F − k (x − x0) from rest at x0 gives k (x − x0) = F (1 − cos √(k/m) τ), with
  // √(k/m) = 2 /s. The model's tolerance is 1e-5.
  const auto* force = run.find(model.variables().find(std::string("spring_force"))->valueReference);
  REQUIRE(force != nullptr);
  for (std::size_t i = 0; i < run.times.size(); ++i)
    CHECK(force->values[i] == Approx(0.5 * (1 - std::cos(2 * (run.times[i] - 0.5)))).margin(1e-3));
  CHECK(run.bodies.empty());
}

TEST_CASE("the reference run holds the coordinates and the poses of the author's bodies") {
  const CompiledModel model = catalogueModel("four_bar");
  const ReferenceRun run = referenceRun(model);
  REQUIRE_FALSE(run.bodies.empty());
  REQUIRE(run.positions.size() == run.times.size());
  for (const ReferenceRun::BodyMotion& body : run.bodies) {
    REQUIRE(body.centres.size() == run.times.size());
    REQUIRE(body.orientations.size() == run.times.size());
    CHECK(body.centres.front() != body.centres.back());  // it moves
  }
  for (const Vector& q : run.positions) {
    CHECK(q.size() == model.coordinateCount());
    CHECK(q.allFinite());
  }
  for (const auto* columns : {&run.outputs, &run.locals})
    for (const ReferenceRun::Column& column : *columns)
      CHECK(column.values.size() == run.times.size());
}

TEST_CASE("long experiments keep every k-th point and the last one") {
  std::string text = drivenSlider;
  text.replace(text.find("stop_time = 2.5"), 15, "stop_time = 200.0");
  const ReferenceRun run = referenceRun(compile(parseModel(text, "long.toml")));
  // 199.5 s / 0.125 s = 1596 steps; every 4th, since 1596/500 = 3.2, gives 1 + 399 points.
  CHECK(run.times.size() == 400);
  CHECK(run.outputInterval == 0.5);
  CHECK(run.times[1] == 1.0);
  CHECK(run.times.back() == 200.0);
}

TEST_CASE("a model whose experiment cannot be run says so") {
  std::string text = drivenSlider;
  text.replace(text.find("expression = \"y\""), 16, "expression = \"y^2 + 1\"");
  CHECK_THROWS_AS(referenceRun(compile(parseModel(text, "impossible.toml"))), SimulationError);
}

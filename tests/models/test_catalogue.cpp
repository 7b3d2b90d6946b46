#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <set>

#include "model_support.hpp"
#include "solver/integrator.hpp"

namespace trammel {

namespace {

std::vector<std::string> catalogueNames() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TRAMMEL_SOURCE_DIR) + "/models/catalogue")) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  return names;
}

/// Integrates a model from its default start to `stop` and returns the motion there.
Motion run(const CompiledModel& model, double stop, double tolerance) {
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  SolverOptions options = model.solverOptions();
  options.tolerance = tolerance;
  Integrator integrator(*system, options);
  Vector q(model.coordinateCount()), v(model.coordinateCount());
  system->startValues(q, v);
  Motion motion;
  Report report = integrator.start(0, q, v);
  if (report.ok) report = integrator.advance(stop, stop);
  if (report.ok) report = integrator.motion(stop, true, motion);
  INFO(report.message);
  REQUIRE(report.ok);
  return motion;
}

double largest(const Vector& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

/// −log10 of the largest relative error.
double correctDigits(const Vector& actual, const Vector& expected) {
  return -std::log10(((actual - expected).array() / expected.array()).abs().maxCoeff());
}

}  // namespace

TEST_CASE("Every model of the catalogue compiles and starts on its constraints") {
  const std::vector<std::string> names = catalogueNames();
  CHECK(names.size() >= 25);
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
    CHECK(largest(g) <= 1e-14);
    system->constraintRate(t, q, v, g);
    CHECK(largest(g) <= 1e-14);
  }
}

TEST_CASE("The pendulum returns to its start after five periods of 2 s") {
  // [Eich 1993], section 3.3: g is chosen for this period.
  const Motion motion = run(compileCatalogue("pendulum"), 10, 1e-8);
  CHECK(std::abs(motion.q[0] - 1) <= 1e-8);
  CHECK(std::abs(motion.q[1]) <= 1e-4);
  CHECK(std::abs(motion.lambda[0]) <= 1e-3);  // λ = 0 at the turning point
}

TEST_CASE("Andrews' mechanism arrives at the published solution") {
  // Test Set for IVP Solvers, t = 0.03 s, reference solution by PSIDE.
  const Motion motion = run(compileCatalogue("andrews"), 0.03, 1e-9);
  Vector q(7), lambda(6);
  q << 15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
      0.5244099658805304, 0.5347301163226948, 1.048080741042263;
  lambda << 199.1753333731910, -29.75531228015052, 23.06654119098399, 31.45271365475927,
      22.64249232082739, 11.61740700019673;
  CHECK(correctDigits(motion.q, q) >= 6);
  CHECK(correctDigits(motion.lambda, lambda) >= 3);
}

TEST_CASE("The car axis arrives at the published solution") {
  // Test Set for IVP Solvers, t = 3, the reference solution of the deTestSet package.
  const Motion motion = run(compileCatalogue("car_axis"), 3, 1e-10);
  Vector q(4), v(4), lambda(2);
  q << 0.0493455784275402809, 0.496989460230171154, 1.04174252488542152, 0.373911027265361257;
  v << -0.0770583684040972358, 0.00744686658723778553, 0.0175568157537232222, 0.770341043779251976;
  lambda << -0.00473688659084893325, -0.00110468033125734369;
  CHECK(correctDigits(motion.q, q) >= 7);
  CHECK(correctDigits(motion.v, v) >= 4.5);  // the second one is a hundredth of the last
  CHECK(correctDigits(motion.lambda, lambda) >= 6);
}

TEST_CASE("The double pendulum keeps its energy") {
  const CompiledModel model = compileCatalogue("double_pendulum");
  const Motion motion = run(model, 1, 1e-9);
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  double outputs[3];
  system->outputs(1, motion.q, motion.v, motion.a, motion.lambda, outputs);
  CHECK(std::abs(outputs[0]) <= 1e-5);  // at the start 0, while 40 J are exchanged
}

}  // namespace trammel

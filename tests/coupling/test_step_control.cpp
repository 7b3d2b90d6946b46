// Communication steps whose size follows from their error.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/coupling/members.hpp"

using namespace trammel;
using namespace trammel::coupling;
using namespace trammel::testing;

namespace {

constexpr double stop = 1;  // [s]

MasterOptions controlled(double tolerance, std::optional<Scheme> scheme = std::nullopt) {
  MasterOptions options;
  options.scheme = scheme;
  options.relativeTolerance = 1e-9;
  options.iteration.maxEvaluations = 40;
  options.stepControl.tolerance = tolerance;
  return options;
}

const ChainData pendulum{{1, 1}, 1, {1, 1}, {1.0, 0.5}};

struct Outcome {
  double error = 0;
  MasterStatistics statistics;
};

/// Double pendulum to `stop`, rows every H.
Outcome runPendulum(const MasterOptions& options, double H) {
  static const Vector reference = monolithicAngles(pendulum, stop);
  Rig rig = cutChain(pendulum);
  for (Member& member : rig.members) member.substeps = 20;
  Master master(rig.system(), options);
  const RunResult result = runMaster(rig, master, H, stop);
  INFO(result.failure);
  CHECK(result.completed);
  CHECK(master.time() == stop);
  return {(anglesOf(rig) - reference).lpNorm<Eigen::Infinity>(), master.statistics()};
}

/// Two masses on springs, pushed once for a short time: m x'' = −k x + push at t = 1.
Rig pushedMasses() {
  Rig rig = twoMasses(1, 1, 8, 0, 0);  // springs of one strength would make the errors cancel
  rig.members[0].model.force = [](double t, const SmallVector& q, const SmallVector&,
                                  SmallVector& f) {
    const double s = (t - 1) / 0.02;
    f = -8 * q + SmallVector::Constant(1, 100 * std::exp(-s * s));
  };
  for (Member& member : rig.members) member.substeps = 64;
  return rig;
}

double pushedPosition(const MasterOptions& options, double H, double T, MasterStatistics& s) {
  Rig rig = pushedMasses();
  Master master(rig.system(), options);
  const RunResult result = runMaster(rig, master, H, T);
  INFO(result.failure);
  CHECK(result.completed);
  s = master.statistics();
  return rig.members[0].q[0];
}

}  // namespace

TEST_CASE("the error of a controlled run falls with its tolerance") {
  const Scheme scheme = GENERATE(Scheme::pv1, Scheme::pc2, Scheme::b2);
  INFO(text(scheme));
  double before = 1;
  long steps = 0;
  for (const double tolerance : {1e-5, 1e-6, 1e-7, 1e-8}) {
    const Outcome outcome = runPendulum(controlled(tolerance, scheme), 0.1);
    INFO(tolerance << ": " << outcome.error << ", " << outcome.statistics.steps << " steps");
    CHECK(outcome.error < before / 2);
    // The gap within a step becomes a velocity, and that an error of angles within 1 s.
    CHECK(outcome.error < 1000 * tolerance);
    CHECK(outcome.statistics.steps > steps);
    CHECK(outcome.statistics.failures == 0);
    before = outcome.error;
    steps = outcome.statistics.steps;
  }
}

TEST_CASE("a controlled run spends its steps where the motion is fast") {
  MasterStatistics controlledRun, fixedRun, reference;
  const double T = 3;
  MasterOptions fixed = controlled(0);
  const double exact = pushedPosition(fixed, 5e-4, T, reference);
  const double x = pushedPosition(controlled(1e-7), 0.1, T, controlledRun);
  const double H = T / static_cast<double>(controlledRun.steps + controlledRun.rejected);
  const double y = pushedPosition(fixed, H, T, fixedRun);
  INFO(controlledRun.steps << " steps, " << controlledRun.rejected << " rejected, of "
                           << controlledRun.smallestStep << " s to " << controlledRun.largestStep
                           << " s: " << x - exact << ", fixed: " << y - exact);
  CHECK(controlledRun.largestStep > 10 * controlledRun.smallestStep);
  CHECK(std::abs(x - exact) < std::abs(y - exact) / 5);
}

TEST_CASE("the step stays between the bounds that were given") {
  MasterOptions options = controlled(1e-12);
  options.stepControl.minStep = 0.02;
  options.stepControl.maxStep = 0.05;
  const Outcome outcome = runPendulum(options, 0.1);
  CHECK(outcome.statistics.smallestStep >= 0.02 * (1 - 1e-9));
  CHECK(outcome.statistics.largestStep <= 0.05 * (1 + 1e-9));
  CHECK(outcome.statistics.tooInexact > 0);  // and the run says so
}

TEST_CASE("error control is refused where steps cannot be repeated") {
  Rig rig = doublePendulum();
  const auto errorOf = [&](const MemberAbilities& abilities, const MasterOptions& options) {
    try {
      Master master(rig.system(abilities), options);
      master.initialize(0, 1, 0.01);
    } catch (const CouplingError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK_THAT(errorOf({.rollback = false}, controlled(1e-6)),
             Catch::Contains("subsystem \"member1\" offers no rollback"));
  CHECK_THAT(errorOf({.variableStep = false}, controlled(1e-6)),
             Catch::Contains("subsystem \"member1\" takes steps of one size only"));
  CHECK_THAT(errorOf({}, controlled(1e-6, Scheme::explicitLine)),
             Catch::Contains("scheme explicit, linear repeats no step"));
  MasterOptions options = controlled(1e-6);
  options.stepControl.maxStep = 1e-3;
  options.stepControl.minStep = 1e-2;
  CHECK_THAT(errorOf({}, options), Catch::Contains("largest step"));
}

TEST_CASE("error control needs no accelerations") {
  Rig rig = doublePendulum();
  Master master(rig.system({.mobility = false, .acceleration = false}), controlled(1e-7));
  const RunResult result = runMaster(rig, master, 0.1, stop);
  CHECK(result.completed);
  CHECK((anglesOf(rig) - monolithicAngles(pendulum, stop)).lpNorm<Eigen::Infinity>() < 1e-4);
}

TEST_CASE("a controlled run continues from a saved state bit for bit") {
  const auto run = [](bool throughState) {
    Rig rig = doublePendulum();
    Master master(rig.system(), controlled(1e-8));
    master.initialize(0, stop, 0.1);
    for (int n = 1; n <= 5; ++n) CHECK(master.advance(0.1 * n).completed);
    if (throughState) {
      const std::vector<double> state = master.saveState();
      const std::deque<Member> members = rig.members;
      CHECK(master.advance(0.6).completed);
      for (std::size_t k = 0; k < members.size(); ++k) {
        rig.members[k].q = members[k].q;
        rig.members[k].v = members[k].v;
        rig.members[k].time = members[k].time;
      }
      master.restoreState(state);
    }
    for (int n = 6; n <= 10; ++n) CHECK(master.advance(0.1 * n).completed);
    return anglesOf(rig);
  };
  CHECK(run(true) == run(false));
}

// Acceptance numbers of the schemes on planar members with Runge-Kutta integrators of fixed steps.
// Where nothing else is said a bound is the number that the design measured with a prototype.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/coupling/members.hpp"

using namespace trammel;
using namespace trammel::coupling;
using namespace trammel::testing;

namespace {

MasterOptions optionsOf(Scheme scheme, double tolerance = 1e-6, double gain = 20) {
  MasterOptions options;
  options.scheme = scheme;
  options.gain = gain;
  options.relativeTolerance = tolerance;
  options.iteration.maxEvaluations = 40;
  return options;
}

Rig withSubsteps(Rig rig, int substeps) {
  for (Member& member : rig.members) member.substeps = substeps;
  return rig;
}

struct Evaluations {
  double mean;
  int most;
};

void checkEvaluations(Rig rig, Scheme scheme, double H, double T, const Evaluations& bound) {
  const RunResult result = runRig(rig, optionsOf(scheme), H, T);
  INFO(text(scheme) << " H = " << H << ": " << result.meanEvaluations << "/"
                    << result.mostEvaluations << ' ' << result.failure);
  CHECK(result.completed);
  CHECK(result.failures == 0);
  CHECK(result.meanEvaluations <= bound.mean);
  CHECK(result.mostEvaluations <= bound.most);
}

}  // namespace

TEST_CASE("linear systems take two evaluations for each step at any ratio of masses") {
  const Scheme scheme = GENERATE(Scheme::pv1, Scheme::b2);
  checkEvaluations(paperRig(), scheme, 0.1, 5, {2.05, 3});
  checkEvaluations(paperRig(), scheme, 0.01, 5, {2.05, 3});
  for (const double ratio : {1e-3, 1e-2, 0.1, 0.5, 1.0, 2.0, 10.0, 100.0, 1e3}) {
    checkEvaluations(twoMasses(ratio, 1, 30 * ratio, 10), scheme, 0.01, 5, {2.05, 3});
  }
}

TEST_CASE("nonlinear mechanisms take the number of evaluations that was promised") {
  checkEvaluations(doublePendulum(), Scheme::pv1, 0.01, 10, {3.6, 5});
  checkEvaluations(doublePendulum(), Scheme::b2, 0.01, 10, {2.8, 4});
  checkEvaluations(doublePendulum(), Scheme::pv1, 0.002, 10, {2.3, 5});
  checkEvaluations(doublePendulum(), Scheme::b2, 0.002, 10, {2.05, 3});
  checkEvaluations(chainFiveFive(), Scheme::pv1, 0.002, 3, {2.6, 5});
  checkEvaluations(chainFiveFive(), Scheme::b2, 0.002, 3, {2.1, 4});
  checkEvaluations(fourBar(), Scheme::pv1, 0.01, 5, {3.7, 5});
  checkEvaluations(fourBar(), Scheme::b2, 0.01, 5, {3.1, 4});
  checkEvaluations(chainOfTen(), Scheme::pv1, 0.002, 1, {2.6, 4});
  checkEvaluations(doublePendulum(1e-3, 1), Scheme::pv1, 0.001, 1, {3.12, 5});
  checkEvaluations(doublePendulum(1e3, 1), Scheme::pv1, 0.001, 1, {2.10, 4});
}

TEST_CASE("the schemes have the orders of the theory and small errors") {
  struct Row {
    Scheme scheme;
    double order, errorAt10ms;  // of the angles at 1 s [rad]
  };
  const ChainData data{{1, 1}, 1, {1, 1}, {1.0, 0.5}};
  const Vector reference = monolithicAngles(data, 1);
  for (const Row& row : {Row{Scheme::a1, 2, 7.5e-4}, Row{Scheme::b2, 3, 6e-5},
                         Row{Scheme::pv1, 4, 2e-7}, Row{Scheme::pc2, 4, 1.3e-7}}) {
    INFO(text(row.scheme));
    double before = 0;
    for (const double H : {0.02, 0.01, 0.005}) {
      Rig rig = withSubsteps(cutChain(data), static_cast<int>(std::lround(H / 0.0005)));
      MasterOptions options = optionsOf(row.scheme, 1e-11, 10);
      REQUIRE(runRig(rig, options, H, 1).completed);
      const double error = (anglesOf(rig) - reference).lpNorm<Eigen::Infinity>();
      if (before > 0) CHECK(std::log2(before / error) == Approx(row.order).margin(0.1));
      if (H == 0.01) CHECK(error <= row.errorAt10ms);
      before = error;
    }
  }
}

TEST_CASE("the first step of B2 runs along a parabola already") {
  double before = 0;
  for (const double H : {0.04, 0.02, 0.01}) {
    Rig rig = withSubsteps(doublePendulum(), 8);
    const double gap = runRig(rig, optionsOf(Scheme::b2, 1e-10), H, H).largestGap;
    // Along a line the joint opens by O(H⁴), along a parabola by O(H⁵).
    INFO(gap);
    if (before > 0) CHECK(std::log2(before / gap) > 4.7);
    before = gap;
  }
}

TEST_CASE("joints stay closed and energy stays over 100 s") {
  struct Row {
    Scheme scheme;
    double gap, energy, gapOfFourBar;
  };
  for (const Row& row :
       {Row{Scheme::pv1, 1e-11, 2e-6, 1e-12}, Row{Scheme::b2, 2.5e-5, 2e-3, 1e-6}}) {
    INFO(text(row.scheme));
    Rig pendulum = withSubsteps(doublePendulum(), 2);
    const RunResult p = runRig(pendulum, optionsOf(row.scheme, 1e-9), 0.01, 100);
    CHECK(p.completed);
    CHECK(p.largestGap <= row.gap);
    CHECK(p.largestEnergyError <= row.energy);
    Rig bars = withSubsteps(fourBar(), 2);
    const RunResult b = runRig(bars, optionsOf(row.scheme, 1e-9), 0.005, 100);
    CHECK(b.completed);
    CHECK(b.largestGap <= row.gapOfFourBar);
  }
}

TEST_CASE("the level of the paper drifts, position and velocity level do not") {
  Rig rig = withSubsteps(doublePendulum(), 2);
  const RunResult result = runRig(rig, optionsOf(Scheme::a1, 1e-9), 0.01, 10);
  CHECK(result.largestGap == Approx(0.2).margin(0.02));  // design, table B.3: 0.20 m after 10 s
}

TEST_CASE("a stiff spring at the interface costs no more evaluations") {
  for (const Scheme scheme : {Scheme::pv1, Scheme::b2}) {
    for (const double omegaH : {0.1, 1.0, 3.0, 10.0}) {
      INFO(text(scheme) << " omega H = " << omegaH);
      const double H = 0.01, omega = omegaH / H;
      Rig rig = withSubsteps(twoMasses(0.1, 1, 0.1 * omega * omega, 10, 0.01),
                             std::max(4, static_cast<int>(20 * omegaH)));
      const RunResult result = runRig(rig, optionsOf(scheme, 1e-8), H, 2);
      CHECK(result.completed);
      CHECK(result.failures == 0);
      CHECK(result.meanEvaluations <= 2.05);
    }
  }
}

TEST_CASE("interface Newton without secants fails where the interface is stiff") {
  const double H = 0.01, omega = 3 / H;
  Rig rig = withSubsteps(twoMasses(0.1, 1, 0.1 * omega * omega, 10, 0.01), 60);
  MasterOptions options = optionsOf(Scheme::a1, 1e-8);
  options.iteration.acceleration = Acceleration::newton;
  options.maxHalvings = 0;
  CHECK_FALSE(runRig(rig, options, H, 2).completed);
}

TEST_CASE("members that do not repeat their steps do not stop the iteration") {
  for (const Scheme scheme : {Scheme::pv1, Scheme::b2, Scheme::pc2}) {
    INFO(text(scheme));
    std::mt19937 generator(7);
    std::normal_distribution<double> normal;
    Rig rig = doublePendulum();
    for (Member& member : rig.members) member.noise = [&] { return 1e-8 * normal(generator); };
    MemberAbilities abilities;
    abilities.declaredNoise = 1e-8;
    const RunResult result = runRig(rig, optionsOf(scheme), 0.001, 2, abilities);
    CHECK(result.completed);
    CHECK(result.failures == 0);
    CHECK(result.largestGap <= 6e-6);  // design, B.3: PV1 6e-6, PC2 4e-6, B2 4e-7 m
  }
}

TEST_CASE("noise is found by repeating a step, and B2 is chosen for noisy members") {
  std::mt19937 generator(7);
  std::normal_distribution<double> normal;
  Rig rig = doublePendulum();
  for (Member& member : rig.members) member.noise = [&] { return 1e-8 * normal(generator); };
  Master master(rig.system(), {});
  const Certificate& certificate = master.initialize(0, 1, 0.001);
  CHECK(certificate.scheme == Scheme::b2);
  CHECK(certificate.subsystems[0].noise.r > 1e-9);
  CHECK(certificate.subsystems[0].noise.r < 1e-6);
  Rig quiet = doublePendulum();
  Master other(quiet.system(), {});
  CHECK(other.initialize(0, 1, 0.001).scheme == Scheme::pv1);
}

TEST_CASE("redundant rows are named and get multipliers of minimum norm") {
  Rig rig = fourBar();
  Joint again = rig.joints[0];
  again.name = "again";
  again.rows = {LinearRow{{0.6, -0.6, 0.8, -0.8}, 0}};  // depends on the two rows of the pin
  rig.joints.push_back(again);
  Master master(rig.system(), optionsOf(Scheme::pv1));
  const RunResult result = runMaster(rig, master, 0.01, 5);
  CHECK(result.completed);
  CHECK(result.meanEvaluations <= 3.3);
  CHECK(master.certificate().rank == 2);
  CHECK(master.certificate().rows == 3);
  CHECK(master.certificate().redundantJoints == std::vector<std::string>{"pin", "again"});
  // The force of both joints together is that of the pin alone.
  Rig plain = fourBar();
  Master alone(plain.system(), optionsOf(Scheme::pv1));
  runMaster(plain, alone, 0.01, 5);
  const Vector& l = master.multipliers();
  const Eigen::Vector2d together(l[0] + 0.6 * l[2], l[1] + 0.8 * l[2]);
  CHECK((together - alone.multipliers()).norm() < 1e-4 * alone.multipliers().norm());
  CHECK(l.norm() < 1.1 * alone.multipliers().norm());  // no part that cancels itself
}

TEST_CASE("members with different integrators stay together") {
  for (const Integrator integrator : {Integrator::euler, Integrator::heun}) {
    Rig rig = withSubsteps(doublePendulum(), 10);
    rig.members[0].integrator = integrator;
    const RunResult result = runRig(rig, optionsOf(Scheme::pv1, 1e-8), 0.01, 20);
    CHECK(result.completed);
    CHECK(result.largestGap <= 1e-10);
  }
}

TEST_CASE("without rollback one pass keeps the joint nearly closed over 100 s") {
  MemberAbilities abilities;
  abilities.rollback = false;
  Rig line = withSubsteps(doublePendulum(), 2);
  Master master(line.system(abilities), {});
  const RunResult ofLine = runMaster(line, master, 0.001, 100);
  CHECK(master.certificate().scheme == Scheme::explicitLine);
  CHECK(ofLine.largestGap <= 3.5e-8);
  abilities.forceOrder = 0;
  Rig hold = withSubsteps(doublePendulum(), 2);
  const RunResult ofHold = runRig(hold, {}, 0.001, 100, abilities);
  CHECK(ofHold.largestGap <= 2.3e-6);
}

TEST_CASE("an explicit scheme without joints has the course of no multiplier") {
  for (const Scheme scheme : {Scheme::explicitLine, Scheme::explicitHold}) {
    const Matrix C = SchemeStep{.scheme = scheme, .H = 0.1}.coefficients(Vector(), {});
    REQUIRE(C.cols() > 0);
    CHECK(valueAt(C, 0.5).size() == 0);
  }
}

TEST_CASE("without derivatives the mobilities are probed and secants do the rest") {
  MemberAbilities abilities;
  abilities.mobility = false;
  Rig rig = doublePendulum();
  const RunResult result = runRig(rig, optionsOf(Scheme::pv1), 0.01, 10, abilities);
  CHECK(result.completed);
  CHECK(result.meanEvaluations <= 5.5);  // design, C.3: 3.5 to 5.5, most 9
  CHECK(result.mostEvaluations <= 9);
  abilities.acceleration = false;
  Rig blind = doublePendulum();
  const RunResult ofBlind = runRig(blind, optionsOf(Scheme::pv1), 0.01, 10, abilities);
  CHECK(ofBlind.completed);
  CHECK(ofBlind.largestGap < 1e-7);
}

TEST_CASE("plain splits converge or diverge as the certificate says") {
  struct Row {
    double ratio;  // m1/m2
    Preconditioner side;
    bool converges;
  };
  for (const Row& row :
       {Row{0.1, Preconditioner::sideA, true}, Row{0.1, Preconditioner::sideB, false},
        Row{10, Preconditioner::sideA, false}, Row{10, Preconditioner::sideB, true}}) {
    Rig rig = twoMasses(row.ratio, 1, 30 * row.ratio, 10);
    MasterOptions options = optionsOf(Scheme::a1, 1e-8);
    options.preconditioner = row.side;
    options.iteration.acceleration = Acceleration::relaxation;
    options.maxHalvings = 0;
    Master master(rig.system(), options);
    const RunResult result = runMaster(rig, master, 0.01, 1);
    const auto& c = master.certificate();
    CHECK(*c.contractionA == Approx(row.ratio));
    CHECK(*c.contractionB == Approx(1 / row.ratio));
    CHECK(result.completed == row.converges);
  }
}

TEST_CASE("Aitken, weighted splits and secants over a split converge on the double pendulum") {
  // Design, B.2, double pendulum H = 0.001 with m1/m2 = 10: split 8.2, Aitken 6.6, IQN 3.2.
  const auto evaluations = [](Acceleration acceleration, Preconditioner preconditioner) {
    Rig rig = doublePendulum(10, 1);
    MasterOptions options = optionsOf(Scheme::a1, 1e-8);
    options.iteration.acceleration = acceleration;
    options.preconditioner = preconditioner;
    const RunResult result = runRig(rig, options, 0.001, 1);
    CHECK(result.completed);
    return result.meanEvaluations;
  };
  CHECK(evaluations(Acceleration::relaxation, Preconditioner::sideB) <= 8.2);
  CHECK(evaluations(Acceleration::aitken, Preconditioner::sideB) <= 6.6);
  CHECK(evaluations(Acceleration::iqnIls, Preconditioner::sideB) <= 3.2);
  CHECK(evaluations(Acceleration::newton, Preconditioner::mobility) <= 3.4);
}

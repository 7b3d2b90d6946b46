#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "solver/integrator.hpp"
#include "tests/solver/faulty_system.hpp"
#include "tests/solver/planar_chain.hpp"
#include "tests/solver/seed_problems.hpp"

namespace trammel {
namespace {

using test::Fault;
using test::Problem;

constexpr double endless = std::numeric_limits<double>::infinity();

struct DrivenPendulum : test::Pendulum {
  double input = 0;  // force along x
  template <class S>
  void force(S t, const S* q, const S* v, S* f) const {
    Pendulum::force(t, q, v, f);
    f[0] = f[0] + input;
  }
};

struct DrivenAndrews : test::Andrews {
  double input = 0;  // torque added to the motor's
  template <class S>
  void force(S t, const S* q, const S* v, S* f) const {
    Andrews::force(t, q, v, f);
    f[0] = f[0] + input;
  }
};

/// A member of a co-simulation: the system, how far one step goes, and how its input is changed.
struct Member {
  MechanicalSystem& system;
  Vector q, v;
  double step;  // [s]
  std::function<void(double)> setInput;
};

bool sameBits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// One step as a master does it: perhaps the input jumps, with overstepped time taken back, then
/// the time is asked for, with a limit or without. Returns the outputs.
std::vector<double> doStep(Integrator& integrator, Member& member, double from, double to,
                           std::mt19937 random) {
  Motion motion;
  if (random() % 2 == 0) {
    REQUIRE(integrator.returnTo(from).ok);
    REQUIRE(integrator.motion(from, true, motion).ok);
    member.setInput(static_cast<double>(random() % 1000) / 1000);
    REQUIRE(integrator.shift(motion).ok);
  }
  REQUIRE(integrator.advance(to, random() % 2 == 0 ? to : endless).ok);
  REQUIRE(integrator.motion(to, true, motion).ok);
  std::vector<double> out(motion.q.begin(), motion.q.end());
  out.insert(out.end(), motion.v.begin(), motion.v.end());
  out.insert(out.end(), motion.lambda.begin(), motion.lambda.end());
  return out;
}

/// `count` times: save, step, restore, step the same way; every bit of outputs and memory is the
/// same. Now and then the motion goes on from the saved point or in another integrator.
void repeatSteps(Member member, int count, SolverOptions options) {
  std::mt19937 random(11);
  member.setInput(0);
  Integrator first(member.system, options), second(member.system, options);
  REQUIRE(first.start(0, member.q, member.v).ok);
  double t = 0;
  double input = 0;
  std::vector<double> before, after, again;
  for (int i = 0; i < count; ++i) {
    const double to = t + member.step * (0.1 + static_cast<double>(random() % 1000) / 1000);
    const std::mt19937 plan(random());
    first.save(before);
    const double inputBefore = input;
    const auto setInput = [&](double value) {
      input = value;
      member.setInput(value);
    };
    Member recorded{member.system, member.q, member.v, member.step, setInput};
    const std::vector<double> outputs = doStep(first, recorded, t, to, plan);
    first.save(after);

    Integrator& repeating = random() % 2 == 0 ? first : second;
    const double inputAfter = input;
    setInput(inputBefore);
    REQUIRE(repeating.restore(before));
    const std::vector<double> repeated = doStep(repeating, recorded, t, to, plan);
    repeating.save(again);
    REQUIRE(sameBits(outputs, repeated));
    REQUIRE(sameBits(after, again));
    if (random() % 4 == 0) {  // the step is taken back for good
      setInput(inputBefore);
      REQUIRE(first.restore(before));
    } else {
      setInput(inputAfter);
      REQUIRE(first.restore(after));
      t = to;
    }
  }
}

const std::vector<Fault> places{Fault::force,        Fault::constraint, Fault::rate,
                                Fault::acceleration, Fault::mass,       Fault::gradient,
                                Fault::stiffness};

/// A model that turns wrong at a random place and evaluation: advance() reports it and leaves every
/// bit of the memory; once the model is right again the motion goes on as if nothing had been.
void spoil(MechanicalSystem& sound, const Vector& q, const Vector& v, double step,
           LinearAlgebra algebra) {
  std::mt19937 random(13);
  test::FaultySystem system(sound);
  SolverOptions options;
  options.linearAlgebra = algebra;
  options.horizon = 30 * step;
  Integrator integrator(system, options), untouched(sound, options);
  REQUIRE(integrator.start(0, q, v).ok);
  REQUIRE(untouched.start(0, q, v).ok);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> before, after;
  int failures = 0;
  for (int i = 1; i <= 60; ++i) {
    const double t = step * i;
    integrator.save(before);
    system.fault = places[random() % places.size()];
    system.value = std::vector{nan, endless, -endless}[random() % 3];
    system.entry = static_cast<Index>(random() % 1000);
    system.after = static_cast<int>(random() % 20);
    system.shown = false;
    const Report report = integrator.advance(t + 100 * step, endless);
    if (system.shown && !report.ok) {
      ++failures;
      INFO(report.message);
      CHECK((report.message.find("not finite") != std::string::npos));
      integrator.save(after);
      REQUIRE(sameBits(before, after));
    } else {
      CHECK(report.ok);  // the wrong numbers were never asked for
      REQUIRE(integrator.restore(before));
    }
    Motion motion;
    if (system.fault == Fault::force || system.fault == Fault::mass) {
      system.after = 0;
      const Report output = integrator.motion(integrator.time(), true, motion);
      CHECK_FALSE(output.ok);
      CHECK_THAT(output.message, Catch::Contains("not finite"));
    }
    system.fault = Fault::none;
    REQUIRE(integrator.advance(t, endless).ok);
    REQUIRE(untouched.advance(t, endless).ok);
    std::vector<double> left, right;
    integrator.save(left);
    untouched.save(right);
    REQUIRE(sameBits(left, right));
  }
  CHECK(failures >= 30);
}

}  // namespace

TEST_CASE("A thousand saved and repeated steps are the same bit for bit") {
  Problem<DrivenPendulum> pendulum;
  Problem<DrivenAndrews> andrews;
  test::PlanarChain chain = test::PlanarChain::longChain(20);
  SolverOptions options;
  SECTION("pendulum") {
    repeatSteps({pendulum, pendulum.equations.q0, pendulum.equations.v0, 0.02,
                 [&](double u) { pendulum.equations.input = u; }},
                400, options);
  }
  SECTION("pendulum, sparse factor") {
    options.linearAlgebra = LinearAlgebra::sparse;
    repeatSteps({pendulum, pendulum.equations.q0, pendulum.equations.v0, 0.02,
                 [&](double u) { pendulum.equations.input = u; }},
                200, options);
  }
  SECTION("Andrews") {
    options.horizon = 0.03;
    repeatSteps({andrews, andrews.equations.q0, andrews.equations.v0, 1e-4,
                 [&](double u) { andrews.equations.input = 1e-2 * u; }},
                200, options);
  }
  SECTION("chain of 20 rods, sparse factor") {
    options.linearAlgebra = LinearAlgebra::sparse;
    repeatSteps({chain, chain.startPosition(), Vector::Zero(60), 0.005, [](double) {}}, 200,
                options);
  }
}

TEST_CASE("Saved and repeated steps of every method are the same bit for bit") {
  Problem<DrivenPendulum> pendulum;
  for (const Method method :
       {Method::index3, Method::ggl, Method::gglStar, Method::cs, Method::cm, Method::index1}) {
    SolverOptions options;
    options.method = method;
    INFO(nameOf(method));
    repeatSteps({pendulum, pendulum.equations.q0, pendulum.equations.v0, 0.02,
                 [&](double u) { pendulum.equations.input = u; }},
                50, options);
  }
}

TEST_CASE("A model that is not finite at a random place is reported and changes nothing") {
  Problem<test::Pendulum> pendulum;
  Problem<test::Andrews> andrews;
  test::PlanarChain chain = test::PlanarChain::longChain(20);
  SECTION("pendulum") {
    spoil(pendulum, pendulum.equations.q0, pendulum.equations.v0, 0.05, LinearAlgebra::dense);
  }
  SECTION("Andrews") {
    spoil(andrews, andrews.equations.q0, andrews.equations.v0, 3e-4, LinearAlgebra::automatic);
  }
  SECTION("chain of 20 rods") {
    spoil(chain, chain.startPosition(), Vector::Zero(60), 0.005, LinearAlgebra::sparse);
  }
}

}  // namespace trammel

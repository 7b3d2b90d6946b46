#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <limits>

#include "solver/integrator.hpp"
#include "solver/kkt_solver.hpp"
#include "tests/solver/planar_chain.hpp"
#include "tests/solver/seed_problems.hpp"

// Every allocation of this program goes through malloc(), which operator new and Eigen call; the
// counting versions below take its place and pass on to the C library.
extern "C" {
void* __libc_malloc(std::size_t size);                           // NOLINT
void* __libc_calloc(std::size_t count, std::size_t size);        // NOLINT
void* __libc_realloc(void* memory, std::size_t size);            // NOLINT
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT
}

namespace {

long allocations = 0;  // the program has one thread

}  // namespace

extern "C" {
void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) noexcept {
  ++allocations;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}

namespace trammel {
namespace {

using test::Problem;

constexpr double endless = std::numeric_limits<double>::infinity();

struct Watched : test::Pendulum {
  static constexpr std::size_t rootCount = 1;
  void roots(double, const double* q, const double*, double* r) const { r[0] = q[0]; }
};

/// What happens in `count` steps of a master after as many to warm up.
struct Count {
  long allocations = 0;
  long factorisations = 0;  // of the formulation
  long events = 0;
};

Count countIn(MechanicalSystem& system, const Vector& q, const Vector& v, double step,
              SolverOptions options, int count) {
  options.horizon = 2 * count * step;
  Integrator integrator(system, options);
  REQUIRE(integrator.start(0, q, v).ok);
  Motion motion;
  Rates rates;
  std::vector<double> memory;
  Count result;
  long calls = 0;
  const auto doStep = [&](double from, double to) {
    bool ok = true;
    if (calls % 3 == 0) {  // an input may have jumped
      ok = ok && integrator.returnTo(from).ok && integrator.motion(from, true, motion).ok;
      ok = ok && integrator.rates(motion, rates).ok && integrator.shift(motion, rates).ok;
    }
    if (calls % 5 == 0) {  // a step that is repeated
      integrator.save(memory);
      ok = ok && integrator.advance(to, endless).ok && integrator.restore(memory);
    }
    for (bool event = true; event && ok;) {
      const double limits[] = {to, endless};
      const Report report = integrator.advance(to, limits[calls % 2]);
      ok = report.ok;
      event = report.event;
      if (event) ++result.events;
    }
    ok = ok && integrator.motion(to, true, motion).ok;
    ++calls;
    return ok;
  };
  for (int i = 0; i < count; ++i) REQUIRE(doStep(step * i, step * (i + 1)));
  const long factorisationsBefore = integrator.statistics().factorisations;
  const long before = allocations;
  bool ok = true;
  for (int i = count; i < 2 * count; ++i) ok = ok && doStep(step * i, step * (i + 1));
  result.allocations = allocations - before;
  REQUIRE(ok);
  result.factorisations = integrator.statistics().factorisations - factorisationsBefore;
  return result;
}

}  // namespace

TEST_CASE("The counter sees the allocations of operator new and of Eigen") {
  const long before = allocations;
  const Vector vector = Vector::Zero(100);
  CHECK(allocations > before);
  const long between = allocations;
  const std::vector<double> numbers(100, vector[0]);
  CHECK(allocations > between);
  CHECK(numbers.size() == 100);
}

TEST_CASE("Steps, outputs, saving, restoring, shifts and events of small systems do not allocate") {
  Problem<Watched> pendulum;
  Problem<test::Andrews> andrews;
  Problem<test::Bushing<false>> bushing;
  for (const Mode mode : {Mode::follow, Mode::damp}) {
    SolverOptions options;
    options.mode = mode;
    const Count swinging =
        countIn(pendulum, pendulum.equations.q0, pendulum.equations.v0, 0.05, options, 200);
    CHECK(swinging.allocations == 0);
    CHECK(swinging.events > 2);
    CHECK(countIn(bushing, bushing.equations.q0, bushing.equations.v0, 0.02, options, 20)
              .allocations == 0);
  }
  CHECK(countIn(andrews, andrews.equations.q0, andrews.equations.v0, 3e-4, SolverOptions{}, 40)
            .allocations == 0);
}

TEST_CASE("No method allocates in the steps of a small system") {
  Problem<test::Andrews> andrews;
  for (const Method method : {Method::cml, Method::index3, Method::ggl, Method::gglStar, Method::cs,
                              Method::cm, Method::index1}) {
    SolverOptions options;
    options.method = method;
    INFO(nameOf(method));
    CHECK(countIn(andrews, andrews.equations.q0, andrews.equations.v0, 3e-5, options, 20)
              .allocations == 0);
  }
}

TEST_CASE("Sparse systems do not allocate either, nor do their factorisations") {
  test::PlanarChain chain = test::PlanarChain::longChain(50);
  SolverOptions options;
  options.linearAlgebra = LinearAlgebra::sparse;
  const Count count = countIn(chain, chain.startPosition(), Vector::Zero(150), 0.01, options, 40);
  CHECK(count.factorisations > 0);
  CHECK(count.allocations == 0);
}

TEST_CASE("Steps through a singular position do not allocate") {
  Problem<test::FourBars<2>> bars;
  for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse}) {
    SolverOptions options;
    options.tolerance = 1e-10;
    options.linearAlgebra = algebra;
    // The first one is at 0.714 s, the second one at 1.228 s.
    CHECK(countIn(bars, bars.equations.q0, bars.equations.v0, 0.04, options, 16).allocations == 0);
  }
}

TEST_CASE("A chain of 10000 rods needs little memory and few steps to get going") {
  // 30000 coordinates, 20000 constraints: a dense matrix of them would take 20 GB. Own run: 74 MB
  // for the whole program, 30 steps.
  test::PlanarChain chain = test::PlanarChain::longChain(10000);
  SolverOptions options;
  options.horizon = 0.05;
  Integrator integrator(chain, options);
  REQUIRE(integrator.start(0, chain.startPosition(), Vector::Zero(30000)).ok);
  REQUIRE(integrator.advance(0.05, endless).ok);
  rusage usage{};
  REQUIRE(getrusage(RUSAGE_SELF, &usage) == 0);
  CHECK(usage.ru_maxrss <= 1024L * 1024);  // KiB
  CHECK(integrator.statistics().steps <= 100);
  CHECK(integrator.statistics().convergenceFailures == 0);
}

}  // namespace trammel

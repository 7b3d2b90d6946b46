#include "bench/seed_tables_eich.hpp"

#include <array>
#include <cstdio>

#include "tests/solver/eich_pendulum.hpp"

namespace trammel::bench {

namespace {

/// |Δx|, |Δy|, |Δx'|, |Δy'|, |Δλ|, RES as printed.
struct Published {
  double tolerance;
  std::array<double, 6> without, with;
};

constexpr std::array<Published, 5> table{{
    {1e-5,
     {5.6e-2, 4.1e-1, 1.3e0, 2.9e0, 1.4e1, 6.1e-2},
     {2.4e-8, 2.2e-4, 3.6e-5, 1.6e-1, 2.4e-2, 7.2e-10}},
    {1e-6,
     {9.7e-5, 2.1e-5, 2.9e-5, 8.7e-2, 7.9e-3, 1.9e-4},
     {9.7e-9, 1.4e-4, 3.9e-6, 2.8e-2, 1.1e-3, 5.9e-11}},
    {1e-7,
     {2.4e-4, 3.7e-4, 3.9e-6, 8.3e-3, 5.0e-3, 4.9e-4},
     {9.1e-12, 4.5e-6, 2.9e-9, 5.7e-4, 6.2e-5, 2.1e-12}},
    {1e-8,
     {1.5e-4, 2.0e-4, 5.4e-6, 1.4e-2, 3.0e-3, 2.9e-4},
     {1.3e-13, 5.3e-7, 7.2e-11, 1.1e-4, 7.3e-6, 2.1e-14}},
    {1e-9,
     {1.7e-5, 2.3e-5, 3.3e-7, 1.6e-3, 3.1e-4, 3.3e-5},
     {5.0e-15, 9.8e-8, 1.4e-12, 1.6e-5, 1.3e-6, 3.3e-16}},
}};
constexpr std::array factors{0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.4, 1.6};

/// Within one decade in Δy', or better.
const char* verdict(double theirs, double ours) {
  if (ours <= theirs) return "as good or better";
  return ours <= 10 * theirs ? "same decade" : "larger";
}

void printErrors(double tolerance, const char* name, const std::array<double, 6>& errors) {
  std::printf("%5.0e %-22s", tolerance, name);
  for (const double error : errors) std::printf(" %8.1e", error);
}

void compare(double tolerance, const char* name, const std::array<double, 6>& theirs,
             Projection projection) {
  printErrors(tolerance, name, theirs);
  std::printf("  published\n");
  const test::EichRow row = test::eichRow(tolerance, projection, factors);
  printErrors(tolerance, "ours", row.errors);
  std::printf("  %5.0f steps, %s\n", row.steps, verdict(theirs[3], row.velocityError()));
}

}  // namespace

void printEichTable() {
  std::printf("\nEich, Table 3.1: pendulum of period 2 s after 100 s, index 1, order up to 6\n");
  std::printf(
      "Ours: geometric means over %zu tolerances near the row's; projection in the mass "
      "metric, error estimate of the unprojected step.\n",
      factors.size());
  std::printf("%-28s %8s %8s %8s %8s %8s %8s\n", "TOL", "dx", "dy", "dx'", "dy'", "dlambda", "RES");
  for (const Published& row : table) {
    compare(row.tolerance, "no projection", row.without, Projection::none);
    compare(row.tolerance, "projection", row.with, Projection::mass);
  }
  std::printf(
      "not reproduced: column ERR, whose weights are not in the text; RES with projection, ours is "
      "roundoff where theirs ends at the tolerance of its Gauss-Newton iteration; single entries "
      "of "
      "dx and dx' without projection, which change sign from run to run; the wheel set of section "
      "1.2, whose track is not in the text.\n");
}

}  // namespace trammel::bench

#include "coupling/multiplier_memory.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace trammel::coupling {
namespace {

constexpr std::size_t mostSamples = 10;

}  // namespace

Vector MultiplierMemory::extrapolated(double time, const Extrapolation& by) const {
  if (samples.empty()) return last;
  const auto count = std::min<Index>(by.count, std::ssize(samples));
  const Index size = std::min<Index>(by.degree + 1, count);
  // Weights w of the samples: those of least norm that are exact for powers up to the degree,
  // which is the polynomial of least squares. Times in units of the oldest keep powers even.
  const double unit = std::max(std::abs(samples[static_cast<std::size_t>(count) - 1].time), time);
  Matrix powers = Matrix::Ones(size, count);
  Vector wanted = Vector::Ones(size);
  for (Index i = 1; i < size; ++i) {
    for (Index j = 0; j < count; ++j) {
      powers(i, j) = powers(i - 1, j) * samples[static_cast<std::size_t>(j)].time / unit;
    }
    wanted[i] = wanted[i - 1] * time / unit;
  }
  const Vector w = powers.completeOrthogonalDecomposition().solve(wanted);
  Vector value = Vector::Zero(samples.front().lambda.size());
  for (Index j = 0; j < count; ++j) value += w[j] * samples[static_cast<std::size_t>(j)].lambda;
  return value;
}

/// How far off each extrapolation would have been; the last step counts half.
void MultiplierMemory::judge(const std::vector<MultiplierSample>& ofStep, VectorIn unit) {
  for (std::size_t i = 0; i < extrapolations.size(); ++i) {
    if (extrapolations[i].count > std::ssize(samples)) continue;
    double miss = 0;
    for (const MultiplierSample& sample : ofStep) {
      const Vector off = extrapolated(sample.time, extrapolations[i]) - sample.lambda;
      miss = std::max(miss, std::pow(off.cwiseQuotient(unit).lpNorm<Eigen::Infinity>(), 2));
    }
    misses[i] = misses[i] == untried ? miss : (misses[i] + miss) / 2;
  }
}

void MultiplierMemory::choose() {
  std::size_t best = 0;
  int highest = -1;
  for (std::size_t i = 0; i < extrapolations.size(); ++i) {
    if (misses[i] == untried) continue;
    if (misses[i] < misses[best]) best = i;
    highest = extrapolations[i].degree;
  }
  // The highest degree is the best so far: more samples were not there to try.
  if (extrapolations[best].degree == highest) {
    const auto next = std::find_if(extrapolations.begin(), extrapolations.end(),
                                   [&](const Extrapolation& e) { return e.degree > highest; });
    if (next != extrapolations.end() && next->count <= std::ssize(samples)) {
      best = static_cast<std::size_t>(next - extrapolations.begin());
    }
  }
  chosen = static_cast<int>(best);
}

void MultiplierMemory::take(const std::vector<MultiplierSample>& ofStep, double H, VectorIn unit) {
  judge(ofStep, unit);
  for (const MultiplierSample& sample : ofStep) samples.insert(samples.begin(), sample);
  if (samples.size() > mostSamples) samples.resize(mostSamples);
  for (MultiplierSample& sample : samples) sample.time -= H;
  choose();
}

void MultiplierMemory::restart(const Vector& lambda) {
  last = beforeLast = lambda;
  lastStep = 0;
  samples.assign(1, {0, lambda});
  misses.fill(untried);
  chosen = 0;
}

}  // namespace trammel::coupling

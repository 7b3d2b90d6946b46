#include "coupling/multiplier_memory.hpp"

#include <algorithm>

namespace trammel::coupling {
namespace {

constexpr int highestDegree = 3;  // beyond it extrapolation makes more of noise than of motion

}  // namespace

Vector MultiplierMemory::extrapolated(double time, int withDegree) const {
  if (samples.empty()) return last;
  const auto count = std::min(static_cast<std::size_t>(withDegree) + 1, samples.size());
  Vector value = Vector::Zero(samples.front().lambda.size());
  for (std::size_t i = 0; i < count; ++i) {  // Lagrange
    double weight = 1;
    for (std::size_t j = 0; j < count; ++j) {
      if (j == i) continue;
      weight *= (time - samples[j].time) / (samples[i].time - samples[j].time);
    }
    value += weight * samples[i].lambda;
  }
  return value;
}

void MultiplierMemory::take(const std::vector<MultiplierSample>& ofStep, double H) {
  const MultiplierSample& newest = ofStep.back();
  const auto most = std::min<int>(highestDegree, static_cast<int>(samples.size()) - 1);
  double best = 0;
  degree = 0;
  for (int d = 0; d <= most; ++d) {
    const double error = (extrapolated(newest.time, d) - newest.lambda).squaredNorm();
    if (d == 0 || error < best) {
      best = error;
      degree = d;
    }
  }
  if (degree == most && most < highestDegree) ++degree;  // more samples were not there to try
  for (const MultiplierSample& sample : ofStep) samples.insert(samples.begin(), sample);
  if (samples.size() > highestDegree + 1) samples.resize(highestDegree + 1);
  for (MultiplierSample& sample : samples) sample.time -= H;
}

void MultiplierMemory::restart(const Vector& lambda) {
  last = beforeLast = lambda;
  lastStep = 0;
  samples.assign(1, {0, lambda});
  degree = 0;
}

}  // namespace trammel::coupling

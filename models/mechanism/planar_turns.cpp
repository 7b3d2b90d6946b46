#include "models/mechanism/planar_turns.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace trammel {
namespace {

constexpr double largestAngle = 1e6;  // [rad], so that the quarter turns have 20 bits

// π/2 in three parts, of which the first two have 33 bits: products with 20 bits are exact.
constexpr double firstPart = 0x1.921fb544p+0, secondPart = 0x1.0b4611a6p-34,
                 thirdPart = 0x1.3198a2e037073p-69;

/// Without branches, so that the compiler can do several at once: x = k π/2 + r with |r| ≤ π/4, sin
/// and cos of r by Taylor, exchanged and negated as k says.
inline PlanarTurn turnOf(double x) {
  constexpr double roundingShift = 0x1.8p52;  // of a sum with it the last bits are the integer
  const double shifted = x * 0.63661977236758134308 + roundingShift;
  const double k = shifted - roundingShift;
  const auto quarters = std::bit_cast<std::uint64_t>(shifted);
  const double r = ((x - k * firstPart) - k * secondPart) - k * thirdPart;

  const double z = r * r;
  double odd = 1 / 355687428096000.0;  // 1/17!
  odd = odd * z - 1 / 1307674368000.0;
  odd = odd * z + 1 / 6227020800.0;
  odd = odd * z - 1 / 39916800.0;
  odd = odd * z + 1 / 362880.0;
  odd = odd * z - 1 / 5040.0;
  odd = odd * z + 1 / 120.0;
  odd = odd * z - 1 / 6.0;
  const double sine = r + r * (z * odd);
  double even = 1 / 20922789888000.0;  // 1/16!
  even = even * z - 1 / 87178291200.0;
  even = even * z + 1 / 479001600.0;
  even = even * z - 1 / 3628800.0;
  even = even * z + 1 / 40320.0;
  even = even * z - 1 / 720.0;
  even = even * z + 1 / 24.0;
  const double half = 0.5 * z, most = 1 - half;
  const double cosine = most + (((1 - most) - half) + z * z * even);  // what `most` has rounded off

  const std::uint64_t exchange = 0 - (quarters & 1);  // all bits or none
  const auto s = std::bit_cast<std::uint64_t>(sine), c = std::bit_cast<std::uint64_t>(cosine);
  const std::uint64_t difference = (s ^ c) & exchange;
  const std::uint64_t signOfSine = (quarters & 2) << 62, signOfCosine = ((quarters + 1) & 2) << 62;
  PlanarTurn turn;
  turn.cosine = std::bit_cast<double>((c ^ difference) ^ signOfCosine);
  turn.sine = std::bit_cast<double>((s ^ difference) ^ signOfSine);
  return turn;
}

}  // namespace

void setTurns(const double* x, const std::vector<int>& indices, std::vector<PlanarTurn>& turns) {
  assert(turns.size() == indices.size());
  // So many that numbers written one by one are in the cache when they are read by vectors.
  constexpr std::size_t most = 64;
  double angles[most], cosines[most], sines[most];
  for (std::size_t first = 0; first < indices.size(); first += most) {
    const std::size_t count = std::min(most, indices.size() - first);
    bool near = true;  // also false for what is not a number
    for (std::size_t i = 0; i < count; ++i) {
      angles[i] = x[indices[first + i]];
      near = near && std::abs(angles[i]) <= largestAngle;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const PlanarTurn turn = turnOf(angles[i]);
      cosines[i] = turn.cosine;
      sines[i] = turn.sine;
    }
    for (std::size_t i = 0; i < count; ++i) {
      turns[first + i].cosine = cosines[i];
      turns[first + i].sine = sines[i];
    }
    if (near) continue;
    for (std::size_t i = 0; i < count; ++i)
      if (!(std::abs(angles[i]) <= largestAngle)) turns[first + i] = PlanarTurn(angles[i]);
  }
}

}  // namespace trammel

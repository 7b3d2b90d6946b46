#include "models/mechanism/planar_turns.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace trammel {
namespace {

constexpr double largestAngle = 1.6e6;  // [rad], so that the quarter turns have 20 bits

// π/2 in three parts, of which the first two have 33 bits: products with 20 bits are exact.
constexpr double firstPart = 0x1.921fb544p+0, secondPart = 0x1.0b4611a6p-34,
                 thirdPart = 0x1.3198a2e037073p-69;

using Pair = double __attribute__((vector_size(16)));  // what a register of every x86-64 holds
using Bits = std::int64_t __attribute__((vector_size(16)));

constexpr double roundingShift = 0x1.8p52;  // of a sum with it the last bits are the integer

struct TurnPair {
  Pair cosine, sine;
  Bits quarters;  // k in the last bits

  /// No bits where both numbers k are so small that the rest is right, and numbers at all.
  Bits tooFar() const {
    constexpr std::int64_t most = 1 << 20;
    return (quarters + (most - std::bit_cast<std::int64_t>(roundingShift))) & -(2 * most);
  }
};

/// Two at once and without branches: x = k π/2 + r with |r| ≤ π/4, sin and cos of r by
/// Chebyshev's polynomials for (sin r − r)/r³ and (cos r − 1 + r²/2)/r⁴ in r², exchanged and
/// negated as k says.
inline TurnPair turnsOf(Pair x) {
  const Pair shifted = x * 0.63661977236758134308 + roundingShift;
  const Pair k = shifted - roundingShift;
  const Bits quarters = std::bit_cast<Bits>(shifted);
  const Pair r = ((x - k * firstPart) - k * secondPart) - k * thirdPart;

  const Pair z = r * r, z2 = z * z, z4 = z2 * z2;
  const Pair odd = ((0x1.1111111110bb1p-7 * z - 0x1.5555555555555p-3) +
                    (0x1.71de37961e4c0p-19 * z - 0x1.a01a019e8357cp-13) * z2) +
                   (0x1.5e0af18699f16p-33 * z - 0x1.ae600a926c40bp-26) * z4;
  const Pair sine = r + r * (z * odd);
  const Pair even = ((0x1.5555555555555p-5 - 0x1.6c16c16c16966p-10 * z) +
                     (0x1.a01a019f4e867p-16 - 0x1.27e4fa17a41b1p-22 * z) * z2) +
                    (0x1.1eeb68b108f2bp-29 - 0x1.907d7aebc05d2p-37 * z) * z4;
  const Pair half = 0.5 * z, most = 1 - half;
  const Pair cosine = most + (((1 - most) - half) + z2 * even);  // what `most` has rounded off

  const Bits exchange = 0 - (quarters & 1);  // all bits or none
  const Bits s = std::bit_cast<Bits>(sine), c = std::bit_cast<Bits>(cosine);
  const Bits difference = (s ^ c) & exchange;
  const Bits signOfSine = (quarters & 2) << 62, signOfCosine = ((quarters + 1) & 2) << 62;
  return {std::bit_cast<Pair>((c ^ difference) ^ signOfCosine),
          std::bit_cast<Pair>((s ^ difference) ^ signOfSine), quarters};
}

/// Not for what is not a number, either.
bool isNear(double angle) { return std::abs(angle) <= largestAngle; }

}  // namespace

void setTurns(const double* x, const std::vector<int>& indices, std::vector<PlanarTurn>& turns) {
  assert(turns.size() == indices.size());
  const std::size_t count = indices.size();
  const int* index = indices.data();
  PlanarTurn* to = turns.data();
  Bits far = {0, 0};
  std::size_t i = 0;
  for (; i + 1 < count; i += 2) {
    const TurnPair pair = turnsOf(Pair{x[index[i]], x[index[i + 1]]});
    far |= pair.tooFar();
    to[i].cosine = pair.cosine[0];
    to[i].sine = pair.sine[0];
    to[i + 1].cosine = pair.cosine[1];
    to[i + 1].sine = pair.sine[1];
  }
  if (i < count) {
    const TurnPair pair = turnsOf(Pair{x[index[i]], 0});
    far |= pair.tooFar();
    to[i].cosine = pair.cosine[0];
    to[i].sine = pair.sine[0];
  }
  if ((far[0] | far[1]) == 0) return;
  for (i = 0; i < count; ++i)
    if (!isNear(x[index[i]])) to[i] = PlanarTurn(x[index[i]]);
}

}  // namespace trammel

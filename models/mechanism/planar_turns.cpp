#include "models/mechanism/planar_turns.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "solver/wide.hpp"

namespace trammel {
namespace {

constexpr double largestAngle = 1.6e6;  // [rad], so that the quarter turns have 20 bits

// π/2 in three parts, of which the first two have 33 bits: products with 20 bits are exact.
constexpr double firstPart = 0x1.921fb544p+0, secondPart = 0x1.0b4611a6p-34,
                 thirdPart = 0x1.3198a2e037073p-69;

constexpr double roundingShift = 0x1.8p52;  // of a sum with it the last bits are the integer

/// Integers beside numbers. All operations are those of single numbers, so the results are the same
/// with both sizes.
struct TwoTurns {
  using Numbers = Pair;
  using Bits = std::int64_t __attribute__((vector_size(16)));
};
struct FourTurns {
  using Numbers = Quad;
  using Bits = std::int64_t __attribute__((vector_size(32)));
};

template <class Some>
struct Turns {
  using Numbers = typename Some::Numbers;
  using Bits = typename Some::Bits;

  Numbers cosine, sine;
  Bits tooFar;  // no bits where all numbers k are so small that the rest is right, and numbers

  /// x = k π/2 + r with |r| ≤ π/4, sin and cos of r by Chebyshev's polynomials for (sin r − r)/r³
  /// and (cos r − 1 + r²/2)/r⁴ in r², exchanged and negated as k says: no branches.
  [[gnu::always_inline]] explicit Turns(const Numbers& x) {
    const Numbers shifted = x * 0.63661977236758134308 + roundingShift;
    const Numbers k = shifted - roundingShift;
    const Bits quarters = reinterpret_cast<Bits>(shifted);  // k in the last bits
    constexpr std::int64_t largest = 1 << 20;
    tooFar = (quarters + (largest - std::bit_cast<std::int64_t>(roundingShift))) & -(2 * largest);
    const Numbers r = ((x - k * firstPart) - k * secondPart) - k * thirdPart;

    const Numbers z = r * r, z2 = z * z, z4 = z2 * z2;
    const Numbers odd = ((0x1.1111111110bb1p-7 * z - 0x1.5555555555555p-3) +
                         (0x1.71de37961e4c0p-19 * z - 0x1.a01a019e8357cp-13) * z2) +
                        (0x1.5e0af18699f16p-33 * z - 0x1.ae600a926c40bp-26) * z4;
    const Numbers s = r + r * (z * odd);
    const Numbers even = ((0x1.5555555555555p-5 - 0x1.6c16c16c16966p-10 * z) +
                          (0x1.a01a019f4e867p-16 - 0x1.27e4fa17a41b1p-22 * z) * z2) +
                         (0x1.1eeb68b108f2bp-29 - 0x1.907d7aebc05d2p-37 * z) * z4;
    const Numbers half = 0.5 * z, most = 1 - half;
    const Numbers c = most + (((1 - most) - half) + z2 * even);  // what `most` has rounded off

    const Bits exchange = 0 - (quarters & 1);  // all bits or none
    const Bits difference = (reinterpret_cast<Bits>(s) ^ reinterpret_cast<Bits>(c)) & exchange;
    const Bits signOfSine = (quarters & 2) << 62, signOfCosine = ((quarters + 1) & 2) << 62;
    cosine = reinterpret_cast<Numbers>((reinterpret_cast<Bits>(c) ^ difference) ^ signOfCosine);
    sine = reinterpret_cast<Numbers>((reinterpret_cast<Bits>(s) ^ difference) ^ signOfSine);
  }
};
/// The turns of the first angles, as many as fill registers; whether one was too far.
template <class Some>
[[gnu::always_inline]] inline bool turnMost(const double* x, const int*& index, const int* end,
                                            PlanarTurn*& to) {
  constexpr int size = sizeof(typename Some::Numbers) / sizeof(double);
  typename Some::Bits far = {};
  for (; end - index >= size; index += size, to += size) {
    typename Some::Numbers angles;
    for (int i = 0; i < size; ++i) angles[i] = x[index[i]];
    const Turns<Some> turns(angles);
    far |= turns.tooFar;
    for (int i = 0; i < size; ++i) {
      to[i].cosine = turns.cosine[i];
      to[i].sine = turns.sine[i];
    }
  }
  std::int64_t any = 0;
  for (int i = 0; i < size; ++i) any |= far[i];
  return any != 0;
}

/// Not for what is not a number, either.
bool isNear(double angle) { return std::abs(angle) <= largestAngle; }

}  // namespace

void setTurns(const double* x, std::span<const int> indices, PlanarTurn* turns) {
  const int *index = indices.data(), *const end = index + indices.size();
  PlanarTurn* to = turns;
  bool far = false;
  if (hasWide())
    actWide([&]() __attribute__((always_inline)) { far = turnMost<FourTurns>(x, index, end, to); });
  far |= turnMost<TwoTurns>(x, index, end, to);
  if (index < end) {
    const Turns<TwoTurns> last(Pair{x[*index], 0});
    far |= last.tooFar[0] != 0;
    to->cosine = last.cosine[0];
    to->sine = last.sine[0];
  }
  if (!far) return;
  for (const int i : indices) {
    if (!isNear(x[i])) *turns = PlanarTurn(x[i]);
    ++turns;
  }
}

}  // namespace trammel

#include "solver/dense_inverse.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "solver/known_size.hpp"
#include "solver/pairs.hpp"
#include "solver/wide.hpp"

namespace trammel {

namespace {

// Few unknowns, whose number the compiler knows.

constexpr Index evenUp(Index size) { return (size + 1) / 2 * 2; }

/// D U⁻¹ L⁻¹ P D, row by row until the end.
template <class Size>
void fillFew(const DenseInverse::Factors& factors, Size size, const double* scale,
             double* inverse) {
  const double* lu = factors.lu;
  double rows[size * size];
  for (Index i = 0; i < size; ++i) {
    double* const row = rows + i * size;
    for (Index k = 0; k < size; ++k) row[k] = k == factors.rows[i] ? scale[k] : 0;
  }
  const auto subtractRow = [&](Index from, double factor, Index to) {
    subtractMultiple(factor, rows + from * size, rows + to * size, size);
  };
  for (Index j = 0; j < size; ++j)
    for (Index i = j + 1; i < size; ++i) subtractRow(j, lu[j * size + i], i);
  for (Index j = size - 1; j >= 0; --j) {
    double* const row = rows + j * size;
    const double factor = factors.inversePivots[j];
    forPairs(size,
             [&]<class Some>(Index k) { store<Some>(factor * load<Some>(row + k), row + k); });
    for (Index i = 0; i < j; ++i) subtractRow(j, lu[j * size + i], i);
  }
  for (Index i = 0; i < size; ++i)
    for (Index k = 0; k < size; ++k) inverse[i + k * evenUp(size)] = scale[i] * rows[i * size + k];
}

/// to = Σ_j x_j (column j), of the first rows, in two sums, so that a column need not wait for the
/// one before, and the last column where their number is odd. Numbers of x are read one by one.
template <class Rows, class Count>
void sumPairs(Rows rows, const double* columns, Index stride, const double* x, Count count,
              double* to) {
  constexpr auto pairs = static_cast<std::size_t>(evenUp(Rows::value) / 2);
  Pair even[pairs] = {}, odd[pairs] = {};
  const auto add = [=](Index j, Pair* sums) {
    for (std::size_t k = 0; k < pairs; ++k)
      sums[k] += x[j] * pairAt(columns + j * stride + static_cast<Index>(2 * k));
  };
  Index j = 0;
  for (; j + 1 < count; j += 2) {
    add(j, even);
    add(j + 1, odd);
  }
  for (std::size_t k = 0; k < pairs; ++k) even[k] += odd[k];
  if (j < count) add(j, even);
  for (Index i = 0; i + 1 < rows; i += 2) pairAt(to + i) = even[i / 2];
  if (rows % 2 != 0) to[rows - 1] = even[pairs - 1][0];
}

// More: some quads of each at a time, which stay in registers.

constexpr Index mostQuads = 4;

/// Numbers first … first + 4 quads − 1 of all columns of the inverse, which are rows of its
/// transpose Pᵀ L⁻ᵀ U⁻ᵀ: in `rows` those of U⁻ᵀ D, then of L⁻ᵀ U⁻ᵀ D.
template <std::size_t quads>
void fillColumns(const DenseInverse::Factors& factors, Index size, const double* scale, Index first,
                 Index stride, double* rows, double* columns) {
  act([=]() __attribute__((always_inline)) {
    const auto subtract = [=](const double* factor, Index from, Index end, Quad* row)
        __attribute__((always_inline)) {
      for (Index j = from; j < end; ++j)
        for (std::size_t k = 0; k < quads; ++k)
          row[k] -= factor[j] * quadAt(rows + j * stride + 4 * k);
    };
    for (Index i = 0; i < size; ++i) {
      const auto diagonal = static_cast<double>(i - first);
      Quad row[quads];
      for (std::size_t k = 0; k < quads; ++k)
        row[k] =
            Quad{0, 1, 2, 3} + static_cast<double>(4 * k) == diagonal ? Quad{} + scale[i] : Quad{};
      subtract(factors.lu + i * factors.stride, first, i, row);
      for (std::size_t k = 0; k < quads; ++k)
        quadAt(rows + i * stride + 4 * k) = factors.inversePivots[i] * row[k];
    }
    for (Index i = size - 1; i >= 0; --i) {
      double* own = rows + i * stride;
      Quad row[quads];
      for (std::size_t k = 0; k < quads; ++k) row[k] = quadAt(own + 4 * k);
      subtract(factors.lu + i * factors.stride, i + 1, size, row);
      const Index j = factors.rows[i];
      for (std::size_t k = 0; k < quads; ++k) {
        quadAt(own + 4 * k) = row[k];
        quadAt(columns + j * stride + 4 * k) = scale[j] * row[k];
      }
    }
  });
}

/// to = Σ_j x_j (column j), as many rows of it as there are.
template <std::size_t quads>
void sumQuads(const double* columns, Index stride, const double* x, Index count, double* to,
              Index rows) {
  act([=]() __attribute__((always_inline)) {
    Quad even[quads] = {}, odd[quads] = {};  // a column need not wait for the one before
    const auto add = [=](Index j, Quad * sums) __attribute__((always_inline)) {
      for (std::size_t k = 0; k < quads; ++k)
        sums[k] += x[j] * quadAt(columns + j * stride + 4 * k);
    };
    Index j = 0;
    for (; j + 1 < count; j += 2) {
      add(j, even);
      add(j + 1, odd);
    }
    if (j < count) add(j, even);
    constexpr std::size_t last = quads - 1;
    for (std::size_t k = 0; k < last; ++k) quadAt(to + 4 * k) = even[k] + odd[k];
    const Quad sum = even[last] + odd[last];
    const Index rest = rows - static_cast<Index>(4 * last);
    double* const end = to + 4 * last;
    if (rest >= 4) {
      quadAt(end) = sum;
      return;
    }
    if (rest >= 2) pairAt(end) = __builtin_shufflevector(sum, sum, 0, 1);
    if (rest == 1) end[0] = sum[0];
    if (rest == 3) end[2] = sum[2];
  });
}

constexpr std::array fills = {fillColumns<1>, fillColumns<2>, fillColumns<3>,
                              fillColumns<mostQuads>};
constexpr std::array sums = {sumQuads<1>, sumQuads<2>, sumQuads<3>, sumQuads<mostQuads>};

/// Calls visit(first, quads) for the numbers 0 … count − 1, filled up to whole quads.
template <class Visit>
void forBlocks(Index count, Visit visit) {
  for (Index first = 0; first < count; first += 4 * mostQuads)
    visit(first, static_cast<std::size_t>(std::min(mostQuads, (count - first + 3) / 4)));
}

/// Calls few(size) with a constant, or many() where there are more.
template <class Few, class Many>
void bySize(Index size, Few few, Many many) {
  withKnownSize(size, [&](auto known) {
    if constexpr (std::is_same_v<decltype(known), Index>) {
      many();
    } else {
      few(known);
    }
  });
}

}  // namespace

DenseInverse::DenseInverse(Index size)
    : size_(size), stride_(isKnownSize(size) ? evenUp(size) : strideOf(size)) {
  numbers_.resize(static_cast<std::size_t>(size * stride_));
  scratch_.resize(numbers_.size());
}

void DenseInverse::set(const Factors& factors, const Vector& scale) {
  bySize(
      size_, [&](auto size) { fillFew(factors, size, scale.data(), numbers_.data()); },
      [&] {
        forBlocks(size_, [&](Index first, std::size_t quads) {
          fills[quads - 1](factors, size_, scale.data(), first, stride_, scratch_.data() + first,
                           numbers_.data() + first);
        });
      });
}

void DenseInverse::clearColumn(Index j) {
  for (Index i = 0; i < size_; ++i) numbers_[index(i, j)] = 0;
}

void DenseInverse::multiply(double* x) {
  bySize(
      size_, [&](auto size) { sumPairs(size, numbers_.data(), evenUp(size), x, size, x); },
      [&] { multiplyMany(x); });
}

void DenseInverse::multiplyLeading(double* x, Index leading) const {
  if (!isKnownSize(size_)) return multiplyLeadingMany(x, leading);
  bySize(
      leading,
      [&](auto rows) {
        sumPairs(rows, numbers_.data() + index(0, leading), stride_, x + leading, size_ - leading,
                 x);
      },
      [] {});
}

void DenseInverse::multiplyMany(double* x) {
  const double* from = x;
  if (size_ > 4 * mostQuads) {  // a block of the product is written before the next is begun
    std::copy_n(x, size_, scratch_.data());
    from = scratch_.data();
  }
  forBlocks(size_, [&](Index first, std::size_t quads) {
    sums[quads - 1](numbers_.data() + first, stride_, from, size_, x + first, size_ - first);
  });
}

void DenseInverse::multiplyLeadingMany(double* x, Index leading) const {
  forBlocks(leading, [&](Index first, std::size_t quads) {
    sums[quads - 1](numbers_.data() + index(first, leading), stride_, x + leading, size_ - leading,
                    x + first, leading - first);
  });
}

}  // namespace trammel

#include "bench/peers/ida_spatial_chain.hpp"

#include <Eigen/SparseLU>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "bench/peers/dual.hpp"
#include "bench/peers/sparse_pattern.hpp"

namespace trammel::bench {

namespace {

constexpr double mass = 1, half = 0.5, gravity = 9.81;                       // [kg], [m], [m/s²]
constexpr std::array<double, 3> inertia{0.00125, 1.0 / 12, 1.0 / 12};        // [kg m²]
constexpr double added = (inertia[0] + inertia[1] + inertia[2]) / 3;         // j, see turning()
constexpr std::size_t R = 0, P = 3, V = 7, S = 10, Lambda = 14, Sigma = 17;  // within a body
constexpr std::size_t Mu = 18, Nu = 21;

template <class T>
using Four = std::array<T, 4>;
using Matrix34 = std::array<Four<double>, 3>;

/// 3×4 matrix L of the angular velocity in body axes, ω = 2 L(p) p'.
template <class T>
std::array<T, 3> timesL(const Four<T>& p, const Four<T>& x) {
  return {p[0] * x[1] - p[1] * x[0] + p[3] * x[2] - p[2] * x[3],
          p[0] * x[2] - p[2] * x[0] - p[3] * x[1] + p[1] * x[3],
          p[0] * x[3] - p[3] * x[0] + p[2] * x[1] - p[1] * x[2]};
}
template <class T>
Four<T> timesLTransposed(const Four<T>& p, const std::array<T, 3>& y) {
  return {-p[1] * y[0] - p[2] * y[1] - p[3] * y[2], p[0] * y[0] - p[3] * y[1] + p[2] * y[2],
          p[3] * y[0] + p[0] * y[1] - p[1] * y[2], -p[2] * y[0] + p[1] * y[1] + p[0] * y[2]};
}

/// Forces of inertia on the Euler parameters: 4 LᵀJ L p'' + 4 j p (pᵀp'') + 8 L(p')ᵀ J L(p) p'. The
/// term with j makes the mass matrix regular and changes only the multiplier of |p| = 1.
template <class T>
Four<T> turning(const Four<T>& p, const Four<T>& s, const Four<double>& acceleration) {
  Four<T> a;
  for (std::size_t k = 0; k < 4; ++k) a[k] = T(acceleration[k]);
  std::array<T, 3> spin = timesL(p, s), rise = timesL(p, a);
  for (std::size_t k = 0; k < 3; ++k) {
    spin[k] = (8 * inertia[k]) * spin[k];
    rise[k] = (4 * inertia[k]) * rise[k];
  }
  const T along = (4 * added) * (p[0] * a[0] + p[1] * a[1] + p[2] * a[2] + p[3] * a[3]);
  const Four<T> first = timesLTransposed(p, rise), second = timesLTransposed(s, spin);
  Four<T> out;
  for (std::size_t k = 0; k < 4; ++k) out[k] = first[k] + second[k] + along * p[k];
  return out;
}

/// B = ∂a/∂p of the rod's direction a(p), the first column of the rotation matrix; a = B p/2.
Matrix34 directionGradient(const double* p) {
  return {{{2 * p[0], 2 * p[1], -2 * p[2], -2 * p[3]},
           {2 * p[3], 2 * p[2], 2 * p[1], 2 * p[0]},
           {-2 * p[2], 2 * p[3], -2 * p[0], 2 * p[1]}}};
}

/// H = ∂(Bᵀλ)/∂p, constant in p.
std::array<Four<double>, 4> curvature(const double* l) {
  return {{{2 * l[0], 0, -2 * l[2], 2 * l[1]},
           {0, 2 * l[0], 2 * l[1], 2 * l[2]},
           {-2 * l[2], 2 * l[1], -2 * l[0], 0},
           {2 * l[1], 2 * l[2], 0, -2 * l[0]}}};
}

Four<double> four(const double* x) { return {x[0], x[1], x[2], x[3]}; }

/// Joint i: r + A s of rod i − 1 at its end (the ground before the first) minus that of rod i at
/// its beginning. A body's unknowns stand together: r, p, v, p', λ, σ, and μ, ν if stabilised.
class Chain final : public IdaSystem {
 public:
  Chain(int rods, bool stabilised, std::vector<int> outputBodies)
      : rods_(static_cast<std::size_t>(rods)),
        stabilised_(stabilised),
        stride_(stabilised ? 22 : 18),
        outputBodies_(std::move(outputBodies)) {}

  std::vector<Unknown> unknowns() const override {
    std::vector<Unknown> kinds(rods_ * stride_, Unknown::multiplier);
    for (std::size_t i = 0; i < rods_; ++i)
      for (std::size_t k = 0; k < Lambda; ++k)
        kinds[i * stride_ + k] = k < V ? Unknown::position : Unknown::velocity;
    return kinds;
  }

  void start(double* y, double* yp) override {
    std::fill_n(y, rods_ * stride_, 0.0);
    std::fill_n(yp, rods_ * stride_, 0.0);
    constexpr double angle = std::numbers::pi / 6;
    double x = 0, z = 0;  // beginning of the rod
    for (std::size_t i = 0; i < rods_; ++i) {
      double* body = y + i * stride_;
      const double turn = i % 2 == 0 ? angle : -angle;
      body[R] = x + half * std::cos(turn);
      body[R + 1] = z + half * std::sin(turn);
      body[P] = std::cos(turn / 2);
      body[P + 3] = std::sin(turn / 2);
      x += std::cos(turn);
      z += std::sin(turn);
    }
    solveAccelerations(y, yp);
  }

  void residual(double, const double* y, const double* yp, double* r) override {
    for (std::size_t i = 0; i < rods_; ++i) {
      const double *body = y + i * stride_, *rate = yp + i * stride_;
      double* out = r + i * stride_;
      for (std::size_t k = 0; k < 7; ++k) out[R + k] = rate[R + k] - body[V + k];
      for (std::size_t k = 0; k < 3; ++k) out[V + k] = mass * rate[V + k];
      out[V + 2] += mass * gravity;
      const Four<double> p = four(body + P), s = four(body + S);
      const Four<double> inertial = turning<double>(p, s, four(rate + S));
      double length = -1, growth = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        out[S + k] = inertial[k] + 2 * p[k] * body[Sigma];
        length += p[k] * p[k];
        growth += 2 * p[k] * s[k];
        if (stabilised_) out[P + k] += 2 * p[k] * body[Nu];
      }
      out[Sigma] = growth;
      std::fill_n(out + Lambda, 3, 0.0);
      if (stabilised_) {
        out[Nu] = length;
        std::fill_n(out + Mu, 3, 0.0);
      }
    }
    for (std::size_t i = 0; i < rods_; ++i) {
      const Matrix34 B = directionGradient(y + i * stride_ + P);
      addSide(i, i, -1, B, y, r);
      if (i + 1 < rods_) addSide(i + 1, i, 1, B, y, r);
    }
  }

  void pattern(std::vector<long>& pointers, std::vector<long>& rows) override {
    std::vector<double> y(rods_ * stride_), yp(rods_ * stride_);
    start(y.data(), yp.data());
    SparsePattern pattern(rods_ * stride_);
    assemble(1, y.data(), yp.data(),
             [&](std::size_t row, std::size_t column, double) { pattern.add(row, column); });
    slots_ = pattern.finish(pointers, rows);
  }
  void jacobian(double, double cj, const double* y, const double* yp, double* values) override {
    const long* slot = slots_.data();
    assemble(cj, y, yp, [&](std::size_t, std::size_t, double value) { values[*slot++] += value; });
  }
  void outputs(const double* y, std::vector<double>& out) const override {
    for (const int i : outputBodies_) {
      const double* r = y + static_cast<std::size_t>(i) * stride_ + R;
      out.insert(out.end(), r, r + 3);
    }
  }

 private:
  /// Body's part of a joint: ±(r ± half a(p)); both ends have sign · half · sign = half · a.
  void addSide(std::size_t joint, std::size_t index, double sign, const Matrix34& B,
               const double* y, double* r) const {
    const double *body = y + index * stride_, *pin = y + joint * stride_;
    double *out = r + index * stride_, *row = r + joint * stride_;
    for (std::size_t k = 0; k < 3; ++k) {
      double place = 0, speed = 0;
      for (std::size_t c = 0; c < 4; ++c) {
        place += B[k][c] * body[P + c];
        speed += B[k][c] * body[S + c];
        out[S + c] += half * B[k][c] * pin[Lambda + k];
        if (stabilised_) out[P + c] += half * B[k][c] * pin[Mu + k];
      }
      row[Lambda + k] += sign * body[V + k] + half * speed;
      out[V + k] += sign * pin[Lambda + k];
      if (!stabilised_) continue;
      row[Mu + k] += sign * body[R + k] + half * place / 2;
      out[R + k] += sign * pin[Mu + k];
    }
  }

  template <class Add>
  void assemble(double cj, const double* y, const double* yp, const Add& add) const {
    for (std::size_t i = 0; i < rods_; ++i) {
      assembleBody(i, cj, y + i * stride_, yp + i * stride_, add);
      const Matrix34 B = directionGradient(y + i * stride_ + P);
      assembleSide(i, i, -1, B, y, add);
      if (i + 1 < rods_) assembleSide(i + 1, i, 1, B, y, add);
    }
  }
  template <class Add>
  void assembleBody(std::size_t i, double cj, const double* body, const double* rate,
                    const Add& add) const {
    const std::size_t at = i * stride_;
    for (std::size_t k = 0; k < 7; ++k) {
      add(at + R + k, at + R + k, cj);
      add(at + R + k, at + V + k, -1);
    }
    for (std::size_t k = 0; k < 3; ++k) add(at + V + k, at + V + k, cj * mass);
    using D = Dual<8>;  // by p and p'
    Four<D> p, s;
    for (std::size_t k = 0; k < 4; ++k) {
      p[k] = D::variable(body[P + k], k);
      s[k] = D::variable(body[S + k], 4 + k);
    }
    const Four<D> inertial = turning<D>(p, s, four(rate + S));
    const auto M = massMatrix(body + P);
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t c = 0; c < 4; ++c) {
        add(at + S + k, at + P + c, inertial[k].d[c] + (k == c ? 2 * body[Sigma] : 0));
        add(at + S + k, at + S + c, inertial[k].d[4 + c] + cj * M[k][c]);
      }
      const double gradient = 2 * body[P + k];
      add(at + S + k, at + Sigma, gradient);
      add(at + Sigma, at + S + k, gradient);
      add(at + Sigma, at + P + k, 2 * body[S + k]);
      if (!stabilised_) continue;
      add(at + P + k, at + P + k, 2 * body[Nu]);
      add(at + P + k, at + Nu, gradient);
      add(at + Nu, at + P + k, gradient);
    }
  }
  template <class Add>
  void assembleSide(std::size_t joint, std::size_t index, double sign, const Matrix34& B,
                    const double* y, const Add& add) const {
    const std::size_t at = index * stride_, row = joint * stride_;
    const Matrix34 Brate = directionGradient(y + at + S);
    for (std::size_t k = 0; k < 3; ++k) {
      add(row + Lambda + k, at + V + k, sign);
      add(at + V + k, row + Lambda + k, sign);
      if (stabilised_) {
        add(row + Mu + k, at + R + k, sign);
        add(at + R + k, row + Mu + k, sign);
      }
      for (std::size_t c = 0; c < 4; ++c) {
        const double G = half * B[k][c];
        add(row + Lambda + k, at + S + c, G);
        add(row + Lambda + k, at + P + c, half * Brate[k][c]);
        add(at + S + c, row + Lambda + k, G);
        if (!stabilised_) continue;
        add(row + Mu + k, at + P + c, G);
        add(at + P + c, row + Mu + k, G);
      }
    }
    const auto H = curvature(y + row + Lambda);
    const auto Hmu = stabilised_ ? curvature(y + row + Mu) : H;
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t c = 0; c < 4; ++c) {
        add(at + S + k, at + P + c, half * H[k][c]);
        if (stabilised_) add(at + P + k, at + P + c, half * Hmu[k][c]);
      }
  }

  static std::array<Four<double>, 4> massMatrix(const double* parameters) {
    std::array<Four<double>, 4> M;
    for (std::size_t c = 0; c < 4; ++c) {
      Four<double> unit{};
      unit[c] = 1;
      const Four<double> column = turning<double>(four(parameters), Four<double>{}, unit);
      for (std::size_t k = 0; k < 4; ++k) M[k][c] = column[k];
    }
    return M;
  }

  /// At rest: [M Gᵀ; G 0] [v'; λ] = [f; 0], in the numbering of the unknowns without q and μ.
  void solveAccelerations(double* y, double* yp) const {
    constexpr std::size_t size = 11;  // v', p'', λ, σ of a body
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::VectorXd b = Eigen::VectorXd::Zero(static_cast<long>(size * rods_));
    const auto put = [&](std::size_t row, std::size_t column, double value) {
      entries.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
    };
    for (std::size_t i = 0; i < rods_; ++i) {
      const double* p = y + i * stride_ + P;
      const std::size_t at = size * i;
      const auto M = massMatrix(p);
      const Matrix34 B = directionGradient(p);
      b[static_cast<long>(at + 2)] = -mass * gravity;
      for (std::size_t k = 0; k < 3; ++k) put(at + k, at + k, mass);
      for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t c = 0; c < 4; ++c) put(at + 3 + k, at + 3 + c, M[k][c]);
        put(at + 3 + k, at + 10, 2 * p[k]);
        put(at + 10, at + 3 + k, 2 * p[k]);
      }
      for (std::size_t joint = i; joint < std::min(i + 2, rods_); ++joint)
        for (std::size_t k = 0; k < 3; ++k) {
          const std::size_t row = size * joint + 7 + k;
          const double sign = joint == i ? -1 : 1;
          put(row, at + k, sign);
          put(at + k, row, sign);
          for (std::size_t c = 0; c < 4; ++c) {
            put(row, at + 3 + c, half * B[k][c]);
            put(at + 3 + c, row, half * B[k][c]);
          }
        }
    }
    Eigen::SparseMatrix<double> A(b.size(), b.size());
    A.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(A);
    if (lu.info() != Eigen::Success) throw std::runtime_error("singular at the start");
    const Eigen::VectorXd x = lu.solve(b);
    for (std::size_t i = 0; i < rods_; ++i)
      for (std::size_t k = 0; k < size; ++k)
        (k < 7 ? yp + V : y + V)[i * stride_ + k] = x[static_cast<long>(size * i + k)];
  }

  std::size_t rods_;
  bool stabilised_;
  std::size_t stride_;
  std::vector<int> outputBodies_;
  std::vector<long> slots_;
};

}  // namespace

std::unique_ptr<IdaSystem> makeIdaSpatialChain(int rods, bool stabilised,
                                               std::vector<int> outputBodies) {
  return std::make_unique<Chain>(rods, stabilised, std::move(outputBodies));
}

}  // namespace trammel::bench

#include "bench/peers/ida_planar_linkage.hpp"

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "bench/peers/dual.hpp"
#include "bench/peers/sparse_pattern.hpp"

namespace trammel::bench {

PlanarLinkage planarChain(int rods, bool hard) {
  PlanarLinkage chain;
  const double length = hard ? 1.0 / rods : 1.0, mass = length;
  for (int i = 0; i < rods; ++i) {
    chain.bodies.push_back({mass, mass * length * length / 12, {(i + 0.5) * length, 0, 0}, {}});
    chain.pins.push_back({i - 1, i, {i == 0 ? 0.0 : length / 2, 0}, {-length / 2, 0}});
  }
  return chain;
}

PlanarLinkage fourBars(int count) {
  PlanarLinkage linkage;
  constexpr double upright = std::numbers::pi / 2;
  for (int i = 0; i <= count; ++i) {
    const double x = i;
    linkage.bodies.push_back({1, 1.0 / 12, {x, 0.5, upright}, {0.5, 0, -1}});
    linkage.pins.push_back({-1, i, {x, 0}, {-0.5, 0}});
  }
  for (int i = 0; i < count; ++i) {
    const int coupler = count + 1 + i;
    linkage.bodies.push_back({1, 1.0 / 12, {i + 0.5, 1, 0}, {1, 0, 0}});
    linkage.pins.push_back({i, coupler, {0.5, 0}, {-0.5, 0}});
    linkage.pins.push_back({i + 1, coupler, {0.5, 0}, {0.5, 0}});
  }
  return linkage;
}

PlanarLinkage cantilever(int elements) {
  constexpr double L = 2, w = 0.02, h = 0.01, E = 210e9, rho = 7850, beta = 1e-3;
  const double l = L / elements, area = w * h, I = w * h * h * h / 12;
  PlanarLinkage beam;
  for (int i = 0; i < elements; ++i) {
    const double mass = rho * area * l * (i + 1 == elements ? 0.5 : 1.0);
    beam.bodies.push_back({mass, mass * (l * l + h * h) / 12, {(i + 1) * l, 0, 0}, {}});
    beam.beams.push_back({i - 1, i, l, E * area / l, 12 * E * I / (l * l * l), -6 * E * I / (l * l),
                          4 * E * I / l, beta});
  }
  return beam;
}

namespace {

/// Forces of a beam on (a, b): z = (A_aᵀ (r_b − r_a) − (l, 0), φ_b − φ_a), on b −K (z + β z') in
/// axes of a, on a the reaction at the same place. q, v: those of a, then of b.
template <class T>
std::array<T, 6> beamForces(const PlanarBeam& beam, const std::array<T, 6>& q,
                            const std::array<T, 6>& v) {
  using std::cos, std::sin;
  const T c = cos(q[2]), s = sin(q[2]), dx = q[3] - q[0], dy = q[4] - q[1];
  const T ux = c * dx + s * dy, uy = c * dy - s * dx;
  const T wx = v[3] - v[0], wy = v[4] - v[1];
  const T x = ux - beam.length + beam.beta * (c * wx + s * wy + v[2] * uy);
  const T y = uy + beam.beta * (c * wy - s * wx - v[2] * ux);
  const T phi = q[5] - q[2] + beam.beta * (v[5] - v[2]);
  const T fx = -beam.axial * x, fy = -(beam.shear * y + beam.cross * phi);
  const T torque = -(beam.cross * y + beam.bending * phi);
  const T gx = c * fx - s * fy, gy = s * fx + c * fy;
  return {-gx, -gy, -torque - (dx * gy - dy * gx), gx, gy, torque};
}

class Linkage final : public IdaSystem {
 public:
  Linkage(const PlanarLinkage& linkage, bool stabilised, std::vector<int> outputBodies,
          std::size_t component)
      : bodies_(linkage.bodies),
        pins_(linkage.pins),
        beams_(linkage.beams),
        gravity_(linkage.gravity),
        stabilised_(stabilised),
        outputBodies_(std::move(outputBodies)),
        component_(component),
        cosine_(bodies_.size()),
        sine_(bodies_.size()) {
    numberUnknowns();
  }

  std::vector<Unknown> unknowns() const override {
    std::vector<Unknown> kinds(size_, Unknown::multiplier);
    for (const std::size_t at : bodyAt_) {
      std::fill_n(kinds.begin() + static_cast<long>(at), 3, Unknown::position);
      std::fill_n(kinds.begin() + static_cast<long>(at) + 3, 3, Unknown::velocity);
    }
    return kinds;
  }

  void start(double* y, double* yp) override {
    std::fill_n(y, size_, 0.0);
    std::fill_n(yp, size_, 0.0);
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        y[bodyAt_[i] + k] = bodies_[i].q[k];
        yp[bodyAt_[i] + k] = y[bodyAt_[i] + 3 + k] = bodies_[i].v[k];
      }
    solveAccelerations(y, yp);
  }

  void residual(double, const double* y, const double* yp, double* r) override {
    turn(y);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const std::size_t at = bodyAt_[i];
      const PlanarBody& body = bodies_[i];
      for (std::size_t k = 0; k < 3; ++k) r[at + k] = yp[at + k] - y[at + 3 + k];
      r[at + 3] = body.mass * yp[at + 3];
      r[at + 4] = body.mass * (yp[at + 4] + gravity_);
      r[at + 5] = body.inertia * yp[at + 5];
    }
    for (const PlanarBeam& beam : beams_) subtractForces(beam, y, r);
    for (std::size_t j = 0; j < pins_.size(); ++j) {
      double* g = r + pinAt_[j];
      std::fill_n(g, stabilised_ ? 4 : 2, 0.0);
      addSide(j, pins_[j].a, pins_[j].sa, 1, y, r);
      addSide(j, pins_[j].b, pins_[j].sb, -1, y, r);
    }
  }

  void pattern(std::vector<long>& pointers, std::vector<long>& rows) override {
    std::vector<double> y(size_), yp(size_);
    start(y.data(), yp.data());
    SparsePattern pattern(size_);
    assemble(1, y.data(),
             [&](std::size_t row, std::size_t column, double) { pattern.add(row, column); });
    slots_ = pattern.finish(pointers, rows);
  }

  void jacobian(double, double cj, const double* y, const double*, double* values) override {
    turn(y);
    const long* slot = slots_.data();
    assemble(cj, y, [&](std::size_t, std::size_t, double value) { values[*slot++] += value; });
  }

  void outputs(const double* y, std::vector<double>& out) const override {
    for (const int i : outputBodies_)
      out.push_back(y[bodyAt_[static_cast<std::size_t>(i)] + component_]);
  }

 private:
  /// q, v of a body, then (λ, μ) of the pins whose later body it is.
  void numberUnknowns() {
    std::vector<std::vector<std::size_t>> pinsOf(bodies_.size());
    for (std::size_t j = 0; j < pins_.size(); ++j)
      pinsOf[static_cast<std::size_t>(std::max(pins_[j].a, pins_[j].b))].push_back(j);
    pinAt_.resize(pins_.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      bodyAt_.push_back(size_);
      size_ += 6;
      for (const std::size_t j : pinsOf[i]) {
        pinAt_[j] = size_;
        size_ += stabilised_ ? 4 : 2;
      }
    }
  }
  void turn(const double* y) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      cosine_[i] = std::cos(y[bodyAt_[i] + 2]);
      sine_[i] = std::sin(y[bodyAt_[i] + 2]);
    }
  }

  /// One body's part of a pin: g = r + A s, G = [I, A' s], forces Gᵀλ and corrections Gᵀμ.
  void addSide(std::size_t pin, int index, const std::array<double, 2>& s, double sign,
               const double* y, double* r) const {
    double *rate = r + pinAt_[pin], *g = rate + 2;
    if (index < 0) {
      if (stabilised_) {
        g[0] += sign * s[0];
        g[1] += sign * s[1];
      }
      return;
    }
    const auto i = static_cast<std::size_t>(index);
    const std::size_t at = bodyAt_[i];
    const double x = cosine_[i] * s[0] - sine_[i] * s[1], z = sine_[i] * s[0] + cosine_[i] * s[1];
    const double *lambda = y + pinAt_[pin], *mu = lambda + 2;
    r[at + 3] += sign * lambda[0];
    r[at + 4] += sign * lambda[1];
    r[at + 5] += sign * (x * lambda[1] - z * lambda[0]);
    rate[0] += sign * (y[at + 3] - z * y[at + 5]);
    rate[1] += sign * (y[at + 4] + x * y[at + 5]);
    if (!stabilised_) return;
    r[at] += sign * mu[0];
    r[at + 1] += sign * mu[1];
    r[at + 2] += sign * (x * mu[1] - z * mu[0]);
    g[0] += sign * (y[at] + x);
    g[1] += sign * (y[at + 1] + z);
  }

  void subtractForces(const PlanarBeam& beam, const double* y, double* r) const {
    std::array<double, 6> q{}, v{};
    gather(beam, y, [&](std::size_t k, double position, double velocity) {
      q[k] = position;
      v[k] = velocity;
    });
    const std::array<double, 6> force = beamForces(beam, q, v);
    for (std::size_t k = beam.a < 0 ? 3 : 0; k < 6; ++k) r[rowOf(beam, k)] -= force[k];
  }
  template <class Add>
  void assembleBeam(const PlanarBeam& beam, const double* y, const Add& add) const {
    using D = Dual<12>;  // by q and v
    std::array<D, 6> q{}, v{};
    gather(beam, y, [&](std::size_t k, double position, double velocity) {
      q[k] = D::variable(position, k);
      v[k] = D::variable(velocity, 6 + k);
    });
    const std::array<D, 6> force = beamForces(beam, q, v);
    const std::size_t first = beam.a < 0 ? 3 : 0;
    for (std::size_t k = first; k < 6; ++k)
      for (std::size_t c = first; c < 6; ++c) {
        add(rowOf(beam, k), rowOf(beam, c) - 3, -force[k].d[c]);
        add(rowOf(beam, k), rowOf(beam, c), -force[k].d[6 + c]);
      }
  }
  /// Calls take(k, q_k, v_k) for the coordinates of both bodies; those of the ground are zero.
  template <class Take>
  void gather(const PlanarBeam& beam, const double* y, const Take& take) const {
    for (std::size_t k = beam.a < 0 ? 3 : 0; k < 6; ++k)
      take(k, y[rowOf(beam, k) - 3], y[rowOf(beam, k)]);
  }
  std::size_t rowOf(const PlanarBeam& beam, std::size_t k) const {
    return bodyAt_[static_cast<std::size_t>(k < 3 ? beam.a : beam.b)] + 3 + k % 3;
  }

  /// ∂F/∂y + cj ∂F/∂y', entry by entry in an order that never changes.
  template <class Add>
  void assemble(double cj, const double* y, const Add& add) const {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const std::size_t at = bodyAt_[i];
      for (std::size_t k = 0; k < 3; ++k) {
        add(at + k, at + k, cj);
        add(at + k, at + 3 + k, -1);
        add(at + 3 + k, at + 3 + k, cj * (k == 2 ? bodies_[i].inertia : bodies_[i].mass));
      }
    }
    for (const PlanarBeam& beam : beams_) assembleBeam(beam, y, add);
    for (std::size_t j = 0; j < pins_.size(); ++j) {
      assembleSide(j, pins_[j].a, pins_[j].sa, 1, y, add);
      assembleSide(j, pins_[j].b, pins_[j].sb, -1, y, add);
    }
  }
  template <class Add>
  void assembleSide(std::size_t pin, int index, const std::array<double, 2>& s, double sign,
                    const double* y, const Add& add) const {
    if (index < 0) return;
    const auto i = static_cast<std::size_t>(index);
    const std::size_t at = bodyAt_[i], row = pinAt_[pin];
    const double x = sign * (cosine_[i] * s[0] - sine_[i] * s[1]);
    const double z = sign * (sine_[i] * s[0] + cosine_[i] * s[1]);
    const double *lambda = y + row, *mu = lambda + 2, turning = y[at + 5];
    const double G[2][2] = {{sign, -z}, {sign, x}};  // by r[k] and by φ
    for (std::size_t k = 0; k < 2; ++k) {
      add(row + k, at + 3 + k, G[k][0]);
      add(row + k, at + 5, G[k][1]);
      add(at + 3 + k, row + k, G[k][0]);
      add(at + 5, row + k, G[k][1]);
      add(row + k, at + 2, -(k == 0 ? x : z) * turning);
      if (!stabilised_) continue;
      add(row + 2 + k, at + k, G[k][0]);
      add(row + 2 + k, at + 2, G[k][1]);
      add(at + k, row + 2 + k, G[k][0]);
      add(at + 2, row + 2 + k, G[k][1]);
    }
    add(at + 5, at + 2, -x * lambda[0] - z * lambda[1]);
    if (stabilised_) add(at + 2, at + 2, -x * mu[0] - z * mu[1]);
  }

  /// [M Gᵀ; G 0] [v'; λ] = [f; −γ],  γ = −A s ω² of either side.
  void solveAccelerations(double* y, double* yp) {
    turn(y);
    const std::size_t n = 3 * bodies_.size();
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::VectorXd b = Eigen::VectorXd::Zero(static_cast<long>(n + 2 * pins_.size()));
    const auto put = [&](std::size_t row, std::size_t column, double value) {
      entries.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
    };
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k)
        put(3 * i + k, 3 * i + k, k == 2 ? bodies_[i].inertia : bodies_[i].mass);
      b[static_cast<long>(3 * i + 1)] = -bodies_[i].mass * gravity_;
    }
    for (std::size_t j = 0; j < pins_.size(); ++j)
      for (const int side : {0, 1}) {
        const int index = side == 0 ? pins_[j].a : pins_[j].b;
        if (index < 0) continue;
        const std::array<double, 2>& s = side == 0 ? pins_[j].sa : pins_[j].sb;
        const double sign = side == 0 ? 1 : -1;
        const auto i = static_cast<std::size_t>(index);
        const double x = cosine_[i] * s[0] - sine_[i] * s[1];
        const double z = sine_[i] * s[0] + cosine_[i] * s[1];
        const double G[2][2] = {{1, -z}, {1, x}};
        const double turning = y[bodyAt_[i] + 5];
        for (std::size_t k = 0; k < 2; ++k) {
          const std::size_t row = n + 2 * j + k;
          for (const auto& [column, value] :
               {std::pair{3 * i + k, G[k][0]}, std::pair{3 * i + 2, G[k][1]}}) {
            put(row, column, sign * value);
            put(column, row, sign * value);
          }
          b[static_cast<long>(row)] += sign * (k == 0 ? x : z) * turning * turning;
        }
      }
    Eigen::SparseMatrix<double> A(b.size(), b.size());
    A.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(A);
    if (lu.info() != Eigen::Success) throw std::runtime_error("singular at the start");
    const Eigen::VectorXd x = lu.solve(b);
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) yp[bodyAt_[i] + 3 + k] = x[static_cast<long>(3 * i + k)];
    for (std::size_t j = 0; j < pins_.size(); ++j)
      for (std::size_t k = 0; k < 2; ++k) y[pinAt_[j] + k] = x[static_cast<long>(n + 2 * j + k)];
  }

  std::vector<PlanarBody> bodies_;
  std::vector<PlanarPin> pins_;
  std::vector<PlanarBeam> beams_;
  double gravity_;
  bool stabilised_;
  std::vector<int> outputBodies_;
  std::size_t component_;
  std::vector<double> cosine_, sine_;
  std::vector<std::size_t> bodyAt_, pinAt_;  // first unknown (and row) of each
  std::size_t size_ = 0;
  std::vector<long> slots_;
};

}  // namespace

std::unique_ptr<IdaSystem> makeIdaPlanarLinkage(const PlanarLinkage& linkage, bool stabilised,
                                                std::vector<int> outputBodies,
                                                std::size_t component) {
  return std::make_unique<Linkage>(linkage, stabilised, std::move(outputBodies), component);
}

}  // namespace trammel::bench

#include "coupling/paper_splitting.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace trammel::coupling {
namespace {

/// q'' = A q + r + b u(t).
struct Oscillator {
  Matrix A;
  Vector r, b;
};

struct Path {
  std::vector<Vector> q, v, a;  // at the substep points

  void start(const Vector& q0, const Vector& v0) {
    q = {q0};
    v = {v0};
    a.clear();
  }
};

Oscillator driven(const LinearPart& part) {
  // W λ = G A⁻¹ (C q + r) + u  from  G q'' = −u;  q'' = A⁻¹ (C q + r) − A⁻¹ Gᵀ λ.
  const Matrix inverse = part.A.inverse();
  const Vector MG = inverse * part.G;
  const double W = part.G.dot(MG);
  const Matrix project =
      Matrix::Identity(part.A.rows(), part.A.rows()) - MG * part.G.transpose() / W;
  return {project * inverse * part.C, project * inverse * part.r, -MG / W};
}

Oscillator pushed(const LinearPart& part) {
  const Matrix inverse = part.A.inverse();
  return {inverse * part.C, inverse * part.r, -inverse * part.G};
}

double lambdaOf(const LinearPart& part, const Vector& q, double u) {
  const Vector free = part.A.ldlt().solve(part.C * q + part.r);
  return (part.G.dot(free) + u) / mobility(part);
}

class SplitStepper {
 public:
  SplitStepper(SplitIntegrator integrator, double h) : integrator_(integrator), h_(h) {}

  /// Integrates over the points of the waveform u.
  void integrate(const Oscillator& o, const std::vector<double>& u, Path& path) const {
    path.a = {o.A * path.q[0] + o.r + o.b * u[0]};
    for (std::size_t k = 0; k + 1 < u.size(); ++k) {
      const Vector &q = path.q[k], &v = path.v[k], &a = path.a[k];
      Vector q1, v1;
      advance(o, u[k], u[k + 1], {q, v, a}, q1, v1);
      path.a.push_back(o.A * q1 + o.r + o.b * u[k + 1]);
      path.q.push_back(std::move(q1));
      path.v.push_back(std::move(v1));
    }
  }

 private:
  struct Point {
    const Vector &q, &v, &a;
  };

  void advance(const Oscillator& o, double u0, double u1, const Point& p, Vector& q1,
               Vector& v1) const {
    const double h = h_;
    const auto acceleration = [&](const Vector& q, double u) { return o.A * q + o.r + o.b * u; };
    switch (integrator_) {
      case SplitIntegrator::trapezoid: {
        const Matrix left = Matrix::Identity(p.q.size(), p.q.size()) - h * h / 4 * o.A;
        q1 = left.partialPivLu().solve(p.q + h * p.v + h * h / 4 * (p.a + o.r + o.b * u1));
        v1 = p.v + h / 2 * (p.a + acceleration(q1, u1));
        return;
      }
      case SplitIntegrator::euler:
        q1 = p.q + h * p.v;
        v1 = p.v + h * p.a;
        return;
      case SplitIntegrator::heun: {
        const Vector v = p.v + h * p.a;
        q1 = p.q + h / 2 * (p.v + v);
        v1 = p.v + h / 2 * (p.a + acceleration(p.q + h * p.v, u1));
        return;
      }
      case SplitIntegrator::midpoint: {
        const Vector v = p.v + h / 2 * p.a;
        q1 = p.q + h * v;
        v1 = p.v + h * acceleration(p.q + h / 2 * p.v, (u0 + u1) / 2);
      }
    }
  }

  SplitIntegrator integrator_;
  double h_;
};

double change(const Vector& now, const Vector& before) {
  return (now - before).lpNorm<Eigen::Infinity>();
}

/// λ of the consistent start at rest in q = 0: (G_x A_x⁻¹ r_x + G_y A_y⁻¹ r_y) / (W_x + W_y).
double startLambda(const LinearPart& x, const LinearPart& y) {
  return (x.G.dot(x.A.ldlt().solve(x.r)) + y.G.dot(y.A.ldlt().solve(y.r))) /
         (mobility(x) + mobility(y));
}

/// The communication steps of the splitting.
struct SplitIteration {
  /// One of the parts with its integrator and its state at the communication point.
  struct Part {
    const LinearPart& part;
    Oscillator oscillator;
    SplitStepper stepper;
    Vector q, v;
  };

  SplitIteration(const LinearPart& x, const LinearPart& y, const SplitOptions& theOptions)
      : options(theOptions),
        held(make(options.constraintOnX ? x : y, true,
                  options.constraintOnX ? options.ofX : options.ofY)),
        other(make(options.constraintOnX ? y : x, false,
                   options.constraintOnX ? options.ofY : options.ofX)),
        lambda(startLambda(x, y)) {
    const LinearPart& o = other.part;
    u = o.G.dot(o.A.ldlt().solve(o.r)) - mobility(o) * lambda;
  }

  Part make(const LinearPart& part, bool isHeld, SplitIntegrator integrator) const {
    const Vector zero = Vector::Zero(part.r.size());
    return {part, isHeld ? driven(part) : pushed(part),
            SplitStepper(integrator, options.step / options.substeps), zero, zero};
  }

  void step(SplitRun& run) {
    const auto points = static_cast<std::size_t>(options.substeps) + 1;
    std::vector<double> us(points, u), ls(points);  // (23): constant start
    Vector lastHeld = held.q, lastOther = other.q;
    run.changes.emplace_back();
    Path ph, po;
    int i = 0;
    bool goesOn = true;
    while (goesOn && i < options.maxIterations) {
      ++i;
      ph.start(held.q, held.v);
      held.stepper.integrate(held.oscillator, us, ph);
      for (std::size_t k = 0; k < points; ++k) ls[k] = lambdaOf(held.part, ph.q[k], us[k]);
      po.start(other.q, other.v);
      other.stepper.integrate(other.oscillator, ls, po);
      for (std::size_t k = 0; k < points; ++k) us[k] = other.part.G.dot(po.a[k]);
      const double ofHeld = change(ph.q.back(), lastHeld), ofOther = change(po.q.back(), lastOther);
      run.changes.back().push_back(options.constraintOnX ? ofHeld : ofOther);
      const double largest = std::max({ofHeld, ofOther, std::abs(ls.back() - lambda)});
      lastHeld = ph.q.back();
      lastOther = po.q.back();
      lambda = ls.back();
      run.diverged = !(largest < 1e12);
      goesOn = largest > options.tolerance && !run.diverged;
    }
    held.q = ph.q.back(), held.v = ph.v.back();
    other.q = po.q.back(), other.v = po.v.back();
    u = us.back();
    run.iterations.push_back(i);
  }

  const SplitOptions& options;
  Part held, other;  // the part with the constraint, the part that gives its acceleration
  double lambda;     // at the communication point
  double u = 0;      // G q'' of the other part there
};

}  // namespace

double mobility(const LinearPart& part) { return part.G.dot(part.A.ldlt().solve(part.G)); }

SplitRun runSplit(const LinearPart& x, const LinearPart& y, const SplitOptions& options,
                  double stopTime) {
  SplitIteration iteration(x, y, options);
  SplitRun run;
  const long steps = std::lround(stopTime / options.step);
  for (long n = 0; n < steps && !run.diverged; ++n) iteration.step(run);
  run.x = options.constraintOnX ? iteration.held.q : iteration.other.q;
  run.y = options.constraintOnX ? iteration.other.q : iteration.held.q;
  run.lambda = iteration.lambda;
  run.gap = x.G.dot(run.x) + y.G.dot(run.y);
  return run;
}

std::vector<double> weightedSplit(const LinearPart& x, const LinearPart& y, double weightX,
                                  double weightY, const SplitOptions& options) {
  const auto points = static_cast<std::size_t>(options.substeps) + 1;
  const double h = options.step / options.substeps;
  const double P = weightX / mobility(x) + weightY / mobility(y);
  const double start = startLambda(x, y);
  const Oscillator ox = pushed(x), oy = pushed(y);
  std::vector<double> lambda(points, start), residuals;
  for (int i = 0; i < options.maxIterations; ++i) {
    Path px, py;
    px.start(Vector::Zero(x.r.size()), Vector::Zero(x.r.size()));
    py.start(Vector::Zero(y.r.size()), Vector::Zero(y.r.size()));
    SplitStepper(options.ofX, h).integrate(ox, lambda, px);
    SplitStepper(options.ofY, h).integrate(oy, lambda, py);
    double largest = 0;
    for (std::size_t k = 0; k < points; ++k) {
      const double r = x.G.dot(px.a[k]) + y.G.dot(py.a[k]);
      largest = std::max(largest, std::abs(r));
      lambda[k] += P * r;
    }
    residuals.push_back(largest);
    if (!(largest < 1e8) || largest < 1e-13) break;
  }
  return residuals;
}

PaperProblem paperProblem() {
  PaperProblem p;
  p.x.A = Eigen::Matrix2d{{4, 1}, {1, 3}};
  p.x.C = Eigen::Matrix2d{{2, 1}, {1, 2}};
  p.x.r = Eigen::Vector2d(6, 7);
  p.x.G = Eigen::Vector2d(0, 1);
  p.y.A = Eigen::Matrix2d{{5, 2}, {2, 4}};
  p.y.C = Eigen::Matrix2d{{1, 2}, {0, 2}};
  p.y.r = Eigen::Vector2d(10, 4);
  p.y.G = Eigen::Vector2d(-2, 0);
  return p;
}

}  // namespace trammel::coupling

#include <algorithm>

#include "models/mechanism/measures.hpp"

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool isPlanarBody(VectorKind kind) {
  return kind == VectorKind::planarPlace || kind == VectorKind::planarAxis;
}
bool isRigidBody(VectorKind kind) { return kind >= VectorKind::rigidPlace; }

/// Where the coordinates of the body of vector i of a measure begin among those of its kernel.
template <KernelKind kind>
std::size_t localOf(const Kernel& kernel, std::size_t i) {
  return i < vectorCountOfA<kind> ? 0 : kernel.firstB;
}

}  // namespace

Measures::Columns Measures::columnsOf(int vector, const BodyMotion& motion) const {
  const VectorPlan& plan = plans_.vectors[at(vector)];
  const Triple<double>& s = s_[at(vector)];
  Columns columns;
  if (plan.kind == VectorKind::fixed) return columns;
  const bool inPlane = plan.kind == VectorKind::planarPoint || isPlanarBody(plan.kind);
  columns.end = inPlane ? 2 : 3;
  if (isPlace(plan.kind)) {
    columns.column[0].x = 1;
    columns.column[1].y = 1;
    if (!inPlane) columns.column[2].z = 1;
  } else {
    columns.first = columns.end;
  }
  if (isPlanarBody(plan.kind)) {
    const PlanarTurn& turn = motion.planar[at(plan.slot)];
    columns.column[2] = {-(turn.sine * s.x + turn.cosine * s.y),
                         turn.cosine * s.x - turn.sine * s.y, 0.0};
    columns.end = 3;
  }
  if (isRigidBody(plan.kind)) {
    turnGradient(motion.x + plan.coordinate + 3, s, columns.column + 3);
    columns.end = 7;
  }
  return columns;
}

/// x' in the direction v.
Triple<double> Measures::rateOf(int vector, const BodyMotion& motion, const double* v) const {
  const VectorPlan& plan = plans_.vectors[at(vector)];
  const Columns columns = columnsOf(vector, motion);
  Triple<double> rate;
  for (std::size_t i = columns.first; i < columns.end; ++i)
    rate = rate + v[at(plan.coordinate) + i] * columns.column[i];
  return rate;
}

/// W += (∂x/∂…)ᵀ f for the coordinates of the place.
void Measures::addPlaced(int vector, const Triple<double>& f, double* W) const {
  const VectorKind kind = plans_.vectors[at(vector)].kind;
  if (!isPlace(kind)) return;
  W[0] += f.x;
  W[1] += f.y;
  if (kind == VectorKind::point || kind == VectorKind::rigidPlace) W[2] += f.z;
}

/// W += (∂x/∂…)ᵀ f for the coordinates that turn the body.
void Measures::addTurned(int vector, const BodyMotion& motion, const Triple<double>& f,
                         double* W) const {
  const VectorPlan& plan = plans_.vectors[at(vector)];
  const Triple<double>& s = s_[at(vector)];
  if (isPlanarBody(plan.kind)) {
    const PlanarTurn& turn = motion.planar[at(plan.slot)];
    W[2] += turn.cosine * (s.x * f.y - s.y * f.x) - turn.sine * (s.x * f.x + s.y * f.y);
  } else if (isRigidBody(plan.kind)) {
    Turning turning;
    turning.add(s, f);
    turning.addForce(motion.x + plan.coordinate + 3, W + 3);
  }
}

/// The same for the derivative of ∂x/∂… in the direction v.
void Measures::addTurnedRate(int vector, const BodyMotion& motion, const double* v,
                             const Triple<double>& f, double* W) const {
  const VectorPlan& plan = plans_.vectors[at(vector)];
  const Triple<double>& s = s_[at(vector)];
  if (isPlanarBody(plan.kind)) {
    const PlanarTurn& turn = motion.planar[at(plan.slot)];
    W[2] -= v[plan.coordinate + 2] *
            (turn.sine * (s.x * f.y - s.y * f.x) + turn.cosine * (s.x * f.x + s.y * f.y));
  } else if (isRigidBody(plan.kind)) {
    Turning turning;
    turning.add(s, f);
    turning.addForce(v + plan.coordinate + 3, W + 3);
  }
}

void Measures::store(int channel, const double* local, double* entries) const {
  const ChannelProgram& c = program_.channels[at(channel)];
  for (int i = c.firstEntry; i < c.firstEntry + c.entryCount; ++i)
    entries[i] = local[program_.entries[at(i)].local];
}

template <KernelKind kind>
void Measures::rowsOf(const std::vector<MeasurePlan>& list, const BodyMotion& motion,
                      double* W) const {
  for (const MeasurePlan& plan : list) {
    const Kernel& kernel = program_.blocks[at(plan.block)].kernel;
    Triple<double> x[3];
    for (std::size_t i = 0; i < vectorCount<kind>; ++i) x[i] = x_[at(plan.vectors[i])];
    for (int row = 0; row < kernel.rows; ++row) {
      const auto g = gradientOf<kind>(x, windingOf(plan), row);
      double local[kernelWidth] = {};
      for (std::size_t i = 0; i < vectorCount<kind>; ++i) {
        double* of = local + localOf<kind>(kernel, i);
        addPlaced(plan.vectors[i], g.f[i], of);
        addTurned(plan.vectors[i], motion, g.f[i], of);
      }
      if (kind == KernelKind::winding) local[kernel.firstScalar] = g.scalar;
      store(plan.channel + row, local, W);
    }
  }
}

void Measures::rows(const BodyMotion& motion, double* W) const {
  pinRows(W);
  rowsOf<KernelKind::difference>(plans_.planarDifferences, motion, W);
  rowsOf<KernelKind::difference>(plans_.differences, motion, W);
  rowsOf<KernelKind::projection>(plans_.projections, motion, W);
  rowsOf<KernelKind::alignment>(plans_.alignments, motion, W);
  rowsOf<KernelKind::distance>(plans_.distances, motion, W);
  rowsOf<KernelKind::winding>(plans_.windings, motion, W);
  formRows(motion, W);
  for (const AnglePlan& angle : plans_.angles) {
    const ChannelProgram& c = program_.channels[at(angle.channel)];
    const Kernel& kernel = program_.blocks[at(angle.block)].kernel;
    for (int i = c.firstEntry; i < c.firstEntry + c.entryCount; ++i)
      W[i] = program_.entries[at(i)].local >= kernel.firstB ? 1.0 : -1.0;
  }
}

/// With W = Σ (∂x_i/∂…)ᵀ f_i:   W' = Σ (∂x_i/∂…)'ᵀ f_i + (∂x_i/∂…)ᵀ f_i'.
template <KernelKind kind>
void Measures::rowRate(const MeasurePlan& plan, int row, const BodyMotion& motion, const double* v,
                       double* local) const {
  using Number = Dual<1>;
  const auto moving = [](double value, double rate) {
    return Number(value, Number::Directions(rate));
  };
  const auto valueAndRate = [](const Triple<Number>& f, Triple<double>& value) {
    value = {f.x.value, f.y.value, f.z.value};
    return Triple<double>{f.x.d[0], f.y.d[0], f.z.d[0]};
  };
  const Kernel& kernel = program_.blocks[at(plan.block)].kernel;
  Triple<Number> x[3];
  for (std::size_t i = 0; i < vectorCount<kind>; ++i) {
    const Triple<double>& value = x_[at(plan.vectors[i])];
    const Triple<double> rate = rateOf(plan.vectors[i], motion, v);
    x[i] = {moving(value.x, rate.x), moving(value.y, rate.y), moving(value.z, rate.z)};
  }
  Winding<Number> turn;
  if (kind == KernelKind::winding) {
    const Winding<double> now = windingOf(plan);
    const double rate = v[plan.scalar];
    turn = {moving(now.cosine, -now.sine * rate), moving(now.sine, now.cosine * rate)};
  }
  const auto g = gradientOf<kind>(x, turn, row);
  for (std::size_t i = 0; i < vectorCount<kind>; ++i) {
    double* of = local + localOf<kind>(kernel, i);
    Triple<double> f;
    const Triple<double> rate = valueAndRate(g.f[i], f);
    addPlaced(plan.vectors[i], rate, of);
    addTurned(plan.vectors[i], motion, rate, of);
    addTurnedRate(plan.vectors[i], motion, v, f, of);
  }
  if (kind == KernelKind::winding) local[kernel.firstScalar] = g.scalar.d[0];
}

template <KernelKind kind>
void Measures::rowRatesOf(const std::vector<MeasurePlan>& list, const BodyMotion& motion,
                          const double* v, double* R) const {
  for (const MeasurePlan& plan : list) {
    const BlockProgram& block = program_.blocks[at(plan.block)];
    if (!block.rateGradientUsed) continue;
    for (int row = 0; row < block.kernel.rows; ++row) {
      double local[kernelWidth] = {};
      rowRate<kind>(plan, row, motion, v, local);
      store(plan.channel + row, local, R);
    }
  }
}

void Measures::rowRates(const BodyMotion& motion, const double* v, double* R) const {
  rowRatesOf<KernelKind::difference>(plans_.planarDifferences, motion, v, R);
  rowRatesOf<KernelKind::difference>(plans_.differences, motion, v, R);
  rowRatesOf<KernelKind::projection>(plans_.projections, motion, v, R);
  rowRatesOf<KernelKind::alignment>(plans_.alignments, motion, v, R);
  rowRatesOf<KernelKind::distance>(plans_.distances, motion, v, R);
  rowRatesOf<KernelKind::winding>(plans_.windings, motion, v, R);
  formRowRates(motion, v, R);
}

void Measures::windingRowRate(std::size_t winding, const BodyMotion& motion, const double* v,
                              double* local) const {
  rowRate<KernelKind::winding>(plans_.windings[winding], 0, motion, v, local);
}

double Measures::alongWinding(std::size_t winding, const BodyMotion& motion,
                              const double* a) const {
  const MeasurePlan& plan = plans_.windings[winding];
  const Triple<double> x[] = {x_[at(plan.vectors[0])], x_[at(plan.vectors[1])],
                              x_[at(plan.vectors[2])]};
  const auto g = gradientOf<KernelKind::winding>(x, windings_[winding]);
  double sum = g.scalar * a[plan.scalar];
  for (std::size_t i = 0; i < 3; ++i) sum += dot(g.f[i], rateOf(plan.vectors[i], motion, a));
  return sum;
}

/// Σ (∂x_i/∂…)ᵀ ∂²z/∂x_i∂x_j ∂x_j/∂….
template <KernelKind kind>
void Measures::addPairs(const std::vector<MeasurePlan>& list, const BodyMotion& motion,
                        const double* load, double* K) const {
  for (const MeasurePlan& plan : list) {
    const BlockProgram& block = program_.blocks[at(plan.block)];
    const double mu = load[plan.channel];
    if (block.scatterCount == 0 || mu == 0) continue;
    const auto isFixed = [&](std::size_t i) {
      return plans_.vectors[at(plan.vectors[i])].kind == VectorKind::fixed;
    };
    if (kind == KernelKind::alignment && (isFixed(0) || isFixed(1))) continue;
    if (kind == KernelKind::projection && isFixed(1)) continue;
    const std::size_t a = 0, b = block.kernel.firstB, width = block.kernel.width;
    LocalMatrix D;
    for (std::size_t i = 0; i < width; ++i) std::fill_n(D[i], width, 0.0);
    Columns x[3];
    for (std::size_t i = 0; i < vectorCount<kind>; ++i) x[i] = columnsOf(plan.vectors[i], motion);
    const Triple<double>*value = x_.data(), &x0 = value[plan.vectors[0]],
          &x1 = value[plan.vectors[1]];
    if constexpr (kind == KernelKind::alignment) {
      x[0].addProduct(a, x[1], b, mu, D);
    } else if constexpr (kind == KernelKind::projection) {
      x[1].addProduct(a, x[2], b, mu, D);
      x[1].addProduct(a, x[0], a, -mu, D);
    } else if constexpr (kind == KernelKind::distance) {
      // μ (∂d/∂…)ᵀ (1 − e eᵀ) ∂d/∂… / |d|,   e = d/|d|
      const Triple<double> d = x1 - x0;
      const double length = std::sqrt(dot(d, d)), factor = mu / length;
      const Triple<double> e = (1 / length) * d;
      for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
        for (std::size_t j = x[i].first; j < x[i].end; ++j) {
          Triple<double>& column = x[i].column[j];
          column = column - dot(e, column) * e;  // (1 − e eᵀ)² = 1 − e eᵀ
        }
      x[0].addProduct(a, x[0], a, factor / 2, D);
      x[1].addProduct(b, x[1], b, factor / 2, D);
      x[0].addProduct(a, x[1], b, -factor, D);
    } else {
      const Triple<double>& x2 = value[plan.vectors[2]];
      const Winding<double> turn = windingOf(plan);
      const double c = mu * turn.cosine, s = mu * turn.sine;
      x[2].addProduct(b, x[1], a, c, D);
      x[2].addProduct(b, x[0], a, -s, D);
      const std::size_t theta = block.kernel.firstScalar;
      Columns one;  // the scalar coordinate, in the direction of a vector
      one.end = 1;
      const auto addScalar = [&](const Columns& of, std::size_t place, const Triple<double>& f) {
        one.column[0] = f;
        one.addProduct(theta, of, place, 1, D);
      };
      addScalar(x[2], b, (-s) * x1 - c * x0);
      addScalar(x[1], a, (-s) * x2);
      addScalar(x[0], a, (-c) * x2);
      D[theta][theta] -= c * dot(x2, x1) - s * dot(x2, x0);
    }
    scatter(block, D, K);
  }
}

void Measures::scatter(const BlockProgram& block, const LocalMatrix& D, double* K) const {
  const LocalScatter* scatter = program_.scatters.data() + block.firstScatter;
  for (int e = 0; e < block.scatterCount; ++e)
    K[scatter[e].position] += D[scatter[e].i][scatter[e].j];
}

void Measures::addCurvature(const BodyMotion& motion, const double* load, double* K) const {
  addPairs<KernelKind::projection>(plans_.projections, motion, load, K);
  addPairs<KernelKind::alignment>(plans_.alignments, motion, load, K);
  addPairs<KernelKind::distance>(plans_.distances, motion, load, K);
  addPairs<KernelKind::winding>(plans_.windings, motion, load, K);
  addFormPairs(motion, load, K);
}

}  // namespace trammel

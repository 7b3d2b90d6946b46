#include "models/mechanism/measures.hpp"

#include <algorithm>

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The vectors of a measure, gathered.
template <KernelKind kind>
struct Gathered {
  Gathered(const MeasurePlan& plan, const std::vector<Triple<double>>& all) {
    for (std::size_t i = 0; i < vectorCount<kind>; ++i) x[i] = all[at(plan.vectors[i])];
  }
  Triple<double> x[3];
};

void add(Triple<double>& sum, double factor, const Triple<double>& f) {
  sum.x += factor * f.x;
  sum.y += factor * f.y;
  sum.z += factor * f.z;
}

/// z = x_b − x_a of all differences; their rates where x are rates.
void subtractAll(const MeasurePlans& plans, const std::vector<Triple<double>>& x, double* z) {
  for (const MeasurePlan& plan : plans.planarDifferences) {
    const Triple<double>&a = x[at(plan.vectors[0])], &b = x[at(plan.vectors[1])];
    z[plan.channel] = b.x - a.x;
    z[plan.channel + 1] = b.y - a.y;
  }
  for (const MeasurePlan& plan : plans.differences) {
    const Triple<double>&a = x[at(plan.vectors[0])], &b = x[at(plan.vectors[1])];
    z[plan.channel] = b.x - a.x;
    z[plan.channel + 1] = b.y - a.y;
    z[plan.channel + 2] = b.z - a.z;
  }
}

}  // namespace

Measures::Measures(const MechanismProgram& program, const MeasurePlans& plans)
    : program_(program),
      plans_(plans),
      s_(plans.vectors.size()),
      x_(s_.size()),
      rate_(s_.size()),
      F_(s_.size()),
      arms_(plans.pins.size()),
      turned_(plans.pins.size()),
      offsets_(plans.angles.size()),
      windings_(plans.windings.size()) {}

void Measures::setFrames(const std::vector<Frame>& frames) {
  for (std::size_t i = 0; i < s_.size(); ++i) {
    const VectorPlan& vector = plans_.vectors[i];
    const Frame& frame = frames[at(vector.frame)];
    s_[i] = tripleOf<double>(vector.axis < 0 ? frame.s : Vector3(frame.axes.col(vector.axis)));
    x_[i] = s_[i];  // what of it does not move
  }
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    const BlockProgram& block = program_.blocks[at(plans_.pins[i].block)];
    const Vector3 &a = frames[at(block.frameA)].s, &b = frames[at(block.frameB)].s;
    arms_[i] = {a.x(), a.y(), b.x(), b.y()};
  }
  const auto angleOf = [&](int frame) {
    const Matrix3& axes = frames[at(frame)].axes;
    return std::atan2(axes(1, 0), axes(0, 0));
  };
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    const AnglePlan& angle = plans_.angles[i];
    const BlockProgram& block = program_.blocks[at(angle.block)];
    offsets_[i] = angle.ofFrames ? angleOf(block.frameB) - angleOf(block.frameA) : 0.0;
  }
}

/// x = (place of the body) + A s, with `share` of s where the body does not turn: 1 for places, 0
/// for rates.
void Measures::move(const BodyMotion& motion, double share, Vectors& x) const {
  const VectorPlan* plan = plans_.vectors.data();
  std::size_t i = first(VectorKind::planarPoint);
  for (; i < first(VectorKind::point); ++i) {
    const double* r = motion.x + plan[i].coordinate;
    x[i].x = r[0] + share * s_[i].x;
    x[i].y = r[1] + share * s_[i].y;
  }
  for (; i < first(VectorKind::planarPlace); ++i) {
    const double* r = motion.x + plan[i].coordinate;
    x[i] = {r[0] + share * s_[i].x, r[1] + share * s_[i].y, r[2] + share * s_[i].z};
  }
  for (; i < first(VectorKind::planarAxis); ++i) {
    const double* r = motion.x + plan[i].coordinate;
    const PlanarTurn& turn = motion.planar[at(plan[i].slot)];
    x[i].x = r[0] + (turn.cosine * s_[i].x - turn.sine * s_[i].y);
    x[i].y = r[1] + (turn.sine * s_[i].x + turn.cosine * s_[i].y);
  }
  for (; i < first(VectorKind::rigidPlace); ++i) {
    const PlanarTurn& turn = motion.planar[at(plan[i].slot)];
    x[i].x = turn.cosine * s_[i].x - turn.sine * s_[i].y;
    x[i].y = turn.sine * s_[i].x + turn.cosine * s_[i].y;
  }
  for (; i < first(VectorKind::rigidAxis); ++i) {
    const double* r = motion.x + plan[i].coordinate;
    const Triple<double> As = times(motion.rigid[at(plan[i].slot)], s_[i]);
    x[i] = {r[0] + As.x, r[1] + As.y, r[2] + As.z};
  }
  for (; i < s_.size(); ++i) x[i] = times(motion.rigid[at(plan[i].slot)], s_[i]);
}

Winding<double> Measures::windingOf(const MeasurePlan& plan) const {
  return plan.scalar < 0 ? Winding<double>{}
                         : windings_[static_cast<std::size_t>(&plan - plans_.windings.data())];
}

template <KernelKind kind>
void Measures::placeAll(const std::vector<MeasurePlan>& list, double* z) const {
  for (const MeasurePlan& plan : list)
    z[plan.channel] = measured<kind>(Gathered<kind>(plan, x_).x, windingOf(plan));
}

void Measures::placeOthers(const BodyMotion& motion, double* z) {
  move(motion, 1, x_);
  subtractAll(plans_, x_, z);
  for (std::size_t i = 0; i < windings_.size(); ++i) {
    const PlanarTurn turn(motion.x[plans_.windings[i].scalar]);
    windings_[i] = {turn.cosine, turn.sine};
  }
  placeAll<KernelKind::projection>(plans_.projections, z);
  placeAll<KernelKind::alignment>(plans_.alignments, z);
  placeAll<KernelKind::distance>(plans_.distances, z);
  placeAll<KernelKind::winding>(plans_.windings, z);
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    const AnglePlan& angle = plans_.angles[i];
    double value = offsets_[i];
    if (angle.minus >= 0) value -= motion.x[angle.minus];
    if (angle.plus >= 0) value += motion.x[angle.plus];
    z[angle.channel] = value;
  }
}

template <KernelKind kind>
void Measures::rateAll(const std::vector<MeasurePlan>& list, const double* v, double* rate) const {
  for (const MeasurePlan& plan : list) {
    const auto g = gradientOf<kind>(Gathered<kind>(plan, x_).x, windingOf(plan));
    double sum = kind == KernelKind::winding ? g.scalar * v[plan.scalar] : 0.0;
    for (std::size_t i = 0; i < vectorCount<kind>; ++i)
      sum += dot(g.f[i], rate_[at(plan.vectors[i])]);
    rate[plan.channel] = sum;
  }
}

void Measures::rateOthers(const BodyMotion& motion, const BodyMotion& along, double* rate) {
  move(along, 0, rate_);
  subtractAll(plans_, rate_, rate);
  rateAll<KernelKind::projection>(plans_.projections, along.x, rate);
  rateAll<KernelKind::alignment>(plans_.alignments, along.x, rate);
  rateAll<KernelKind::distance>(plans_.distances, along.x, rate);
  rateAll<KernelKind::winding>(plans_.windings, along.x, rate);
  rateForms(motion, along, rate);
  for (const AnglePlan& angle : plans_.angles) {
    rate[angle.channel] = (angle.plus < 0 ? 0.0 : along.x[angle.plus]) -
                          (angle.minus < 0 ? 0.0 : along.x[angle.minus]);
  }
}

template <KernelKind kind>
void Measures::pullAll(const std::vector<MeasurePlan>& list, const double* load) {
  for (const MeasurePlan& plan : list) {
    const double mu = load[plan.channel];
    if (mu == 0) continue;  // the gradient of a measure in no use may not exist
    const auto g = gradientOf<kind>(Gathered<kind>(plan, x_).x, windingOf(plan));
    for (std::size_t i = 0; i < vectorCount<kind>; ++i) add(F_[at(plan.vectors[i])], mu, g.f[i]);
  }
}

/// F_i = Σ μ ∂z/∂x_i.
void Measures::pull(const double* load) {
  std::fill(F_.begin(), F_.end(), Triple<double>{});
  for (const MeasurePlan& plan : plans_.planarDifferences) {
    const double* mu = load + plan.channel;
    Triple<double>&a = F_[at(plan.vectors[0])], &b = F_[at(plan.vectors[1])];
    a.x -= mu[0];
    a.y -= mu[1];
    b.x += mu[0];
    b.y += mu[1];
  }
  for (const MeasurePlan& plan : plans_.differences) {
    const double* mu = load + plan.channel;
    add(F_[at(plan.vectors[0])], -1, {mu[0], mu[1], mu[2]});
    add(F_[at(plan.vectors[1])], 1, {mu[0], mu[1], mu[2]});
  }
  pullAll<KernelKind::projection>(plans_.projections, load);
  pullAll<KernelKind::alignment>(plans_.alignments, load);
  pullAll<KernelKind::distance>(plans_.distances, load);
  pullAll<KernelKind::winding>(plans_.windings, load);
  for (const FormPlan& form : plans_.forms)
    if (form.place >= 0) add(F_[at(form.place)], load[form.channel], x_[at(form.normal)]);
}

void Measures::addOtherForces(const BodyMotion& motion, const double* load, double* r,
                              std::vector<Turning>& turnings) {
  pull(load);
  const VectorPlan* plan = plans_.vectors.data();
  std::size_t i = first(VectorKind::planarPoint);
  for (; i < first(VectorKind::point); ++i) {
    r[plan[i].coordinate] += F_[i].x;
    r[plan[i].coordinate + 1] += F_[i].y;
  }
  const auto addPlace = [&] {
    double* to = r + plan[i].coordinate;
    to[0] += F_[i].x;
    to[1] += F_[i].y;
    to[2] += F_[i].z;
  };
  for (; i < first(VectorKind::planarPlace); ++i) addPlace();
  for (; i < first(VectorKind::rigidPlace); ++i) {
    double* to = r + plan[i].coordinate;
    if (i < first(VectorKind::planarAxis)) {
      to[0] += F_[i].x;
      to[1] += F_[i].y;
    }
    const PlanarTurn& turn = motion.planar[at(plan[i].slot)];
    const double x = turn.cosine * s_[i].x - turn.sine * s_[i].y,
                 y = turn.sine * s_[i].x + turn.cosine * s_[i].y;
    to[2] += x * F_[i].y - y * F_[i].x;
  }
  for (; i < s_.size(); ++i) {
    if (i < first(VectorKind::rigidAxis)) addPlace();
    turnings[at(plan[i].slot)].add(s_[i], F_[i]);
  }
  for (const FormPlan& form : plans_.forms) {
    if (form.place >= 0) continue;
    const Triple<double>& n = x_[at(form.normal)];
    const double mu = load[form.channel];
    if (form.a.kind == VectorKind::planarAxis) r[form.a.coordinate + 2] -= mu * n.z;
    if (form.b.kind == VectorKind::planarAxis) r[form.b.coordinate + 2] += mu * n.z;
  }
  addTorques(load, turnings);
  for (const MeasurePlan& winding : plans_.windings) {
    const auto g = gradientOf<KernelKind::winding>(Gathered<KernelKind::winding>(winding, x_).x,
                                                   windingOf(winding));
    r[winding.scalar] += load[winding.channel] * g.scalar;
  }
  for (const AnglePlan& angle : plans_.angles) {
    if (angle.plus >= 0) r[angle.plus] += load[angle.channel];
    if (angle.minus >= 0) r[angle.minus] -= load[angle.channel];
  }
}

/// What angular velocities of rigid bodies are loaded with.
void Measures::addTorques(const double* load, std::vector<Turning>& turnings) const {
  for (const FormPlan& form : plans_.forms) {
    if (form.place >= 0) continue;
    const Triple<double>& n = x_[at(form.normal)];
    const double mu = load[form.channel];
    if (form.a.kind == VectorKind::rigidAxis) turnings[at(form.a.slot)].addTorque(n, -mu);
    if (form.b.kind == VectorKind::rigidAxis) turnings[at(form.b.slot)].addTorque(n, mu);
  }
}

void Measures::collectTurnings(const BodyMotion& motion, const double* load,
                               std::vector<double>& planar, std::vector<Turning>& turnings) {
  pull(load);
  addPinCurvatures(load, planar);
  for (std::size_t i = first(VectorKind::planarPlace); i < first(VectorKind::rigidPlace); ++i) {
    const auto slot = at(plans_.vectors[i].slot);
    const PlanarTurn& turn = motion.planar[slot];
    planar[slot] -= (turn.cosine * s_[i].x - turn.sine * s_[i].y) * F_[i].x +
                    (turn.sine * s_[i].x + turn.cosine * s_[i].y) * F_[i].y;
  }
  for (std::size_t i = first(VectorKind::rigidPlace); i < s_.size(); ++i)
    turnings[at(plans_.vectors[i].slot)].add(s_[i], F_[i]);
  addTorques(load, turnings);
}

}  // namespace trammel

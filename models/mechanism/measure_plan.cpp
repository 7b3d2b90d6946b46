#include "models/mechanism/measure_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "models/mechanism/mechanism_program.hpp"

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class Planner {
 public:
  explicit Planner(const MechanismProgram& program) : program_(program) {
    int planar = 0, rigid = 0;
    for (const BodyProgram& body : program.bodies)
      slots_.push_back(body.kind == BodyKind::planar  ? planar++
                       : body.kind == BodyKind::rigid ? rigid++
                                                      : -1);
  }

  void add(int index) {
    const BlockProgram& block = program_.blocks[at(index)];
    const Kernel& kernel = block.kernel;
    plans_.channelEnd = std::max(plans_.channelEnd, block.firstChannel + kernel.rows);
    const int a = block.frameA, b = block.frameB;
    const auto measure = [&](std::vector<MeasurePlan>& list, std::array<int, 3> vectors) {
      list.push_back({index, block.firstChannel, vectors, -1});
    };
    switch (kernel.kind) {
      case KernelKind::difference:
        if (kernel.bodyA == BodyKind::planar && kernel.bodyB == BodyKind::planar &&
            !block.rateGradientUsed) {
          plans_.pins.push_back(pin(index));
          return;
        }
        return measure(kernel.rows == 2 ? plans_.planarDifferences : plans_.differences,
                       {place(a), place(b), 0});
      case KernelKind::projection:
        return measure(plans_.projections, {place(a), axis(a, kernel.axisA), place(b)});
      case KernelKind::alignment:
        return measure(plans_.alignments, {axis(a, kernel.axisA), axis(b, kernel.axisB), 0});
      case KernelKind::distance:
        return measure(plans_.distances, {place(a), place(b), 0});
      case KernelKind::winding:
        measure(plans_.windings, {axis(a, 0), axis(a, 1), axis(b, 0)});
        plans_.windings.back().scalar = block.columns[kernel.firstScalar];
        return;
      case KernelKind::turn:
      case KernelKind::scalar:
        plans_.angles.push_back(angle(index));
        return;
      case KernelKind::pointSpeed:
      case KernelKind::spin:
      case KernelKind::absoluteSpin:
        plans_.forms.push_back(form(index));
        return;
      default:
        plans_.others.push_back(index);
    }
  }

  /// Sorts the vectors by kind.
  MeasurePlans finish() {
    std::vector<int> order(plans_.vectors.size()), newPlace(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    const auto kindOf = [this](int i) { return plans_.vectors[at(i)].kind; };
    std::stable_sort(order.begin(), order.end(),
                     [&](int i, int j) { return kindOf(i) < kindOf(j); });
    std::vector<VectorPlan> sorted;
    for (const int i : order) {
      newPlace[at(i)] = static_cast<int>(sorted.size());
      sorted.push_back(plans_.vectors[at(i)]);
      ++plans_.firstOfKind[static_cast<std::size_t>(kindOf(i)) + 1];
    }
    for (std::size_t kind = 0; kind < vectorKindCount; ++kind)
      plans_.firstOfKind[kind + 1] += plans_.firstOfKind[kind];
    plans_.vectors = std::move(sorted);
    for (auto* list : {&plans_.planarDifferences, &plans_.differences, &plans_.projections,
                       &plans_.alignments, &plans_.distances, &plans_.windings}) {
      for (MeasurePlan& plan : *list)
        for (int& vector : plan.vectors) vector = newPlace[at(vector)];
    }
    for (FormPlan& form : plans_.forms) {
      form.normal = newPlace[at(form.normal)];
      if (form.place >= 0) form.place = newPlace[at(form.place)];
    }
    return std::move(plans_);
  }

 private:
  int place(int frame) { return vector(frame, -1); }
  int axis(int frame, int number) { return vector(frame, number); }

  int vector(int frame, int axis) {
    const auto [found, isNew] =
        numbers_.try_emplace({frame, axis}, static_cast<int>(plans_.vectors.size()));
    if (!isNew) return found->second;
    const int index = program_.frames[at(frame)].body;
    const BodyProgram& body = program_.bodies[at(index)];
    plans_.vectors.push_back(
        {kindOf(body.kind, axis), frame, axis, std::max(body.coordinate, 0), slots_[at(index)]});
    return found->second;
  }

  static VectorKind kindOf(BodyKind body, int axis) {
    const bool place = axis < 0;
    switch (body) {
      case BodyKind::planarPoint:
        return place ? VectorKind::planarPoint : VectorKind::fixed;
      case BodyKind::point:
        return place ? VectorKind::point : VectorKind::fixed;
      case BodyKind::planar:
        return place ? VectorKind::planarPlace : VectorKind::planarAxis;
      case BodyKind::rigid:
        return place ? VectorKind::rigidPlace : VectorKind::rigidAxis;
      case BodyKind::ground:
      case BodyKind::scalar:
        break;
    }
    return VectorKind::fixed;
  }

  PinPlan pin(int index) const {
    const BlockProgram& block = program_.blocks[at(index)];
    const int a = program_.frames[at(block.frameA)].body,
              b = program_.frames[at(block.frameB)].body;
    return {index,
            block.firstChannel,
            program_.bodies[at(a)].coordinate,
            program_.bodies[at(b)].coordinate,
            slots_[at(a)],
            slots_[at(b)]};
  }

  SpinPlan spinOf(int frame) const {
    const int index = program_.frames[at(frame)].body;
    const BodyProgram& body = program_.bodies[at(index)];
    return {kindOf(body.kind, 0), std::max(body.coordinate, 0), slots_[at(index)]};
  }

  FormPlan form(int index) {
    const BlockProgram& block = program_.blocks[at(index)];
    const Kernel& kernel = block.kernel;
    FormPlan plan;
    plan.block = index;
    plan.channel = block.firstChannel;
    plan.normal = axis(block.frameA, kernel.axisA);
    if (kernel.kind == KernelKind::pointSpeed) {
      plan.place = place(block.frameB);
      return plan;
    }
    plan.b = spinOf(block.frameB);
    if (kernel.kind == KernelKind::spin) plan.a = spinOf(block.frameA);
    return plan;
  }

  AnglePlan angle(int index) const {
    const BlockProgram& block = program_.blocks[at(index)];
    const Kernel& kernel = block.kernel;
    AnglePlan plan{index, block.firstChannel, -1, -1, kernel.kind == KernelKind::turn};
    if (kernel.kind == KernelKind::scalar) plan.plus = block.columns[kernel.firstScalar];
    if (!plan.ofFrames) return plan;
    if (kernel.bodyA == BodyKind::planar) plan.minus = block.columns[2];
    if (kernel.bodyB == BodyKind::planar) plan.plus = block.columns[kernel.firstB + 2U];
    return plan;
  }

  const MechanismProgram& program_;
  MeasurePlans plans_;
  std::vector<int> slots_;  // of each body
  std::map<std::pair<int, int>, int> numbers_;
};

}  // namespace

MeasurePlans planMeasures(const MechanismProgram& program, const std::vector<int>& blocks) {
  Planner planner(program);
  for (const int block : blocks) planner.add(block);
  return planner.finish();
}

}  // namespace trammel

#include "packaging/reference_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/mechanism/mechanism_program.hpp"
#include "models/text.hpp"
#include "packaging/errors.hpp"
#include "packaging/model_run.hpp"

namespace trammel::fmi {
namespace {

bool isRecorded(const Variable& variable) {
  return variable.type == Type::float64 && variable.variability == Variability::continuous &&
         variable.causality != Causality::independent && variable.causality != Causality::parameter;
}

std::vector<ReferenceRun::Column>& columnsOf(ReferenceRun& run, Causality causality) {
  if (causality == Causality::input) return run.inputs;
  return causality == Causality::output ? run.outputs : run.locals;
}

/// The author's bodies with a place in space; those made for elements and scalars have none.
std::vector<const BodyProgram*> bodiesOf(const CompiledModel& model) {
  std::vector<const BodyProgram*> bodies;
  if (model.mechanism() == nullptr) return bodies;
  for (const BodyProgram& body : model.mechanism()->bodies) {
    if (body.given && body.kind != BodyKind::ground && body.kind != BodyKind::scalar)
      bodies.push_back(&body);
  }
  return bodies;
}

/// Takes down what an instance shows at the times it is called for.
class Recorder {
 public:
  Recorder(const CompiledModel& model, ReferenceRun& run)
      : run_(run), bodies_(bodiesOf(model)), q_(model.coordinateCount()) {
    for (const Variable& variable : model.variables().variables) {
      if (variable.quantity == Quantity::position)
        positions_.push_back({references_.size(), variable.index});
      if (!isRecorded(variable) && variable.quantity != Quantity::position) continue;
      if (isRecorded(variable)) {
        columns_.push_back({references_.size(), variable.causality});
        columnsOf(run, variable.causality).push_back({variable.valueReference, {}});
      }
      references_.push_back(variable.valueReference);
    }
    values_.resize(references_.size());
    for (const BodyProgram* body : bodies_) run_.bodies.push_back({body->name, {}, {}});
  }

  void record(double time, Instance& instance) {
    instance.getReal(references_, values_);
    run_.times.push_back(time);
    std::array<std::size_t, 3> next{};
    for (const auto& [place, causality] : columns_) {
      auto& columns = columnsOf(run_, causality);
      const std::size_t group =
          causality == Causality::input ? 0 : (causality == Causality::output ? 1 : 2);
      columns[next[group]++].values.push_back(values_[place]);
    }
    for (const auto& [place, coordinate] : positions_) q_[coordinate] = values_[place];
    run_.positions.push_back(q_);
    for (std::size_t b = 0; b < bodies_.size(); ++b) recordBody(*bodies_[b], run_.bodies[b]);
  }

 private:
  void recordBody(const BodyProgram& body, ReferenceRun::BodyMotion& motion) const {
    const double* x = q_.data() + body.coordinate;
    const BodyPlace<double> place(body.kind, x);
    const Triple<double> r = place.point(Vector3::Zero());
    const Quadruple<double> p = place.orientation();
    motion.centres.push_back({r.x, r.y, r.z});
    motion.orientations.push_back(Eigen::Quaterniond(p.w, p.e.x, p.e.y, p.e.z).normalized());
  }

  struct RecordedColumn {
    std::size_t place;  // among the values read
    Causality causality;
  };
  struct RecordedPosition {
    std::size_t place;
    Index coordinate;
  };
  ReferenceRun& run_;
  std::vector<const BodyProgram*> bodies_;
  std::vector<std::uint32_t> references_;
  std::vector<double> values_;
  std::vector<RecordedColumn> columns_;
  std::vector<RecordedPosition> positions_;
  Vector q_;
};

}  // namespace

const ReferenceRun::Column* ReferenceRun::find(std::uint32_t valueReference) const {
  for (const std::vector<Column>* columns : {&inputs, &outputs, &locals}) {
    const auto found = std::lower_bound(
        columns->begin(), columns->end(), valueReference,
        [](const Column& column, std::uint32_t r) { return column.valueReference < r; });
    if (found != columns->end() && found->valueReference == valueReference) return &*found;
  }
  return nullptr;
}

ReferenceRun referenceRun(const CompiledModel& model, const std::function<void(double)>& progress) {
  ReferenceRun run;
  run.experiment = model.defaultExperiment();
  const auto& [startTime, stopTime, tolerance, stepSize] = run.experiment;
  // Points t_i = start + i H, each computed from its number; the last step may be shorter.
  const auto steps = static_cast<long>(std::ceil((stopTime - startTime) / stepSize - 1e-9));
  const auto limit = static_cast<long>(referenceRowLimit) - 1;
  const long stride = std::max(1L, (steps + limit - 1) / limit);
  const auto time = [steps, startTime = startTime, stopTime = stopTime,
                     stepSize = stepSize](long i) {
    return i >= steps ? stopTime : startTime + static_cast<double>(i) * stepSize;
  };
  run.outputInterval = static_cast<double>(stride) * stepSize;
  Recorder recorder(model, run);
  ModelRun motion(compile(parseModel(model.text(), model.name())));
  try {
    motion.start({startTime, stopTime, stepSize, tolerance});
    recorder.record(startTime, motion.instance());
    for (long i = 0; i < steps; ++i) {
      const RunStep step = motion.step(time(i), time(i + 1) - time(i));
      if (!step.completed)
        throw SimulationError("stopped at t = " + numberText(step.reachedTime) +
                              " s: " + step.message);
      if ((i + 1) % stride == 0 || i + 1 == steps) recorder.record(time(i + 1), motion.instance());
      if (progress) progress(time(i + 1));
    }
  } catch (const Error& error) {
    throw SimulationError(std::string("the reference run failed: ") + error.what());
  }
  return run;
}

}  // namespace trammel::fmi

#include <cmath>
#include <deque>

#include "coupling/master_implementation.hpp"

namespace trammel::coupling {
namespace {

/// Numbers of a state, one after another; counts are numbers too.
class StateWriter {
 public:
  void operator()(double& value) { numbers.push_back(value); }
  template <class Whole>
  void whole(Whole& value) {
    numbers.push_back(static_cast<double>(value));
  }
  std::size_t count(std::size_t present) {
    numbers.push_back(static_cast<double>(present));
    return present;
  }
  void require(bool) const {}

  std::vector<double> numbers;
};

class StateReader {
 public:
  explicit StateReader(std::span<const double> numbers) : left_(numbers) {}

  void operator()(double& value) { value = next(); }
  template <class Whole>
  void whole(Whole& value) {
    value = static_cast<Whole>(wholeNumber());
  }
  std::size_t count(std::size_t) {
    const double number = wholeNumber();
    require(number >= 0 && number <= static_cast<double>(left_.size()));
    return static_cast<std::size_t>(number);
  }
  void require(bool ok) const {
    if (!ok) throw CouplingError("the state is not one of this coupled system");
  }
  void finish() const { require(left_.empty()); }

 private:
  double next() {
    require(!left_.empty());
    const double number = left_.front();
    left_ = left_.subspan(1);
    return number;
  }
  double wholeNumber() {
    const double number = next();
    require(std::abs(number) < 1e15 && number == std::floor(number));
    return number;
  }

  std::span<const double> left_;
};

template <class Archive>
void visitFlag(Archive& archive, bool& flag) {
  int number = flag ? 1 : 0;
  archive.whole(number);
  flag = number != 0;
}

template <class Archive, class Numbers>
void visitEntries(Archive& archive, Numbers&& numbers) {
  for (Index i = 0; i < numbers.size(); ++i) archive(numbers.data()[i]);
}

/// The size stays what it is: it follows from the system.
template <class Archive>
void visitFixed(Archive& archive, Vector& vector) {
  const auto size = static_cast<std::size_t>(vector.size());
  archive.require(archive.count(size) == size);
  visitEntries(archive, vector);
}

template <class Archive>
void visitVector(Archive& archive, Vector& vector) {
  vector.resize(static_cast<Index>(archive.count(static_cast<std::size_t>(vector.size()))));
  visitEntries(archive, vector);
}

/// Square of the size given, or empty where it is not known yet.
template <class Archive>
void visitMobility(Archive& archive, Matrix& W, Index size) {
  const auto rows = static_cast<Index>(archive.count(static_cast<std::size_t>(W.rows())));
  archive.require(rows == 0 || rows == size);
  W.resize(rows, rows);
  visitEntries(archive, W);
}

template <class Archive>
void visitMotion(Archive& archive, PortMotion& motion) {
  for (Eigen::Vector3d* part : {&motion.r, &motion.v, &motion.a, &motion.w, &motion.z}) {
    visitEntries(archive, *part);
  }
  visitEntries(archive, motion.Q.coeffs());
}

template <class Archive>
void visitMemory(Archive& archive, MultiplierMemory& memory) {
  for (Vector* lambda : {&memory.last, &memory.beforeLast}) visitFixed(archive, *lambda);
  archive(memory.lastStep);
  for (double& miss : memory.misses) archive(miss);
  archive.whole(memory.chosen);
  archive.require(memory.chosen >= 0 && memory.chosen < std::ssize(extrapolations));
  memory.samples.resize(archive.count(memory.samples.size()));
  for (MultiplierSample& sample : memory.samples) {
    archive(sample.time);
    visitVector(archive, sample.lambda);
    archive.require(sample.lambda.size() == memory.last.size());
  }
}

template <class Archive>
void visitSecants(Archive& archive, std::vector<Vector>& columns) {
  columns.resize(archive.count(columns.size()));
  for (Vector& column : columns) visitVector(archive, column);
}

/// All that decides the future, besides what every step computes anew and the states of the
/// subsystems.
template <class Archive, class Implementation>
void visitState(Archive& archive, Implementation& i) {
  archive(i.t);
  archive(i.presentStep);
  archive.whole(i.goodSteps);
  int scheme = static_cast<int>(i.scheme);
  archive.whole(scheme);
  archive.require(scheme >= 0 && scheme <= static_cast<int>(Scheme::explicitHold));
  i.scheme = static_cast<Scheme>(scheme);
  for (auto& ports : i.motions) {
    for (PortMotion& motion : ports) visitMotion(archive, motion);
  }
  for (Vector& values : i.outputs) visitFixed(archive, values);
  visitFixed(archive, i.u);
  visitMemory(archive, i.memory);
  for (Vector* fixed : {&i.sentAtEnd, &i.uBefore, &i.uLargest}) visitFixed(archive, *fixed);
  archive(i.uStep);
  visitFlag(archive, i.wasRejected);
  archive(i.eventTime);
  for (std::size_t k = 0; k < i.W.size(); ++k) {
    visitMobility(archive, i.W[k], i.system.subsystems[k]->forceSize());
  }
  i.noise.resize(archive.count(i.noise.size()));
  archive.require(i.noise.empty() || i.noise.size() == i.W.size());
  for (PortNoise& noise : i.noise) {
    archive(noise.r);
    archive(noise.v);
  }
  for (double* number :
       {&i.smallestMobility, &i.scalarEstimate, &i.largestMultiplier, &i.largestInput}) {
    archive(*number);
  }
  visitFlag(archive, i.mobilityIsStale);
  i.iteration.visitMemory([&archive](double& omega, auto& earlier, auto& misses) {
    archive(omega);
    archive(misses.plain);
    archive(misses.secant);
    earlier.resize(archive.count(earlier.size()));
    for (auto& secants : earlier) {
      visitSecants(archive, secants.e);
      visitSecants(archive, secants.h);
      archive.require(secants.e.size() == secants.h.size());
      for (std::size_t k = 0; k < secants.e.size(); ++k) {
        archive.require(secants.e[k].size() == secants.h[k].size());
      }
    }
  });
  MasterStatistics& s = i.statistics;
  for (long* number : {&s.steps, &s.evaluations, &s.failures, &s.rejected, &s.tooInexact, &s.events,
                       &s.stagnated}) {
    archive.whole(*number);
  }
  for (double* number : {&s.smallestStep, &s.largestStep}) archive(*number);
  archive.whole(s.mostEvaluations);
  for (JointStatistics& joint : s.joints) {
    for (double* number : {&joint.largestGap, &joint.largestGapRate, &joint.largestPower}) {
      archive(*number);
    }
  }
}

}  // namespace

std::vector<double> Master::saveState() const {
  StateWriter writer;
  visitState(writer, *implementation_);
  return std::move(writer.numbers);
}

void Master::restoreState(std::span<const double> numbers) {
  const std::vector<double> before = saveState();
  try {
    StateReader reader(numbers);
    visitState(reader, *implementation_);
    reader.finish();
  } catch (const CouplingError&) {
    StateReader reader(before);
    visitState(reader, *implementation_);
    throw;
  }
}

}  // namespace trammel::coupling

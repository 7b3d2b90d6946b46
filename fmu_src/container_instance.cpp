#include "fmu_src/container_instance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fmu_src/number_text.hpp"

namespace trammel::fmi {
namespace {

/// Importers accumulate times or multiply them: a communication time may be off by rounding.
double timeTolerance(double t, double step) {
  return 1e-9 * step + 16 * std::numeric_limits<double>::epsilon() * std::abs(t);
}

ArrayReferences arraysOf(const ContainerDescription& description) {
  std::vector<std::size_t> counts{1};  // time
  for (const ContainerVariable& v : description.variables) {
    counts.push_back(v.isArray ? v.size : 1);
    counts.insert(counts.end(), v.size - 1, v.isArray ? 0 : 1);
  }
  return ArrayReferences(std::move(counts));
}

}  // namespace

ContainerInstance::ContainerInstance(ContainerDescription description,
                                     const std::filesystem::path& directory, Log log,
                                     bool knowsTypes)
    : Component(&run_.mode),
      description_(std::move(description)),
      log_(std::move(log)),
      knowsTypes_(knowsTypes),
      arrays_(arraysOf(description_)) {
  places_.push_back(0);  // time
  for (std::size_t i = 0; i < description_.variables.size(); ++i)
    places_.insert(places_.end(), description_.variables[i].size, i);
  coupling::CoupledSystem system;
  for (const ContainerMember& member : description_.members) {
    auto fmu = std::make_unique<const coupling::Fmu>(
        "member " + member.name, directory / "members" / member.name, member.fmu);
    auto subsystem =
        std::make_unique<coupling::FmuSubsystem>(member.name, std::move(fmu), member.use);
    members_.push_back(subsystem.get());
    system.subsystems.push_back(std::move(subsystem));
  }
  system.joints = description_.joints;
  system.connections = description_.connections;
  master_ = std::make_unique<coupling::Master>(std::move(system), description_.options);
  fresh_ = master_->saveState();
  clear();
}

ContainerInstance::~ContainerInstance() = default;

void ContainerInstance::clear() {
  run_ = {};
  run_.startTime = run_.time = description_.startTime;
  run_.numbers.assign(places_.size(), 0.0);
  run_.texts.resize(description_.variables.size());
  for (std::size_t i = 0; i < description_.variables.size(); ++i) {
    const ContainerVariable& v = description_.variables[i];
    run_.texts[i] = v.startText;
    std::copy(v.start.begin(), v.start.end(), run_.numbers.begin() + v.valueReference);
  }
  lastStepStatus_ = Status::ok;
  wantsToEnd_ = false;
}

void ContainerInstance::reset() {
  for (coupling::FmuSubsystem* member : members_) member->reset();
  master_->restoreState(fresh_);
  clear();
}

void ContainerInstance::setupExperiment(std::optional<double> tolerance, double startTime,
                                        std::optional<double> stopTime) {
  if (tolerance && (!(*tolerance > 0) || !std::isfinite(*tolerance)))
    throw Error("tolerance must be > 0 and finite, is " + numberText(*tolerance));
  if (!std::isfinite(startTime))
    throw Error("start time must be finite, is " + numberText(startTime));
  if (stopTime && !(*stopTime >= startTime))
    throw Error("stop time must not lie before the start time " + numberText(startTime) +
                " s, is " + numberText(*stopTime));
  run_.startTime = run_.time = startTime;
  run_.stopTime = stopTime;
}

void ContainerInstance::enterInitializationMode() {
  master_->enterInitialization(run_.startTime, run_.stopTime);
  run_.mode = Mode::initialization;
}

void ContainerInstance::findStart() {
  if (run_.startFound) return;
  master_->findStart();
  run_.startFound = true;
}

void ContainerInstance::exitInitializationMode() {
  findStart();
  const coupling::Certificate& certificate = master_->exitInitialization(description_.step);
  log_.write(Status::ok, std::string("scheme ") + coupling::text(certificate.scheme) + ": " +
                             certificate.reason);
  for (const std::string& warning : certificate.warnings) log_.write(Status::warning, warning);
  run_.mode = Mode::step;
}

void ContainerInstance::checkStep(double currentTime, double stepSize) const {
  if (!std::isfinite(currentTime))
    throw Error("communication point must be finite, is " + numberText(currentTime));
  if (!(stepSize > 0) || !std::isfinite(stepSize))
    throw Error("communication step size must be > 0 s and finite, is " + numberText(stepSize));
  const double step = std::max(stepSize, run_.lastStepSize);
  const double tolerance =
      timeTolerance(std::max(std::abs(currentTime), std::abs(run_.time)), step);
  if (std::abs(currentTime - run_.time) > tolerance)
    throw Error("communication point is " + numberText(currentTime) + " s, expected " +
                numberText(run_.time) + " s");
  if (run_.stopTime && currentTime + stepSize - *run_.stopTime > 1e-3 * step + tolerance &&
      *run_.stopTime - currentTime > 1e-3 * step + tolerance)
    throw Error("step from " + numberText(currentTime) + " s by " + numberText(stepSize) +
                " s passes the stop time " + numberText(*run_.stopTime) + " s");
}

/// Steps of the master in a communication step: equal ones, not larger than that of the system.
long ContainerInstance::divisions(double stepSize) const {
  const double ratio = stepSize / description_.step;
  if (!(ratio < 1e9))
    throw Error("communication step size " + numberText(stepSize) +
                " s is more than 1e9 steps of " + numberText(description_.step) + " s");
  const double nearest = std::max(1.0, std::round(ratio));
  if (std::abs(ratio - nearest) <= 1e-6 * nearest) return static_cast<long>(nearest);
  if (!description_.canVaryStep())
    throw Error("communication step size is " + numberText(stepSize) +
                " s, expected a multiple of " + numberText(description_.step) +
                " s: not all members take steps of other sizes");
  return static_cast<long>(std::ceil(ratio));
}

/// F(t + s) = F + F' s + F'' s²/2 for inputs that have their derivatives as inputs: members take
/// the beginning of their own step for t.
void ContainerInstance::shiftInputs(double s) {
  if (s == 0 && !run_.shifted) return;
  run_.shifted = s != 0;
  for (const ContainerVariable& v : description_.variables) {
    if (v.firstRate < 0) continue;
    const ContainerVariable& first = description_.variables[static_cast<std::size_t>(v.firstRate)];
    const auto F = numbersOf(v), F1 = numbersOf(first);
    std::vector<double> value(F.begin(), F.end()), rate(F1.begin(), F1.end());
    const bool isQuadratic = v.secondRate >= 0;
    for (std::size_t i = 0; i < v.size; ++i) {
      const double F2 =
          isQuadratic ? numbersOf(description_.variables[static_cast<std::size_t>(v.secondRate)])[i]
                      : 0;
      value[i] = F[i] + F1[i] * s + F2 * s * s / 2;
      rate[i] = F1[i] + F2 * s;
    }
    sendNumbers(v, value);
    sendNumbers(first, rate);
  }
}

/// False, with the reason in failure_, where a step of the master fails.
bool ContainerInstance::advance(double target, StepResult& result) {
  const double begin = master_->time();
  const long n = divisions(target - begin);
  master_->setBeforeStep([this, begin](double t) { shiftInputs(t - begin); });
  for (long i = 1; i <= n && !result.terminate; ++i) {
    const double next =
        i == n ? target
               : begin + (target - begin) * static_cast<double>(i) / static_cast<double>(n);
    const coupling::MasterStep step = master_->advance(next);
    failure_ = step.failure;
    if (!step.completed) return false;
    result.terminate = step.wantsToEnd;
    if (step.wantsToEnd)
      log_.write(Status::ok, "member \"" + step.subsystem + "\" asks for the end of the run");
  }
  return true;
}

StepResult ContainerInstance::doStep(double currentTime, double stepSize) {
  checkStep(currentTime, stepSize);
  const double target = std::max(currentTime + stepSize, run_.time);
  const bool canReturn = description_.canSaveState();
  if (canReturn) saveState(before_);
  StepResult result{.lastSuccessfulTime = run_.time};
  wantsToEnd_ = false;
  const bool done = advance(target, result);
  if (!done) {
    if (!canReturn) throw Error(failure_ + "; a member cannot return to its former state");
    log_.write(Status::discard, failure_);
    restoreState(*before_);
    lastStepStatus_ = result.status = Status::discard;
    return result;
  }
  run_.time = result.terminate ? master_->time() : target;
  run_.lastStepSize = stepSize;
  wantsToEnd_ = result.terminate;
  result.lastSuccessfulTime = run_.time;
  lastStepStatus_ = Status::ok;
  return result;
}

void ContainerInstance::enterEventMode() { throw Error("hasEventMode is false"); }
void ContainerInstance::updateDiscreteStates() { throw Error("hasEventMode is false"); }
void ContainerInstance::enterStepMode() { throw Error("hasEventMode is false"); }

void ContainerInstance::terminate() {
  master_->terminate();
  run_.mode = Mode::terminated;
}

void ContainerInstance::fail(const char* where, const char* message) noexcept {
  log_.write(Status::error, where, message);
  run_.mode = Mode::failed;
}

void ContainerInstance::directionalDerivative(std::span<const std::uint32_t>,
                                              std::span<const std::uint32_t>,
                                              std::span<const double>, std::span<double>) {
  throw Error("the container provides no directional derivatives");
}
void ContainerInstance::adjointDerivative(std::span<const std::uint32_t>,
                                          std::span<const std::uint32_t>, std::span<const double>,
                                          std::span<double>) {
  throw Error("the container provides no adjoint derivatives");
}
void ContainerInstance::outputDerivatives(std::span<const std::uint32_t>,
                                          std::span<const std::int32_t>, std::span<double>) {
  throw Error("maxOutputDerivativeOrder is 0");
}
void ContainerInstance::setInputDerivatives(std::span<const std::uint32_t>,
                                            std::span<const std::int32_t>,
                                            std::span<const double>) {
  throw Error("canInterpolateInputs is false");
}

}  // namespace trammel::fmi

#include <algorithm>
#include <cmath>
#include <sstream>

#include "coupling/master_implementation.hpp"

namespace trammel::coupling {
namespace {

std::string historyText(const std::vector<double>& errors) {
  std::ostringstream out;
  out.precision(2);
  for (const double error : errors) out << (&error == errors.data() ? "" : " ") << error;
  return out.str();
}

}  // namespace

/// Joints that the subsystem takes part in, as open as they were at t.
std::string Master::Implementation::jointsText(int subsystem) const {
  InterfaceValues now;
  joints.evaluate(motions, now);
  std::ostringstream out;
  out.precision(3);
  const char* separator = "; joints: ";
  for (std::size_t j = 0; j < joints.joints().size(); ++j) {
    const Joint& joint = joints.joints()[j];
    const bool takesPart =
        std::any_of(joint.sides.begin(), joint.sides.end(),
                    [&](const PortReference& side) { return side.subsystem == subsystem; });
    if (!takesPart) continue;
    const Index begin = joints.rowOffset(j), size = joint.size();
    out << separator << '"' << joint.name << "\" with gap "
        << now.g.segment(begin, size).lpNorm<Eigen::Infinity>() << " and rate "
        << now.gv.segment(begin, size).lpNorm<Eigen::Infinity>();
    separator = ", ";
  }
  return out.str();
}

std::string Master::Implementation::failureText(double H, const IterationReport& report) const {
  std::ostringstream out;
  out.precision(6);
  out << "coupling failed at t = " << t << " s, step " << H << " s: " << coupling::text(report.end);
  if (last.subsystem >= 0) {
    out << "; subsystem \"" << system.subsystems[static_cast<std::size_t>(last.subsystem)]->name()
        << "\": " << last.step.message << jointsText(last.subsystem);
  } else if (last.interface.g.size() > 0) {
    Index row = 0;
    (last.interface.g.cwiseAbs() + H * last.interface.gv.cwiseAbs()).maxCoeff(&row);
    out << "; largest residual in joint \"" << joints.joints()[joints.jointOfRow(row)].name
        << "\": gap " << last.interface.g[row] << ", rate " << last.interface.gv[row];
  }
  if (!report.errors.empty()) {
    out << "; errors in units of the tolerance: " << historyText(report.errors);
  } else if (!acceptedErrors.empty()) {
    out << "; errors of the last accepted step in units of the tolerance: "
        << historyText(acceptedErrors);
  }
  return out.str();
}

bool Master::Implementation::canRetry(double h, double H) const {
  if (last.subsystem >= 0 && last.step.outcome == StepOutcome::fatal) return false;
  if (options.stepControl.isOn() && h > (1 + 1e-9) * smallestStep(H)) return true;
  return allRollBack && allVaryStep && h > H * std::ldexp(1, -options.maxHalvings);
}

bool Master::Implementation::saveAll() {
  for (std::size_t k = 0; k < system.subsystems.size(); ++k) {
    const bool isSaved = carriedOut(
        k, [&] { system.subsystems[k]->save(); }, StepOutcome::fatal);
    if (!isSaved) return false;
  }
  return true;
}

bool Master::Implementation::restoreAll() {
  for (std::size_t k = 0; k < system.subsystems.size(); ++k) {
    const bool isRestored = carriedOut(
        k, [&] { system.subsystems[k]->restore(); }, StepOutcome::fatal);
    if (!isRestored) return false;
  }
  return true;
}

/// After a failure: back to t, then a shorter step, or to where a subsystem says that it can go.
/// False: there is no way back.
bool Master::Implementation::shrinkStep(double h) {
  const bool hasAnswer = last.subsystem >= 0;
  const bool isFatal = hasAnswer && last.step.outcome == StepOutcome::fatal;
  const double reached = hasAnswer ? last.step.reachedTime - t : 0;
  const bool wentFar = hasAnswer && last.step.outcome == StepOutcome::discarded && reached > h / 16;
  if (allRollBack && !isFatal && !restoreAll()) return false;
  if (wentFar && reached < 0.99 * h && eventTime <= t) {
    eventTime = t + reached;  // once; what fails on the way there too is halved
  } else {
    presentStep = h / 2;
    eventTime = t;
  }
  goodSteps = 0;
  iteration.forget();
  memory.restart(memory.last);
  return true;
}

/// After four accepted steps twice as large, up to the nominal one.
void Master::Implementation::growStep(double H) {
  if (++goodSteps < 4 || presentStep >= H) return;
  presentStep = std::min(2 * presentStep, H);
  goodSteps = 0;
}

}  // namespace trammel::coupling

#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "coupling/fmu_log.hpp"
#include "coupling/fmu_probe.hpp"
#include "coupling/shared_library.hpp"

namespace trammel::coupling {

/// The sequence of calls, the same for both versions. `Calls` is the C interface of one instance:
/// each of its functions returns the status of one call and announces it in the report.
template <class Calls>
class ProbeScenario final {
 public:
  ProbeScenario(const ProbePlan& plan, const ProbeReport& report, const SharedLibrary& library)
      : plan_(plan), report_(report), library_(library) {}

  void run() {
    refuseWrongToken();
    if (plan_.interface == ProbedInterface::modelExchange) {
      runModelExchange();
    } else if (plan_.interface == ProbedInterface::scheduledExecution) {
      runInitialization();
    } else {
      runCoSimulation();
    }
  }

 private:
  using Values = std::vector<double>;
  static constexpr int stepCount = 5;

  /// Reports what the call returned; true where the instance can be used further.
  bool check(Calls& calls, FmuStatus status) {
    if (status == FmuStatus::ok) return true;
    const std::string text = calls.lastCall() + " returned " + coupling::text(status) + said(calls);
    if (status == FmuStatus::warning) {
      report_("run-warning", text);
      return true;
    }
    report_("run-call", text);
    return false;
  }

  static std::string said(const Calls& calls) {
    const std::string tail = calls.log().tail();
    return tail.empty() ? ", without a message" : ": " + tail;
  }

  void refuseWrongToken() {
    Calls calls(plan_, library_, report_);
    if (calls.instantiate(plan_.token + "-other"))
      report_("run-token", "an instance was made for the token " + plan_.token + "-other");
  }

  bool instantiate(Calls& calls, const char* rule) {
    if (calls.instantiate(plan_.token)) return true;
    report_(rule, calls.lastCall() + " returned NULL" + said(calls));
    return false;
  }

  bool initialize(Calls& calls, bool compare) {
    if (!check(calls, calls.setDebugLogging())) return false;
    if (!check(calls, calls.enterInitializationMode())) return false;
    if (compare) compareStarts(calls);
    return check(calls, calls.exitInitializationMode());
  }

  void compareStarts(Calls& calls) {
    for (const ProbedVariable& variable : plan_.variables) {
      if (variable.start.empty()) continue;
      Values values;
      if (!check(calls, calls.get(variable, values))) continue;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double start = variable.start[variable.start.size() == 1 ? 0 : i];
        if (!(values[i] == start)) {
          report_("run-start", "variable \"" + variable.name + "\" is " + shown(values[i]) +
                                   " at the start, expected " + shown(start));
          break;
        }
      }
    }
  }

  /// All values of all types, with what is wrong with them.
  void readAll(Calls& calls) {
    for (const ProbedVariable& variable : plan_.variables) {
      Values values;
      if (!check(calls, calls.get(variable, values))) continue;
      for (const double value : values) {
        if (!std::isfinite(value)) {
          report_("run-finite", "variable \"" + variable.name + "\" is " + shown(value));
          break;
        }
        // Values that were computed may pass a bound by rounding.
        const double slack = 1e-9 * std::max(1.0, std::abs(value));
        if (value < variable.min - slack || value > variable.max + slack) {
          report_("run-range", "variable \"" + variable.name + "\" is " + shown(value) +
                                   ", expected between " + shown(variable.min) + " and " +
                                   shown(variable.max));
          break;
        }
      }
    }
  }

  Values outputs(Calls& calls) {
    Values all;
    for (const ProbedVariable& variable : plan_.variables) {
      if (variable.causality != FmuCausality::output) continue;
      Values values;
      if (check(calls, calls.get(variable, values)))
        all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  /// The shortest text that gives the same number again.
  static std::string shown(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
  }

  /// Bits, so that NaN equals itself and −0 is not 0.
  static bool same(const Values& a, const Values& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
  }

  /// Steps k = first … first + count − 1 of size h from t₀ + k h; the outputs behind each of them.
  bool step(Calls& calls, int first, int count, Values& results) {
    for (int k = first; k < first + count; ++k) {
      const double t = plan_.startTime + k * plan_.stepSize, h = plan_.stepSize;
      double reached = t + h;
      const FmuStatus status = calls.doStep(t, h, reached);
      if (status != FmuStatus::ok && status != FmuStatus::warning) {
        report_("run-step", calls.lastCall() + " from " + shown(t) + " by " + shown(h) +
                                " returned " + coupling::text(status) + said(calls));
        return false;
      }
      if (std::abs(reached - (t + h)) > 1e-6 * h)
        report_("run-step-time", calls.lastCall() + " from " + shown(t) + " by " + shown(h) +
                                     " reached " + shown(reached));
      const Values now = outputs(calls);
      results.insert(results.end(), now.begin(), now.end());
    }
    return true;
  }

  void runInitialization() {
    Calls calls(plan_, library_, report_);
    if (!instantiate(calls, "run-instantiate") || !initialize(calls, true)) return;
    check(calls, calls.terminate());
    checkLog(calls);
  }

  void runCoSimulation() {
    Values first;
    {
      Calls calls(plan_, library_, report_);
      if (!instantiate(calls, "run-instantiate") || !initialize(calls, true)) return;
      readAll(calls);
      if (!step(calls, 0, stepCount, first)) return;
      readAll(calls);
      probeDerivatives(calls);
      probeStates(calls);
      probeVariableStep(calls);
      checkLog(calls);  // what follows may be refused for good reasons
      check(calls, calls.terminate());
      probeReset(calls, first);
    }
    probeInstances(first);
    probeFurtherModes();
    probeWrongReference();
    probeWrongSequence();
  }

  void probeReset(Calls& calls, const Values& first) {
    if (!check(calls, calls.reset())) return;
    Values again;
    if (initialize(calls, true) && step(calls, 0, stepCount, again) && !same(first, again))
      report_("run-reset", "the outputs of the first " + std::to_string(stepCount) +
                               " steps differ after a reset");
  }

  void probeStates(Calls& calls) {
    if (!plan_.saveState) return;
    void* state = nullptr;
    // The second call uses the memory of the first.
    if (!check(calls, calls.getState(state)) || !check(calls, calls.getState(state))) return;
    Values expected, again;
    bool usable = step(calls, stepCount, 2, expected) && check(calls, calls.setState(state)) &&
                  step(calls, stepCount, 2, again);
    if (usable && !same(expected, again))
      report_("run-state", "the outputs of two steps differ after the state was restored");
    if (usable && plan_.serializeState) probeSerialization(calls, state, expected);
    check(calls, calls.freeState(state));
    if (state != nullptr)
      report_("run-state", calls.lastCall() + " did not set the pointer to NULL");
  }

  void probeSerialization(Calls& calls, void* state, const Values& expected) {
    std::vector<std::byte> bytes;
    void* copy = nullptr;
    if (!check(calls, calls.serialize(state, bytes)) ||
        !check(calls, calls.deserialize(bytes, copy)))
      return;
    Values again;
    if (check(calls, calls.setState(copy)) && step(calls, stepCount, 2, again) &&
        !same(expected, again))
      report_("run-serialize", "the outputs of two steps differ after the state was serialized");
    check(calls, calls.freeState(copy));
  }

  /// Jᵀ and J agree where both exist: v̄ᵀ (J v) = (Jᵀ v̄)ᵀ v, here with single entries.
  void probeDerivatives(Calls& calls) {
    for (const auto& [unknown, known] : plan_.derivatives) {
      double directional = 0, adjoint = 0;
      if (plan_.directionalDerivatives) {
        if (!check(calls, calls.directionalDerivative(unknown, known, directional))) return;
        if (!std::isfinite(directional))
          report_("run-derivative", calls.lastCall() + " of " + std::to_string(unknown) +
                                        " with respect to " + std::to_string(known) + " is " +
                                        shown(directional));
      }
      if (!plan_.adjointDerivatives) continue;
      if (!check(calls, calls.adjointDerivative(unknown, known, adjoint))) return;
      const double size = std::max(std::abs(directional), std::abs(adjoint));
      // Both are exact up to rounding, or differences of the same kind.
      if (plan_.directionalDerivatives && !(std::abs(directional - adjoint) <= 1e-6 * size))
        report_("run-adjoint", "the derivative of " + std::to_string(unknown) +
                                   " with respect to " + std::to_string(known) + " is " +
                                   shown(adjoint) + ", expected " + shown(directional));
    }
    if (plan_.outputDerivativeOrder > 0) check(calls, calls.outputDerivatives());
    if (plan_.interpolatesInputs) check(calls, calls.inputDerivatives());
  }

  /// Two at a time, stepped in turn, do what one alone did.
  void probeInstances(const Values& first) {
    if (plan_.onlyOneInstance) return;
    Calls one(plan_, library_, report_), two(plan_, library_, report_);
    if (!instantiate(one, "run-instances") || !instantiate(two, "run-instances")) return;
    if (!initialize(one, false) || !initialize(two, false)) return;
    Values a, b;
    for (int k = 0; k < stepCount; ++k) {
      if (!step(one, k, 1, a) || !step(two, k, 1, b)) return;
    }
    if (!same(first, a) || !same(first, b))
      report_("run-instances", "two instances side by side give other outputs than one alone");
  }

  /// A step of another size behind the others.
  void probeVariableStep(Calls& calls) {
    if (!plan_.variableStep) return;
    const int done = stepCount + (plan_.saveState ? 2 : 0);
    const double t = plan_.startTime + done * plan_.stepSize, h = 0.375 * plan_.stepSize;
    double reached = t + h;
    const FmuStatus status = calls.doStep(t, h, reached);
    if (status != FmuStatus::ok && status != FmuStatus::warning)
      report_("run-step", calls.lastCall() + " with a step of another size returned " +
                              coupling::text(status) + said(calls));
  }

  /// A step before initialization is an illegal call.
  void probeWrongSequence() {
    Calls calls(plan_, library_, report_);
    if (!instantiate(calls, "run-instantiate")) return;
    double reached = 0;
    const FmuStatus status = calls.doStep(plan_.startTime, plan_.stepSize, reached);
    if (status == FmuStatus::ok || status == FmuStatus::warning)
      report_("run-sequence", calls.lastCall() + " before initialization returned " +
                                  coupling::text(status) + ", expected error");
  }

  /// Event mode and intermediate update of FMI 3, each in an instance that was made for it.
  void probeFurtherModes() {
    if (plan_.version == FmuVersion::fmi3 && !plan_.eventMode) {
      Calls calls(plan_, library_, report_);
      calls.useEventMode();
      if (calls.instantiate(plan_.token))
        report_("run-event-mode",
                calls.lastCall() + " accepted eventModeUsed without hasEventMode");
    }
    if (plan_.eventMode) {
      Calls calls(plan_, library_, report_);
      calls.useEventMode();
      Values ignored;
      if (instantiate(calls, "run-instantiate") && initialize(calls, false) &&
          check(calls, calls.leaveEventMode()) && step(calls, 0, 1, ignored) &&
          check(calls, calls.enterEventMode()) && check(calls, calls.leaveEventMode()))
        step(calls, 1, 1, ignored);
    }
    if (plan_.intermediateUpdate) {
      Calls calls(plan_, library_, report_);
      calls.useIntermediateUpdate();
      Values ignored;
      if (instantiate(calls, "run-instantiate") && initialize(calls, false) &&
          step(calls, 0, 2, ignored) && calls.intermediateUpdates() == 0)
        report_("run-intermediate", "the callback was not called in two steps");
    }
  }

  void probeWrongReference() {
    ProbedVariable wrong;
    wrong.type = plan_.version == FmuVersion::fmi3 ? "Float64" : "Real";
    for (const ProbedVariable& variable : plan_.variables)
      wrong.reference = std::max(wrong.reference, variable.reference);
    if (wrong.reference > std::numeric_limits<std::uint32_t>::max() - 1000) return;
    wrong.reference += 1000;
    Calls calls(plan_, library_, report_);
    if (!instantiate(calls, "run-instantiate") || !initialize(calls, false)) return;
    Values values;
    const FmuStatus status = calls.get(wrong, values);
    if (status == FmuStatus::ok || status == FmuStatus::warning)
      report_("run-reference", calls.lastCall() + " accepted the value reference " +
                                   std::to_string(wrong.reference) + ", expected an error");
  }

  /// One explicit Euler step x₁ = x₀ + h ẋ₀ through all functions of model exchange.
  void runModelExchange() {
    Calls calls(plan_, library_, report_);
    if (!instantiate(calls, "run-instantiate") || !initialize(calls, true)) return;
    readAll(calls);
    if (!check(calls, calls.leaveEventMode())) return;
    Values x(plan_.states), dx(plan_.states), nominal(plan_.states), z(plan_.eventIndicators);
    if (!check(calls, calls.continuousStates(x)) || !check(calls, calls.stateDerivatives(dx)) ||
        !check(calls, calls.nominals(nominal)) || !check(calls, calls.eventIndicators(z)))
      return;
    for (const double value : dx) {
      if (!std::isfinite(value)) report_("run-finite", "a state derivative is not finite");
    }
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += plan_.stepSize * dx[i];
    if (!check(calls, calls.setTime(plan_.startTime + plan_.stepSize)) ||
        !check(calls, calls.setContinuousStates(x)) ||
        !check(calls, calls.completedIntegratorStep()))
      return;
    readAll(calls);
    checkLog(calls);
    check(calls, calls.terminate());
    if (check(calls, calls.reset())) initialize(calls, true);
  }

  void checkLog(const Calls& calls) {
    for (const FmuMessage& message : calls.log().messages()) {
      if (message.status == FmuStatus::error || message.status == FmuStatus::fatal)
        report_("run-log-error", "it logged: " + message.text);
      const auto& known = plan_.logCategories;
      if (!message.category.empty() &&
          std::find(known.begin(), known.end(), message.category) == known.end())
        report_("run-log-category", "it logged in the category " + message.category);
    }
  }

  const ProbePlan& plan_;
  const ProbeReport& report_;
  const SharedLibrary& library_;
};

}  // namespace trammel::coupling

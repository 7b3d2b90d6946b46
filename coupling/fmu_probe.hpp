#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coupling/fmu_description.hpp"

namespace trammel::coupling {

enum class ProbedInterface { modelExchange, coSimulation, scheduledExecution };

/// A variable that is read, and compared with what the description says of it.
struct ProbedVariable {
  std::string name;
  std::string type;  // as in the description, e.g. "Real", "UInt16"
  std::uint32_t reference = 0;
  FmuCausality causality = FmuCausality::local;
  std::size_t size = 1;
  std::vector<double>
      start;  // value of parameters and inputs before the first step, empty: unknown
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool intermediateUpdate = false;
};

/// What is called in an FMU, and what it says that it can do.
struct ProbePlan {
  std::filesystem::path library;
  std::filesystem::path resources;
  FmuVersion version = FmuVersion::fmi3;
  ProbedInterface interface = ProbedInterface::coSimulation;
  std::string fmiVersion, token;
  bool saveState = false, serializeState = false, onlyOneInstance = false, variableStep = false;
  bool directionalDerivatives = false, adjointDerivatives = false;
  bool eventMode = false, intermediateUpdate = false, interpolatesInputs = false;
  unsigned outputDerivativeOrder = 0;
  double startTime = 0, stepSize = 0.01;  // [s]
  std::optional<double> tolerance;
  std::size_t eventIndicators = 0, states = 0;
  std::vector<ProbedVariable> variables;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> derivatives;  // unknown, known: scalars
  std::vector<std::string> logCategories;
};

/// Receives a broken rule of the check (an identifier such as "run-step") with its text, or, with
/// an empty rule, the function that is called next.
using ProbeReport = std::function<void(std::string_view rule, const std::string& text)>;

/// Loads the binary and calls every capability that the plan names. Whatever the FMU does happens
/// to the calling process, so that is a child made for it.
void probeFmu(const ProbePlan& plan, const ProbeReport& report);

}  // namespace trammel::coupling

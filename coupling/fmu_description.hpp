#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace trammel::coupling {

enum class FmuVersion { fmi2, fmi3 };

/// `real` is Real of FMI 2 and Float64 of FMI 3; `integer` stands for all integer types and
/// enumerations.
enum class FmuType { real, float32, integer, boolean, string, binary, clock };

enum class FmuCausality {
  parameter,
  calculatedParameter,
  structuralParameter,
  input,
  output,
  local,
  independent
};

struct FmuVariable {
  std::string name;
  std::uint32_t valueReference = 0;
  FmuType type = FmuType::real;
  FmuCausality causality = FmuCausality::local;
  bool isArray = false;              // FMI 3 variable with dimensions
  bool intermediateUpdate = false;   // FMI 3: an input that can be set within a step
  bool discrete = false;             // FMI 3: an input that can be set at events only
  std::size_t size = 1;              // number of values; 0: not known
  std::optional<std::string> start;  // as written
  std::string unit;                  // name of an FmuUnit; empty: none
};

/// A unit that the FMU defines: value in base units = factor × value + offset.
struct FmuUnit {
  std::string name;
  double factor = 1, offset = 0;
  std::array<int, 8> exponents{};  // of kg, m, s, A, K, mol, cd, rad
};

struct FmuCapabilities {
  bool variableStep = false;            // canHandleVariableCommunicationStepSize
  bool saveState = false;               // canGetAndSetFMUstate, canGetAndSetFMUState
  bool serializeState = false;          // canSerializeFMUstate, canSerializeFMUState
  bool needsTool = false;               // needsExecutionTool
  bool directionalDerivatives = false;  // providesDirectionalDerivative, …Derivatives
  bool interpolatesInputs = false;      // FMI 2: canInterpolateInputs
  bool intermediateUpdate = false;      // FMI 3: providesIntermediateUpdate
  bool eventMode = false;               // FMI 3: hasEventMode
  bool onlyOncePerProcess = false;      // canBeInstantiatedOnlyOncePerProcess
};

/// What a modelDescription.xml of FMI 2.0 or 3.0 says, as far as running the FMU needs it.
struct FmuDescription {
  FmuVersion version = FmuVersion::fmi3;
  std::string modelName;
  std::string modelIdentifier;
  std::string token;  // guid, instantiationToken
  std::string generationTool;
  FmuCapabilities capabilities;
  std::optional<double> startTime, stopTime, tolerance, stepSize;  // DefaultExperiment
  std::vector<FmuUnit> units;                                      // those with base units
  std::vector<FmuVariable> variables;

  const FmuVariable* find(const std::string& name) const {  // nullptr: no such variable
    const auto found = std::find_if(variables.begin(), variables.end(),
                                    [&](const FmuVariable& v) { return v.name == name; });
    return found == variables.end() ? nullptr : &*found;
  }
  const FmuUnit* unitOf(const FmuVariable& variable) const {  // nullptr: no unit is known
    const auto found = std::find_if(units.begin(), units.end(),
                                    [&](const FmuUnit& u) { return u.name == variable.unit; });
    return found == units.end() ? nullptr : &*found;
  }
};

/// Reads an FMU's description; `source` names the FMU in messages. Throws FmuError.
FmuDescription readFmuDescription(const std::filesystem::path& xml, const std::string& source);

/// Unpacks an FMU file into a directory and reads its description; nothing of its binary is loaded.
/// Throws FmuError.
FmuDescription unpackFmu(const std::filesystem::path& file, const std::filesystem::path& directory);

}  // namespace trammel::coupling

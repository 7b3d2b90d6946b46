#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/toml_document.hpp"
#include "models/variable_table.hpp"
#include "solver/error.hpp"
#include "solver/options.hpp"

namespace trammel {

/// A wrong model file: what() is one line `file:line: what, got, expected`; without line number
/// where line is 0.
class ModelError final : public Error {
 public:
  ModelError(const std::string& file, int line, const std::string& message);
};

constexpr int modelFormatVersion = 1;  // `trammel = 1`

/// A value and the line it stands on.
template <class T>
struct Located {
  T value{};
  int line = 0;
};

/// A number in the declared unit, or an expression in SI units.
using Formula = Located<std::variant<double, std::string>>;

/// What every named entry has.
struct NamedEntry {
  std::string name;
  int line = 0;  // of the name
  std::string description;
  std::optional<Located<std::string>> unit;   // known to parseUnit(); none: not declared
  std::optional<Located<std::string>> count;  // structural parameter; none: a single entry
  std::size_t element = 0;  // of an entry made from one with a count, from 1 on; 0: a single one
};

/// A number of elements, with which the model is compiled.
struct StructureEntry : NamedEntry {
  Located<double> value, min, max;  // whole numbers
};

struct ParameterEntry : NamedEntry {
  Type type = Type::float64;
  Located<double> value;  // this and the bounds in the declared unit; of a Boolean 0 or 1
  std::optional<Located<double>> min, max;
  bool tunable = false;
};

struct InputEntry : NamedEntry {
  Type type = Type::float64;
  Located<double> start;  // this and the following in the declared unit
  std::optional<Located<double>> min, max, nominal;
};

struct OutputEntry : NamedEntry {
  Formula expression;
  std::optional<Located<double>> nominal;
};

/// A name for an expression that others use.
struct DefinitionEntry : NamedEntry {
  Formula expression;
};

struct CoordinateEntry : NamedEntry {
  Formula start, startVelocity;
  std::optional<Located<double>> nominal;
  Formula mass;
  Formula force;
  std::optional<Formula> before, after;  // what stands for the elements 0 and count + 1
};

/// Off-diagonal entry of the symmetric mass matrix.
struct MassEntry {
  std::string row, column;
  int line = 0;
  Formula expression;
};

struct ConstraintEntry : NamedEntry {
  Formula expression;
};

/// kind = "equations"
struct EquationsPart {
  std::vector<DefinitionEntry> definitions;
  std::vector<CoordinateEntry> coordinates;
  std::vector<MassEntry> massMatrix;
  std::vector<ConstraintEntry> constraints;
  int line = 0;
};

/// kind = "mechanism": the tables of bodies, frames, joints, forces … as they stand in the file.
struct MechanismPart {
  TomlValue root;
  bool planar = false;                    // bodies move in the plane z = 0
  std::optional<Located<double>> length;  // [m], typical size of positions
};

struct ExperimentEntry {
  std::optional<Located<double>> startTime, stopTime, tolerance, stepSize;
};

struct SolverEntry {
  std::optional<Located<double>> tolerance, maxOrder, maxStep, initialStep;
  std::optional<Method> method;
  std::optional<Mode> mode;
  std::optional<ErrorTest> errorTest;
  std::optional<bool> repeatable;
};

/// Plain data of a .toml in the order of the file; every value knows its line. Names and
/// expressions are not resolved yet.
struct ModelFile {
  std::string source;  // the name used in messages
  std::string text;
  std::string name;
  std::string description;
  std::vector<StructureEntry> structure;
  std::vector<ParameterEntry> parameters;
  std::vector<InputEntry> inputs;
  std::vector<OutputEntry> outputs;
  ExperimentEntry experiment;
  SolverEntry solver;
  std::variant<EquationsPart, MechanismPart> part;  // one for each kind
};

ModelFile readModelFile(const std::filesystem::path& path);
/// `source` is the name used in messages.
ModelFile parseModel(std::string_view text, std::string source);

}  // namespace trammel

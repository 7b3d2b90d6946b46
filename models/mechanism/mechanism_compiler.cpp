#include "models/mechanism/mechanism_compiler.hpp"

#include <algorithm>

#include "models/model_reader.hpp"
#include "models/text.hpp"

namespace trammel {
namespace {

constexpr auto ofTimeAndInputs = anyOf(SymbolKind::time, SymbolKind::input);

std::string elementName(const std::string& name, int index, int count) {
  return count == 1 ? name : name + "[" + std::to_string(index + 1) + "]";
}

}  // namespace

MechanismCompiler::MechanismCompiler(const ModelFile& file, const MechanismPart& part,
                                     CompiledModel::Data& data)
    : file_(file),
      part_(part),
      data_(data),
      program_(data.program.emplace<MechanismProgram>()),
      names_(file.source, graph_),
      builder_(graph_, program_),
      planar_(part.planar),
      potential_(graph_.constant(0)) {
  frames_["ground"] = 0;
}

void MechanismCompiler::compile() {
  names_.declareInterface(file_);
  program_.read(file_);
  readGravity();
  const TableReader root(file_.source, "", part_.root, 1, mechanismKeys);
  forEachItem(root, "bodies", [this](const auto& item) { compileBody(item); });
  forEachItem(root, "frames", [this](const auto& item) { compileFrame(item); });
  forEachItem(root, "joints", [this](const auto& item) { compileJoint(item); });
  forEachItem(root, "measures", [this](const auto& item) { compileMeasure(item); });
  forEachItem(root, "joints", [this](const auto& item) { compileRelation(item); });
  forEachItem(root, "constraints", [this](const auto& item) { compileConstraint(item); });
  forEachItem(root, "forces", [this](const auto& item) { compileForce(item); });
  forEachItem(root, "ports", [this](const auto& item) { compilePort(item); });
  forEachItem(root, "outputs", [this](const auto& item) { compileOutput(item); });
  if (program_.bodies.size() < 2)
    root.fail(1, "bodies are missing, expected at least one [bodies.NAME]");
  std::vector<Expression> values;
  for (const Output& output : outputs_) values.push_back(output.value);
  builder_.finish(values);
  setNominal();
  checkStart();
  buildVariables();
  data_.parameterCount = static_cast<Index>(file_.parameters.size());
  data_.inputCount = static_cast<Index>(file_.inputs.size() + portInputs_.size());
  data_.outputCount = static_cast<Index>(outputs_.size());
  data_.coordinateCount = program_.coordinateCount();
  data_.constraintCount = program_.constraintCount();
}

/// gravity = [0, -9.81, 0], default: none.
void MechanismCompiler::readGravity() {
  const auto& table = *part_.root.table();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [](const auto& entry) { return entry.key == "gravity"; });
  if (found == table.end()) return;
  const std::string_view keys[] = {"gravity"};
  TomlValue wrapped;
  wrapped.line = found->line;
  wrapped.value = TomlValue::Table{*found};
  const ElementReader reader(file_.source, "model", file_.name, wrapped, found->line, keys);
  program_.gravity = numbersOf(reader, "gravity", 3, "m/s2");
}

bool MechanismCompiler::inPlane(int frame) const {
  const BodyKind kind = builder_.kindOf(frame);
  return isPlanar(kind) || kind == BodyKind::ground;
}

void MechanismCompiler::requireAxes(const ElementReader& reader, int frame,
                                    std::string_view expected) const {
  const BodyProgram& body = program_.bodies[static_cast<std::size_t>(builder_.bodyOf(frame))];
  if (body.kind != BodyKind::point && body.kind != BodyKind::planarPoint) return;
  reader.fail(reader.line(),
              inQuotes(body.name) + " is a point without axes, expected " + std::string(expected));
}

Expression MechanismCompiler::formula(const Formula& value, const TableReader& reader,
                                      std::string_view key, std::string_view unit,
                                      SymbolKinds allowed) {
  if (const auto number = parseQuantity(reader, value, key, unit)) return constant(*number);
  if (const auto* text = std::get_if<std::string>(&value.value)) {
    if (allowed != inNumber) resolveNames(*text);
  }
  const Expression expression =
      names_.parse(value, std::string(key) + " of " + reader.what(), allowed);
  checkDimension(expression, value.line, reader, key, unit);
  return expression;
}

/// Dimensions follow from the declared units of parameters and inputs; where one is missing, or
/// time stands in the expression, nothing is said.
void MechanismCompiler::checkDimension(Expression expression, int line, const TableReader& reader,
                                       std::string_view key, std::string_view unit) {
  const auto dimensionOfSymbol = [this](const Symbol& symbol) -> std::optional<Dimension> {
    const NamedEntry* entry = nullptr;
    if (symbol.kind == SymbolKind::parameter) entry = &file_.parameters[symbol.index];
    if (symbol.kind == SymbolKind::input && symbol.index < file_.inputs.size())
      entry = &file_.inputs[symbol.index];
    if (entry == nullptr || !entry->unit) return std::nullopt;
    return dimensionOf(*parseUnit(entry->unit->value));
  };
  std::string conflict;
  const Dimensioned found = inferDimension(graph_, expression, dimensionOfSymbol, conflict);
  if (!conflict.empty()) reader.fail(line, std::string(key) + " " + conflict);
  if (unit.empty() || found.state != Dimensioned::State::known) return;
  if (found.dimension == dimensionOf(*parseUnit(unit))) return;
  reader.fail(line, std::string(key) + " must have the dimension of " + inQuotes(unit) +
                        ", is in " + inQuotes(dimensionText(found.dimension)));
}

Expression MechanismCompiler::quantity(const ElementReader& reader, std::string_view key,
                                       std::string_view unit, SymbolKinds allowed) {
  return formula(reader.formula(key), reader, key, unit, allowed);
}

Expression MechanismCompiler::quantityOr(const ElementReader& reader, std::string_view key,
                                         std::string_view unit, double otherwise) {
  return reader.has(key) ? quantity(reader, key, unit, inNumber) : constant(otherwise);
}

/// In the plane the third number of a vector may be left out.
int MechanismCompiler::numbersOf(const ElementReader& reader, std::string_view key,
                                 std::size_t count, std::string_view unit) {
  const TomlValue::Entry* entry = reader.find(key);
  const auto* array =
      entry == nullptr ? nullptr : std::get_if<TomlValue::Array>(&entry->value.value);
  const bool flat = planar_ && count == 3 && array != nullptr && array->size() == 2;
  std::vector<Expression> values;
  for (const Formula& value : reader.formulas(key, flat ? 2 : count))
    values.push_back(formula(value, reader, key, unit, inNumber));
  if (flat) values.push_back(constant(0));
  return builder_.numbers(values);
}

std::pair<Expression, Expression> MechanismCompiler::planeVector(const ElementReader& reader,
                                                                 std::string_view key) {
  const TomlValue::Entry* entry = reader.find(key);
  const auto* array = std::get_if<TomlValue::Array>(&entry->value.value);
  const bool flat = array != nullptr && array->size() == 2;
  const std::vector<Formula> formulas = reader.formulas(key, flat ? 2 : 3);
  return {formula(formulas[0], reader, key, "1", inNumber),
          formula(formulas[1], reader, key, "1", inNumber)};
}

int MechanismCompiler::numberOf(const ElementReader& reader, std::string_view key,
                                std::string_view unit) {
  return builder_.number(quantity(reader, key, unit, inNumber));
}

/// Lengths are measured by the largest distance of a frame from its body's centre of mass, 1 m
/// where there is none.
void MechanismCompiler::setNominal() {
  for (const InputEntry& entry : portInputs_) program_.inputs.push_back(entry.start.value);
  program_.nominal.assign(program_.coordinateNames.size(), 1.0);
  MechanismSystem system(program_);
  double length = 0;
  for (std::size_t f = 0; f < program_.frames.size(); ++f)
    if (program_.frames[f].body != 0) length = std::max(length, system.localDistance(f));
  if (part_.length) length = part_.length->value;
  if (!(length > 0)) length = 1;
  for (const BodyProgram& body : program_.bodies) {
    const int places = body.kind == BodyKind::scalar   ? 0
                       : body.kind == BodyKind::ground ? 0
                       : isPlanar(body.kind)           ? 2
                                                       : 3;
    for (Index i = body.coordinate; i < body.coordinate + places; ++i)
      program_.nominal[static_cast<std::size_t>(i)] = length;
  }
}

void MechanismCompiler::checkStart() {
  const MechanismSystem system(program_);
  int line = 0;
  const std::string message = system.defect(line);
  if (!message.empty()) throw ModelError(file_.source, line, message);
}

ValueReferences MechanismCompiler::dependencies(std::span<const Expression> expressions,
                                                const VariableBuilder& builder, SymbolKinds kinds) {
  ValueReferences references;
  for (const Symbol& s : graph_.symbols(expressions, kinds))
    references.push_back(s.kind == SymbolKind::time ? 0 : builder.inputReference(s.index));
  return references;
}

void MechanismCompiler::buildVariables() {
  VariableBuilder builder;
  for (const ParameterEntry& entry : file_.parameters) builder.addParameter(entry);
  for (const InputEntry& entry : file_.inputs) builder.addInput(entry);
  for (const InputEntry& entry : portInputs_) builder.addInput(entry);
  const ValueReferences ofAccelerations = dependencies(laws_, builder, ofTimeAndInputs);
  const ValueReferences ofMotion = dependencies(rowsWithInputs_, builder, only(SymbolKind::input));
  addBodyVariables(builder, ofAccelerations, ofMotion);
  for (const Output& output : outputs_) {
    ValueReferences own = dependencies({&output.value, 1}, builder, ofTimeAndInputs);
    const SymbolKinds kinds = graph_.kinds(output.value);
    const auto append = [&own](const ValueReferences& more) {
      own.insert(own.end(), more.begin(), more.end());
    };
    constexpr auto ofForces =
        anyOf(SymbolKind::acceleration, SymbolKind::multiplier, SymbolKind::derived);
    if ((kinds & ofForces) != 0) append(ofAccelerations);
    if ((kinds & anyOf(SymbolKind::position, SymbolKind::velocity, SymbolKind::derived)) != 0)
      append(ofMotion);
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    OutputEntry entry;
    static_cast<NamedEntry&>(entry) = output.entry;
    entry.nominal = output.nominal;
    builder.addOutput(entry, own);
  }
  data_.variables = builder.takeTable();
  data_.units = builder.takeUnits();
}

void MechanismCompiler::addBodyVariables(VariableBuilder& builder,
                                         const ValueReferences& ofAccelerations,
                                         const ValueReferences& ofMotion) {
  Vector q(program_.coordinateCount()), v(program_.coordinateCount());
  MechanismSystem system(program_);
  system.startValues(q, v);
  for (const BodyProgram& body : program_.bodies) {
    for (int i = 0; i < coordinateCountOf(body.kind); ++i) {
      const Index coordinate = body.coordinate + i;
      const auto index = static_cast<std::size_t>(coordinate);
      CoordinateEntry entry;
      entry.name = program_.coordinateNames[index];
      const int places = isPlanar(body.kind) ? 2 : 3;
      const bool turn = (body.kind == BodyKind::planar && i == 2) || body.windingBlock >= 0;
      const bool place = body.kind != BodyKind::scalar && i < places;
      if (place) entry.description = "Position of the centre of mass of " + body.name;
      if (turn) entry.description = "Angle of " + body.name;
      if (body.kind == BodyKind::rigid && !place)
        entry.description = "Euler parameter of " + body.name;
      entry.unit = Located<std::string>{place ? "m" : turn ? "rad" : "1", body.line};
      entry.nominal = Located<double>{program_.nominal[index], body.line};
      builder.addCoordinate(entry, q[coordinate], v[coordinate], ofAccelerations, ofMotion);
    }
  }
  std::map<std::string, std::pair<int, int>> counts;  // rows of each name, and those seen
  for (const RowProgram& row : program_.rows) ++counts[row.name].first;
  for (const RowProgram& row : program_.rows) {
    auto& [count, seen] = counts[row.name];
    ConstraintEntry entry;
    entry.name = row.name;
    builder.addConstraint(entry, elementName("", seen++, count), ofAccelerations, ofMotion);
  }
}

void compileMechanism(const ModelFile& file, const MechanismPart& part, CompiledModel::Data& data) {
  MechanismCompiler(file, part, data).compile();
}

}  // namespace trammel

#include <algorithm>
#include <cmath>
#include <tuple>

#include "models/model_data.hpp"
#include "models/model_names.hpp"
#include "models/structure.hpp"
#include "models/text.hpp"
#include "models/variable_builder.hpp"

namespace trammel {
namespace {

constexpr auto ofTime = only(SymbolKind::time);
constexpr auto ofInput = only(SymbolKind::input);
constexpr auto ofInputs = anyOf(SymbolKind::input, SymbolKind::inputRate);
constexpr auto ofPosition = only(SymbolKind::position);
constexpr auto ofVelocity = only(SymbolKind::velocity);
constexpr auto ofForces = anyOf(SymbolKind::acceleration, SymbolKind::multiplier);

// What the expressions of a model may contain.
constexpr auto inStart = only(SymbolKind::parameter);
constexpr auto inMass = anyOf(SymbolKind::parameter, SymbolKind::position);
constexpr auto inEnd = anyOf(SymbolKind::parameter, SymbolKind::time, SymbolKind::input);
constexpr auto inConstraint =
    anyOf(SymbolKind::parameter, SymbolKind::position, SymbolKind::time, SymbolKind::input);
constexpr auto inForce = static_cast<SymbolKinds>(inConstraint | ofVelocity);
constexpr auto inOutput = static_cast<SymbolKinds>(inForce | ofForces);

struct MatrixEntry {
  std::uint32_t row = 0, column = 0;
  Expression value;
};
using MatrixEntries = std::vector<MatrixEntry>;

/// Sorts the entries by columns, then rows.
SparsePattern patternOf(MatrixEntries& entries, std::size_t rows, std::size_t columns) {
  std::sort(entries.begin(), entries.end(), [](const MatrixEntry& x, const MatrixEntry& y) {
    return std::tie(x.column, x.row) < std::tie(y.column, y.row);
  });
  SparsePattern pattern;
  pattern.rows = static_cast<Index>(rows);
  pattern.columns = static_cast<Index>(columns);
  pattern.outer.assign(columns + 1, 0);
  for (const MatrixEntry& entry : entries) {
    ++pattern.outer[entry.column + 1];
    pattern.inner.push_back(static_cast<int>(entry.row));
  }
  for (std::size_t j = 0; j < columns; ++j) pattern.outer[j + 1] += pattern.outer[j];
  return pattern;
}

void append(std::vector<Expression>& roots, const MatrixEntries& entries) {
  for (const MatrixEntry& entry : entries) roots.push_back(entry.value);
}

class EquationsCompiler {
 public:
  EquationsCompiler(const ModelFile& file, const EquationsPart& part, CompiledModel::Data& data)
      : file_(file),
        part_(part),
        data_(data),
        program_(std::get<EquationsProgram>(data.program)),
        names_(file.source, graph_) {}

  void compile() {
    declareNames();
    parseExpressions();
    fillDefaults();
    buildForceBalance();
    buildRates();
    buildPlace();
    buildConstraintTapes();
    buildLinearisation();
    checkStart();
    buildVariables();
    data_.parameterCount = static_cast<Index>(file_.parameters.size());
    data_.inputCount = static_cast<Index>(file_.inputs.size());
    data_.outputCount = static_cast<Index>(file_.outputs.size());
    data_.coordinateCount = static_cast<Index>(n());
    data_.constraintCount = static_cast<Index>(m());
  }

 private:
  std::size_t n() const { return part_.coordinates.size(); }
  std::size_t m() const { return part_.constraints.size(); }
  Expression symbol(SymbolKind kind, std::size_t index) {
    return graph_.symbol({kind, static_cast<std::uint32_t>(index)});
  }

  // One space of names for all that a file names, the generated variables included.
  void declareNames() {
    names_.declareInterface(file_);
    for (std::size_t i = 0; i < n(); ++i) {
      const CoordinateEntry& entry = part_.coordinates[i];
      claimBase(entry, "coordinate");
      names_.declare(entry.name, "coordinate", entry.line, symbol(SymbolKind::position, i));
    }
    for (std::size_t k = 0; k < m(); ++k) declareConstraint(k);
    for (const OutputEntry& entry : file_.outputs) {
      claimBase(entry, "output");
      names_.claim(entry.name, "output", entry.line);
    }
    for (const DefinitionEntry& entry : part_.definitions)
      names_.claim(entry.name, "definition", entry.line);
  }

  void declareConstraint(std::size_t k) {
    const ConstraintEntry& entry = part_.constraints[k];
    const std::string base = baseName(entry), element = elementText(entry);
    claimBase(entry, "constraint");
    names_.claim(entry.name, "constraint", entry.line);
    names_.claim(base + ".g" + element, "residual", entry.line);
    names_.declare(base + ".lambda" + element, "multiplier", entry.line,
                   symbol(SymbolKind::multiplier, k));
  }

  /// Elements share the name before their number; where there are elements, i is their number.
  void claimBase(const NamedEntry& entry, const char* word) {
    if (entry.element != 1) return;
    names_.claim(baseName(entry), word, entry.line);
    if (!names_.isTaken("i")) {
      names_.claim("i", "number of an element", entry.line);
    } else if (names_.hasMeaning("i")) {
      throw ModelError(file_.source, entry.line,
                       std::string(word) + " " + inQuotes(baseName(entry)) +
                           ": has a count, so i is the number of an element, expected nothing "
                           "else of this name");
    }
  }

  /// What stands for the neighbours of the first and the last element.
  void defineEnds() {
    for (std::size_t i = 0; i < n(); ++i) {
      const CoordinateEntry& entry = part_.coordinates[i];
      if (entry.element == 0) continue;
      const std::string base = baseName(entry);
      const auto define = [&](const std::optional<Formula>& end, const char* key, std::size_t k) {
        if (!end) return;
        const std::string what = std::string(key) + " of coordinate " + inQuotes(base);
        names_.define(base + "[" + std::to_string(k) + "]", "end",
                      names_.parse(*end, what, inEnd, &entry));
      };
      if (entry.element == 1) define(entry.before, "before", 0);
      const bool last = i + 1 == n() || part_.coordinates[i + 1].element != entry.element + 1;
      if (last) define(entry.after, "after", entry.element + 1);
    }
  }

  void parseExpressions() {
    defineEnds();
    for (const DefinitionEntry& entry : part_.definitions) {
      const Expression expression =
          names_.parse(entry.expression, "definition " + inQuotes(entry.name), inOutput);
      names_.define(entry.name, "definition", expression);
    }
    std::vector<Expression> velocities, masses;
    for (const CoordinateEntry& entry : part_.coordinates) {
      const std::string what = " of coordinate " + inQuotes(entry.name);
      NamedEntry rate;
      if (entry.unit)
        rate.unit = Located<std::string>{derivativeUnit(entry.unit->value), entry.unit->line};
      const auto parse = [&](const Formula& formula, const char* key, SymbolKinds allowed,
                             const NamedEntry* unitOf = nullptr) {
        return names_.parse(formula, key + what, allowed, unitOf, entry.element);
      };
      start_.push_back(parse(entry.start, "start", inStart, &entry));
      velocities.push_back(parse(entry.startVelocity, "start_velocity", inStart, &rate));
      masses.push_back(parse(entry.mass, "mass", inMass));
      forces_.push_back(parse(entry.force, "force", inForce));
    }
    start_.insert(start_.end(), velocities.begin(), velocities.end());
    program_.start = Tape(graph_, start_);
    program_.mass = Tape(graph_, masses);
    for (std::uint32_t i = 0; i < n(); ++i) M_.push_back({i, i, masses[i]});
    for (const MassEntry& entry : part_.massMatrix) parseMassEntry(entry);
    for (const ConstraintEntry& entry : part_.constraints) {
      g_.push_back(names_.parse(entry.expression, "constraint " + inQuotes(entry.name),
                                inConstraint, nullptr, entry.element));
      if ((graph_.kinds(g_.back()) & ofPosition) != 0) continue;
      throw ModelError(
          file_.source, entry.expression.line,
          "constraint " + inQuotes(entry.name) + ": contains no coordinate, expected at least one");
    }
    for (const OutputEntry& entry : file_.outputs) {
      outputs_.push_back(names_.parse(entry.expression, "output " + inQuotes(entry.name), inOutput,
                                      &entry, entry.element));
    }
    program_.outputs = Tape(graph_, outputs_);
  }

  void parseMassEntry(const MassEntry& entry) {
    const std::string what = "mass_matrix entry " + inQuotes(entry.row + "," + entry.column);
    const std::uint32_t row = coordinateIndex(entry.row, what, entry.line);
    const std::uint32_t column = coordinateIndex(entry.column, what, entry.line);
    if (row == column) {
      throw ModelError(file_.source, entry.line,
                       what + ": is on the diagonal, expected the key mass of the coordinate");
    }
    names_.claim(std::min(entry.row, entry.column) + "," + std::max(entry.row, entry.column),
                 "mass_matrix entry", entry.line);
    const Expression value = names_.parse(entry.expression, what, inMass);
    if (graph_.isZero(value)) return;
    M_.push_back({row, column, value});
    M_.push_back({column, row, value});
  }

  std::uint32_t coordinateIndex(const std::string& name, const std::string& what, int line) const {
    const auto found = names_.table().find(name);
    if (found != names_.table().end() && found->second.word == "coordinate")
      return graph_.node(found->second.expression).symbol.index;
    std::vector<std::string_view> candidates;
    for (const CoordinateEntry& entry : part_.coordinates) candidates.emplace_back(entry.name);
    throw ModelError(
        file_.source, line,
        what + ": " + inQuotes(name) + " is no coordinate" + suggestion(name, candidates));
  }

  void fillDefaults() {
    program_.read(file_);
    for (const CoordinateEntry& entry : part_.coordinates) {
      const double factor = entry.unit ? parseUnit(entry.unit->value)->factor : 1;
      program_.coordinateNames.push_back(entry.name);
      program_.nominal.push_back(entry.nominal ? factor * entry.nominal->value : 1);
    }
    for (const ConstraintEntry& entry : part_.constraints)
      program_.constraintNames.push_back(entry.name);
  }

  /// r = M a − f + Gᵀ λ, row by row; also collects G.
  void buildForceBalance() {
    for (std::size_t i = 0; i < n(); ++i) balance_.push_back(graph_.negate(forces_[i]));
    const auto accumulate = [this](std::size_t row, Expression value, Expression factor) {
      balance_[row] = graph_.add(balance_[row], graph_.multiply(value, factor));
    };
    for (const MatrixEntry& entry : M_)
      accumulate(entry.row, entry.value, symbol(SymbolKind::acceleration, entry.column));
    for (std::uint32_t k = 0; k < m(); ++k) {
      for (const Partial& partial : graph_.gradient(g_[k], ofPosition)) {
        G_.push_back({k, partial.symbol.index, partial.value});
        accumulate(partial.symbol.index, partial.value, symbol(SymbolKind::multiplier, k));
      }
    }
  }

  /// Derivative in time of a symbol that stands in a constraint or in its rate.
  Expression rateOf(const Symbol& s) {
    if (s.kind == SymbolKind::time) return graph_.constant(1);
    if (s.kind == SymbolKind::input) return symbol(SymbolKind::inputRate, s.index);
    if (s.kind == SymbolKind::inputRate) return symbol(SymbolKind::inputSecondRate, s.index);
    return symbol(SymbolKind::velocity, s.index);
  }

  /// Total derivative in time of an expression e of q, v, t, u and u' without accelerations:
  /// Σ ∂e/∂q v + ∂e/∂t + Σ ∂e/∂u u' + Σ ∂e/∂u' u''.
  Expression rate(Expression expression) {
    Expression sum = graph_.constant(0);
    for (const Partial& partial : graph_.gradient(expression, ofPosition | ofTime | ofInputs))
      sum = graph_.add(sum, graph_.multiply(partial.value, rateOf(partial.symbol)));
    return sum;
  }

  /// dg/dt = G v + g_t and γ = vᵀ g_qq v + 2 g_qt v + g_tt, which is the rate of dg/dt at constant
  /// v; g_t contains the inputs' derivatives.
  void buildRates() {
    for (const Expression g : g_) {
      rates_.push_back(rate(g));
      gammas_.push_back(rate(rates_.back()));
    }
  }

  /// A residual is evaluated by several tapes at the same place. What they need of the place alone
  /// is computed once.
  void buildPlace() {
    // In the order of EquationsSystem::Group.
    storage_.reserve(SymbolKind::position, n());
    storage_.reserve(SymbolKind::velocity, n());
    storage_.reserve(SymbolKind::acceleration, n());
    storage_.reserve(SymbolKind::multiplier, m());
    std::vector<Expression> all = balance_;
    all.insert(all.end(), g_.begin(), g_.end());
    all.insert(all.end(), rates_.begin(), rates_.end());
    // Products are kept only where others than the place need them: the rest may merge with sums.
    const auto isOfPlace = [this](Expression e) { return (graph_.kinds(e) & ~inConstraint) == 0; };
    std::vector<bool> kept(graph_.size(), false);
    for (const Expression e : all) kept[e.id] = true;
    const std::vector<Expression> nodes = graph_.reachable(all);
    for (const Expression e : nodes) {
      const ExpressionGraph::Node& n = graph_.node(e);
      if (n.operation != Operation::multiply) kept[e.id] = true;
      if (isOfPlace(e) || n.operation <= Operation::symbol) continue;
      kept[n.a] = true;
      if (isBinary(n.operation)) kept[n.b] = true;
    }
    std::vector<Expression> ofPlace;
    for (const Expression e : nodes)
      if (isOfPlace(e) && kept[e.id]) ofPlace.push_back(e);
    program_.place = Tape(graph_, ofPlace, storage_);
  }
  Tape tapeAtPlace(std::span<const Expression> roots) {
    Tape tape(graph_, roots, storage_);
    program_.sharedSize = storage_.size;
    return tape;
  }

  void buildConstraintTapes() {
    program_.forceBalance = tapeAtPlace(balance_);
    program_.constraint = tapeAtPlace(g_);
    program_.constraintRate = tapeAtPlace(rates_);
    program_.constraintAcceleration = tapeAtPlace(gammas_);
  }

  /// C = ∂r/∂v, K = ∂r/∂q at constant a and λ.
  void buildLinearisation() {
    MatrixEntries C, K;
    for (std::uint32_t i = 0; i < n(); ++i) {
      for (const Partial& partial : graph_.gradient(balance_[i], ofPosition | ofVelocity)) {
        MatrixEntries& matrix = partial.symbol.kind == SymbolKind::velocity ? C : K;
        matrix.push_back({i, partial.symbol.index, partial.value});
      }
    }
    program_.M = patternOf(M_, n(), n());
    program_.C = patternOf(C, n(), n());
    program_.K = patternOf(K, n(), n());
    program_.G = patternOf(G_, m(), n());
    std::vector<Expression> roots;
    append(roots, M_);
    append(roots, G_);
    program_.massAndGradient = tapeAtPlace(roots);
    roots.clear();
    append(roots, M_);
    append(roots, C);
    append(roots, K);
    append(roots, G_);
    program_.linearisation = tapeAtPlace(roots);
  }

  /// Masses and start values with the default parameters.
  void checkStart() {
    EquationsSystem system(program_);
    const EquationsSystem::Defect defect = system.findDefect();
    if (defect.coordinate >= 0) {
      using Place = EquationsSystem::Defect::Place;
      const CoordinateEntry& entry = part_.coordinates[static_cast<std::size_t>(defect.coordinate)];
      const Formula& formula = defect.place == Place::mass    ? entry.mass
                               : defect.place == Place::start ? entry.start
                                                              : entry.startVelocity;
      throw ModelError(file_.source, formula.line, system.describe(defect));
    }
    startPositions_.resize(static_cast<Index>(n()));
    startVelocities_.resize(static_cast<Index>(n()));
    system.startValues(startPositions_, startVelocities_);
  }

  /// Time (if explicit) and inputs, or some other kinds, among the symbols of the expressions.
  ValueReferences dependencies(std::span<const Expression> expressions,
                               const VariableBuilder& builder,
                               SymbolKinds kinds = ofTime | ofInput) {
    ValueReferences references;
    for (const Symbol& s : graph_.symbols(expressions, kinds)) {
      references.push_back(s.kind == SymbolKind::time ? 0 : builder.inputReference(s.index));
    }
    return references;
  }

  /// Number of entries from this one on that are elements of one name.
  template <class Entry>
  static std::size_t elementCount(const std::vector<Entry>& entries, std::size_t first) {
    std::size_t count = 1;
    while (entries[first].element == 1 && first + count < entries.size() &&
           entries[first + count].element == count + 1)
      ++count;
    return count;
  }

  void buildVariables() {
    VariableBuilder builder;
    for (const StructureEntry& entry : file_.structure) builder.addStructure(entry);
    for (const ParameterEntry& entry : file_.parameters) builder.addParameter(entry);
    for (const InputEntry& entry : file_.inputs) builder.addInput(entry);
    // Accelerations and multipliers follow from all forces and constraints at once, positions and
    // velocities from the inputs that stand in constraints.
    std::vector<Expression> all = forces_;
    all.insert(all.end(), g_.begin(), g_.end());
    const ValueReferences ofAccelerations = dependencies(all, builder);
    const ValueReferences ofMotion = dependencies(g_, builder, ofInput);
    for (std::size_t i = 0, count = 1; i < n(); i += count) {
      count = elementCount(part_.coordinates, i);
      const auto first = static_cast<Index>(i), length = static_cast<Index>(count);
      builder.addCoordinates({&part_.coordinates[i], count}, startPositions_.segment(first, length),
                             startVelocities_.segment(first, length), ofAccelerations);
    }
    for (std::size_t k = 0, count = 1; k < m(); k += count) {
      count = elementCount(part_.constraints, k);
      std::vector<ValueReferences> ofResiduals;
      for (std::size_t j = k; j < k + count; ++j)
        ofResiduals.push_back(dependencies({&g_[j], 1}, builder));
      builder.addConstraints({&part_.constraints[k], count}, ofAccelerations, ofResiduals);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      ValueReferences own = dependencies({&outputs_[i], 1}, builder);
      if ((graph_.kinds(outputs_[i]) & ofForces) != 0)
        own.insert(own.end(), ofAccelerations.begin(), ofAccelerations.end());
      if ((graph_.kinds(outputs_[i]) & (ofPosition | ofVelocity)) != 0)
        own.insert(own.end(), ofMotion.begin(), ofMotion.end());
      std::sort(own.begin(), own.end());
      own.erase(std::unique(own.begin(), own.end()), own.end());
      builder.addOutput(file_.outputs[i], own);
    }
    data_.variables = builder.takeTable();
    for (Variable& variable : data_.variables.variables) {
      if (variable.quantity == Quantity::position || variable.quantity == Quantity::velocity)
        variable.dependencies = ofMotion;
    }
    data_.units = builder.takeUnits();
  }

  const ModelFile& file_;
  const EquationsPart& part_;
  CompiledModel::Data& data_;
  EquationsProgram& program_;
  ExpressionGraph graph_;
  ModelNames names_;
  std::vector<Expression> start_, forces_, g_, outputs_;  // start_: positions, then velocities
  std::vector<Expression> balance_;                       // r
  std::vector<Expression> rates_, gammas_;                // dg/dt, γ
  SharedStorage storage_;
  MatrixEntries M_, G_;
  Vector startPositions_, startVelocities_;
};

}  // namespace

void compileEquations(const ModelFile& file, const EquationsPart& part, CompiledModel::Data& data) {
  EquationsCompiler(file, part, data).compile();
}

}  // namespace trammel

#include <array>

#include "models/mechanism/mechanism_compiler.hpp"
#include "models/model_reader.hpp"
#include "models/text.hpp"

namespace trammel {
namespace {

struct ForceType {
  std::string_view name;
  std::array<std::string_view, 15> keys;
};
constexpr std::array forceTypes{
    ForceType{"spring", {"a", "b", "stiffness", "damping", "length", "force", "table"}},
    ForceType{"torsion_spring", {"joint", "stiffness", "damping", "angle", "torque", "table"}},
    ForceType{"force", {"frame", "in", "components", "value", "axis"}},
    ForceType{"torque", {"frame", "in", "components", "value", "axis"}},
    ForceType{"actuator", {"a", "b", "joint", "coordinate", "force"}},
    ForceType{"bushing", {"a", "b", "stiffness", "damping", "rest"}},
    ForceType{"beam",
              {"a", "b", "length", "E", "G", "area", "Iy", "Iz", "torsion", "shear", "damping"}},
    ForceType{"stop", {"joint", "coordinate", "lower", "upper", "stiffness", "damping"}},
    ForceType{"contact",
              {"sphere", "radius", "plane", "circle_a", "radius_a", "circle_b", "radius_b",
               "stiffness", "exponent", "damping", "friction", "slip_speed", "friction_model",
               "bristle_stiffness", "bristle_damping"}},
    ForceType{"friction",
              {"joint", "coordinate", "model", "level", "static", "stribeck_speed", "viscous",
               "slip_speed", "bristle_stiffness", "bristle_damping"}},
};

std::string typeOf(const std::string& source, const TomlValue::Entry& item) {
  const std::string what = "force " + inQuotes(item.key);
  if (item.value.table() == nullptr)
    throw ModelError(source, item.line, what + ": must be a table, is " + item.value.typeName());
  for (const TomlValue::Entry& entry : *item.value.table()) {
    if (entry.key != "type") continue;
    if (const auto* text = std::get_if<std::string>(&entry.value.value)) return *text;
  }
  throw ModelError(source, item.line, what + ": type is missing, expected a text");
}

}  // namespace

void MechanismCompiler::compileForce(const TomlValue::Entry& item) {
  const std::string type = typeOf(file_.source, item);
  const auto found = std::find_if(forceTypes.begin(), forceTypes.end(),
                                  [&](const ForceType& known) { return known.name == type; });
  if (found == forceTypes.end()) {
    std::vector<std::string_view> known;
    known.reserve(forceTypes.size());
    for (const ForceType& force : forceTypes) known.push_back(force.name);
    throw ModelError(file_.source, item.line,
                     "force " + inQuotes(item.key) + ": unknown type " + inQuotes(type) +
                         ", expected one of " + joined(known));
  }
  std::vector<std::string_view> keys{"type", "description"};
  for (const std::string_view key : found->keys)
    if (!key.empty()) keys.push_back(key);
  const ElementReader reader(file_.source, "force", item.key, item.value, item.line, keys);
  checkName(item, file_.source, reader.what());
  names_.claim(item.key, "force", item.line);
  if (type == "spring") compileSpring(reader);
  if (type == "torsion_spring") compileTorsion(reader);
  if (type == "force") compileApplied(reader, false);
  if (type == "torque") compileApplied(reader, true);
  if (type == "actuator") compileActuator(reader);
  if (type == "bushing") compileBushing(reader);
  if (type == "beam") compileBeam(reader);
  if (type == "stop") compileStop(reader);
  if (type == "contact") compileContact(reader);
  if (type == "friction") compileFriction(reader);
}

/// f(x) through the points of table = [[x…], [f…]], linear between and beyond them:
///   f0 + s0 (x − x0) + Σ (s_i − s_(i−1)) max(x − x_i, 0).
Expression MechanismCompiler::tableOf(const ElementReader& reader, Expression argument) {
  const TomlValue::Entry* entry = reader.find("table");
  const auto* rows = std::get_if<TomlValue::Array>(&entry->value.value);
  if (rows == nullptr || rows->size() != 2)
    reader.fail(entry->line, "table must be two arrays [[x, …], [f, …]]");
  const auto* points = std::get_if<TomlValue::Array>(&(*rows)[0].value);
  if (points == nullptr || points->size() < 2)
    reader.fail(entry->line, "table must have at least two points in each of its arrays");
  const std::size_t count = points->size();
  std::vector<double> xs, fs;
  for (const Formula& value : reader.formulas((*rows)[0], "table", count)) {
    const double* number = std::get_if<double>(&value.value);
    if (number == nullptr) reader.fail(value.line, "table must contain numbers only");
    if (!xs.empty() && !(*number > xs.back()))
      reader.fail(value.line, "table: x must increase, is " + numberText(*number) + " after " +
                                  numberText(xs.back()));
    xs.push_back(*number);
  }
  for (const Formula& value : reader.formulas((*rows)[1], "table", count)) {
    const double* number = std::get_if<double>(&value.value);
    if (number == nullptr) reader.fail(value.line, "table must contain numbers only");
    fs.push_back(*number);
  }
  const auto slope = [&](std::size_t i) { return (fs[i + 1] - fs[i]) / (xs[i + 1] - xs[i]); };
  Expression sum =
      add(constant(fs[0]), multiply(constant(slope(0)), subtract(argument, constant(xs[0]))));
  for (std::size_t i = 1; i + 1 < count; ++i) {
    const Expression beyond = positivePart(subtract(argument, constant(xs[i])));
    sum = add(sum, multiply(constant(slope(i) - slope(i - 1)), beyond));
  }
  return sum;
}

/// The force that a spring exerts against growth of its measure z: stiffness (z − rest) + damping
/// z', or a table of z − rest, or an expression.
Expression MechanismCompiler::springForce(const ElementReader& reader, int channel,
                                          std::string_view rest, std::string_view stiffnessUnit,
                                          std::string_view dampingUnit) {
  const bool turning = rest == "angle";
  const std::string_view law = turning ? "torque" : "force";
  const Expression z = builder_.z(channel), rate = builder_.rate(channel);
  const Expression strain = subtract(z, quantityOr(reader, rest, turning ? "rad" : "m", 0));
  Expression F = multiply(quantityOr(reader, "damping", dampingUnit, 0), rate);
  reader.oneOf({"stiffness", "table", law});
  if (reader.has(law)) {
    return quantity(reader, law, turning ? "N.m" : "N", inLaw);
  }
  if (reader.has("table")) return add(F, tableOf(reader, strain));
  const Expression k = quantity(reader, "stiffness", stiffnessUnit, inLaw);
  const bool constantStiffness =
      (graph_.kinds(k) & static_cast<SymbolKinds>(~only(SymbolKind::parameter))) == 0;
  if (constantStiffness)
    potential_ = add(potential_, multiply(constant(0.5), multiply(k, multiply(strain, strain))));
  return add(F, multiply(k, strain));
}

void MechanismCompiler::compileSpring(const ElementReader& reader) {
  const auto [a, b] = twoFrames(reader);
  const int channel = builder_.channel({.kind = KernelKind::distance, .frameA = a, .frameB = b});
  names_.define(reader.name() + ".length", "coordinate", builder_.z(channel));
  const Expression F = springForce(reader, channel, "length", "N/m", "N.s/m");
  names_.define(reader.name() + ".force", "force", F);
  builder_.addForce(channel, graph_.negate(F));
  laws_.push_back(F);
}

void MechanismCompiler::compileTorsion(const ElementReader& reader) {
  const JointCoordinate c = jointCoordinate(reader, "joint", "phi");
  if (!c.turns)
    reader.fail(reader.find("joint")->line, "joint must turn, expected one with a coordinate phi");
  const int channel = c.channel;
  const Expression T = springForce(reader, channel, "angle", c.stiffnessUnit(), c.dampingUnit());
  names_.define(reader.name() + ".torque", "torque", T);
  builder_.addForce(channel, graph_.negate(T));
  laws_.push_back(T);
}

/// A force at a point or a torque on a body, by components in the axes of a frame or along an axis.
void MechanismCompiler::compileApplied(const ElementReader& reader, bool torque) {
  const int frame = frameOf(reader, "frame");
  int axes = frameOr(reader, "in", 0);
  if (builder_.bodyOf(frame) == 0)
    reader.fail(reader.line(), "acts on the ground, expected a frame on a body");
  if (torque) requireAxes(reader, frame, "a body that turns");
  const std::string_view unit = torque ? "N.m" : "N";
  const auto apply = [&](int k, Expression F) {
    const KernelKind kind = torque ? KernelKind::absoluteSpin : KernelKind::pointSpeed;
    const int channel =
        builder_.channel({.kind = kind, .frameA = axes, .frameB = frame, .axisA = k});
    builder_.addForce(channel, F);
    laws_.push_back(F);
  };
  if (reader.oneOf({"components", "value"}) == "value") {
    const RotationNumbers direction{RotationKind::zAxis, numbersOf(reader, "axis", 3, "1")};
    axes = builder_.aligned(axes, direction, reader.line());
    apply(2, quantity(reader, "value", unit, inLaw));
    return;
  }
  const std::vector<Formula> formulas = reader.formulas("components", 3);
  for (int k = 0; k < 3; ++k) {
    const Expression F =
        formula(formulas[static_cast<std::size_t>(k)], reader, "components", unit, inLaw);
    if (!graph_.isZero(F)) apply(k, F);
  }
}

/// A force along the line from a to b, positive: pushing them apart; or on the coordinate of a
/// joint.
void MechanismCompiler::compileActuator(const ElementReader& reader) {
  int channel = 0;
  std::string_view unit = "N";
  if (reader.has("joint")) {
    const JointCoordinate c = jointCoordinate(reader, "joint");
    channel = c.channel;
    unit = c.forceUnit();
  } else {
    const auto [a, b] = twoFrames(reader);
    channel = builder_.channel({.kind = KernelKind::distance, .frameA = a, .frameB = b});
    names_.define(reader.name() + ".length", "coordinate", builder_.z(channel));
  }
  const Expression F = quantity(reader, "force", unit, inLaw);
  builder_.addForce(channel, F);
  laws_.push_back(F);
}

/// Displacement of b in axes of a and rotation vector of b relative to a; in the plane x, y and
/// angle.
std::vector<int> MechanismCompiler::deformation(const ElementReader& reader) {
  const auto [frameA, frameB] = twoFrames(reader);
  for (const int frame : {frameA, frameB}) requireAxes(reader, frame, "a body that turns");
  const bool plane = inPlane(frameA) && inPlane(frameB);
  std::vector<int> channels;
  channels.reserve(plane ? 3 : 6);
  for (int k = 0; k < (plane ? 2 : 3); ++k) channels.push_back(projection(frameA, k, frameB));
  if (plane) {
    channels.push_back(
        builder_.channel({.kind = KernelKind::turn, .frameA = frameA, .frameB = frameB}));
  } else {
    const int first =
        builder_.channel({.kind = KernelKind::rotation, .frameA = frameA, .frameB = frameB});
    for (int k = 0; k < 3; ++k) channels.push_back(first + k);
  }
  return channels;
}

/// F = −K (z − rest) − C z'.
void MechanismCompiler::addStiffness(const std::vector<int>& channels,
                                     const std::vector<Expression>& K,
                                     const std::vector<Expression>& C,
                                     const std::vector<Expression>& rest) {
  const std::size_t size = channels.size();
  std::vector<Expression> strain;
  strain.reserve(size);
  for (std::size_t i = 0; i < size; ++i)
    strain.push_back(subtract(builder_.z(channels[i]), rest[i]));
  for (std::size_t i = 0; i < size; ++i) {
    Expression F = constant(0);
    for (std::size_t j = 0; j < size; ++j) {
      const Expression product = multiply(K[size * i + j], strain[j]);
      F = subtract(F, product);
      F = subtract(F, multiply(C[size * i + j], builder_.rate(channels[j])));
      potential_ = add(potential_, multiply(constant(0.5), multiply(strain[i], product)));
    }
    builder_.addForce(channels[i], F);
    laws_.push_back(F);
  }
}

/// The matrix of a bushing: its diagonal, or all rows.
std::vector<Expression> MechanismCompiler::readSixBySix(const ElementReader& reader,
                                                        std::string_view key, std::size_t size,
                                                        const BushingUnits& units) {
  const std::size_t places = size == 3 ? 2 : 3;
  const auto unit = [&](std::size_t i, std::size_t j) {
    return units[(i < places ? 0U : 1U) + (j < places ? 0U : 1U)];
  };
  std::vector<Expression> matrix(size * size, constant(0));
  const TomlValue::Entry* entry = reader.find(key);
  if (entry == nullptr) return matrix;
  const auto* array = std::get_if<TomlValue::Array>(&entry->value.value);
  const bool full = array != nullptr && !array->empty() &&
                    std::holds_alternative<TomlValue::Array>(array->front().value);
  if (!full) {
    const std::vector<Formula> diagonal = reader.formulas(key, size);
    for (std::size_t i = 0; i < size; ++i)
      matrix[(size + 1) * i] = formula(diagonal[i], reader, key, unit(i, i), inNumber);
    return matrix;
  }
  if (array->size() != size)
    reader.fail(entry->line, std::string(key) + " must have " + std::to_string(size) +
                                 " rows, has " + std::to_string(array->size()));
  for (std::size_t i = 0; i < size; ++i) {
    const std::vector<Formula> row = reader.formulas((*array)[i], std::string(key), size);
    for (std::size_t j = 0; j < size; ++j)
      matrix[size * i + j] = formula(row[j], reader, key, unit(i, j), inNumber);
  }
  return matrix;
}

void MechanismCompiler::compileBushing(const ElementReader& reader) {
  const std::vector<int> channels = deformation(reader);
  const std::size_t size = channels.size();
  if (!reader.has("stiffness"))
    reader.fail(reader.line(),
                "stiffness is missing, expected " + std::to_string(size) + " numbers or a matrix");
  const std::vector<Expression> K = readSixBySix(reader, "stiffness", size, {"N/m", "N", "N.m"});
  const std::vector<Expression> C =
      readSixBySix(reader, "damping", size, {"N.s/m", "N.s", "N.m.s"});
  std::vector<Expression> rest(size, constant(0));
  if (reader.has("rest")) {
    const std::size_t places = size == 3 ? 2 : 3;
    const std::vector<Formula> formulas = reader.formulas("rest", size);
    for (std::size_t i = 0; i < size; ++i)
      rest[i] = formula(formulas[i], reader, "rest", i < places ? "m" : "rad", inNumber);
  }
  addStiffness(channels, K, C, rest);
}

/// Timoshenko beam along x of frame a: the stiffness of its end b with a held.
///   bending in x-y: Φ = 12 E Iz/(κ G A L²),
///   [Fy; Tz] = E Iz/(L³ (1 + Φ)) [12, −6 L; −6 L, (4 + Φ) L²] [uy; φz].
void MechanismCompiler::compileBeam(const ElementReader& reader) {
  const std::vector<int> channels = deformation(reader);
  const std::size_t size = channels.size();
  const bool plane = size == 3;
  const Expression L = quantity(reader, "length", "m", inNumber);
  const Expression E = quantity(reader, "E", "Pa", inNumber);
  const Expression A = quantity(reader, "area", "m2", inNumber);
  const Expression shear = quantityOr(reader, "shear", "1", 0);  // κ, 0: no shear deformation
  const bool hasG = reader.has("G");
  if (!hasG && (!plane || reader.has("shear")))
    reader.fail(reader.line(), "G is missing, expected the shear modulus");
  const Expression G = hasG ? quantity(reader, "G", "Pa", inNumber) : constant(1);
  std::vector<Expression> K(size * size, constant(0));
  const auto at = [&](std::size_t i, std::size_t j) -> Expression& { return K[size * i + j]; };
  at(0, 0) = divide(multiply(E, A), L);
  const auto bend = [&](std::size_t u, std::size_t phi, Expression I, double sign) {
    const Expression EI = multiply(E, I), L2 = multiply(L, L);
    Expression Phi = constant(0);
    if (!graph_.isZero(shear))
      Phi = divide(multiply(constant(12), EI), multiply(multiply(shear, G), multiply(A, L2)));
    const Expression factor = divide(EI, multiply(multiply(L2, L), add(constant(1), Phi)));
    at(u, u) = multiply(constant(12), factor);
    at(u, phi) = at(phi, u) = multiply(constant(-6 * sign), multiply(L, factor));
    at(phi, phi) = multiply(add(constant(4), Phi), multiply(L2, factor));
  };
  if (plane) {
    bend(1, 2, quantity(reader, "Iz", "m4", inNumber), 1);
  } else {
    at(3, 3) = divide(multiply(G, quantity(reader, "torsion", "m4", inNumber)), L);
    bend(1, 5, quantity(reader, "Iz", "m4", inNumber), 1);
    bend(2, 4, quantity(reader, "Iy", "m4", inNumber), -1);
  }
  const Expression beta = quantityOr(reader, "damping", "s", 0);
  std::vector<Expression> C;
  C.reserve(K.size());
  for (const Expression k : K) C.push_back(multiply(beta, k));
  std::vector<Expression> rest(size, constant(0));
  rest[0] = L;
  addStiffness(channels, K, C, rest);
}

}  // namespace trammel

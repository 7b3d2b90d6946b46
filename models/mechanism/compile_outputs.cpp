#include "models/mechanism/mechanism_compiler.hpp"
#include "models/model_reader.hpp"
#include "models/text.hpp"

namespace trammel {
namespace {

bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isNamePart(char c) { return isNameStart(c) || (c >= '0' && c <= '9') || c == '.'; }

int axisOf(char c) { return c == 'x' ? 0 : c == 'y' ? 1 : c == 'z' ? 2 : -1; }

std::string element(const std::string& name, std::size_t i) {
  return name + "[" + std::to_string(i + 1) + "]";
}

}  // namespace

/// Gives meaning to the names of an expression that stand for measures, which are made only now.
void MechanismCompiler::resolveNames(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (!isNameStart(text[i])) {
      const bool number = text[i] >= '0' && text[i] <= '9';
      ++i;
      while (number && i < text.size() && isNamePart(text[i])) ++i;  // 1e3 is no name
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && isNamePart(text[end])) ++end;
    const std::string name(text.substr(i, end - i));
    if (!names_.hasMeaning(name) && !isReservedName(name)) resolveName(name);
    i = end;
  }
}

bool MechanismCompiler::resolveName(const std::string& name) {
  const auto define = [&](const char* word, Expression value) {
    names_.define(name, word, value);
    return true;
  };
  if (!names_.isTaken(name)) {
    const auto kinetic = [this] { return builder_.extra({ExtraKind::kineticEnergy, 0, 0}); };
    const auto potential = [this] {
      return add(potential_, builder_.extra({ExtraKind::gravityEnergy, 0, 0}));
    };
    if (name == "kinetic_energy") return define("energy", kinetic());
    if (name == "potential_energy") return define("energy", potential());
    if (name == "total_energy") return define("energy", add(kinetic(), potential()));
  }
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return false;
  const std::string base = name.substr(0, dot);
  const std::string_view leaf = std::string_view(name).substr(dot + 1);
  if (const auto frame = frames_.find(base); frame != frames_.end())
    return resolveFrameName(name, frame->second, leaf);
  if (joints_.count(base) != 0) return resolveJointName(name, base, leaf);
  return false;
}

/// x, y, z of the origin, phi in the plane, wx, wy, wz of the angular velocity, in ground axes.
bool MechanismCompiler::resolveFrameName(const std::string& name, int frame,
                                         std::string_view leaf) {
  if (leaf == "phi" && inPlane(frame)) {
    names_.define(name, "coordinate", builder_.z(builder_.angle(0, frame, name, -1)));
    return true;
  }
  const bool spin = leaf.size() == 2 && leaf[0] == 'w';
  const int axis = leaf.empty() ? -1 : axisOf(leaf.back());
  if (axis < 0 || (leaf.size() != 1 && !spin)) return false;
  if (spin) {
    const int channel = builder_.channel(
        {.kind = KernelKind::absoluteSpin, .frameA = 0, .frameB = frame, .axisA = axis});
    names_.define(name, "velocity", builder_.rate(channel));
    return true;
  }
  if (axis == 2 && inPlane(frame)) {
    names_.define(name, "number", constant(0));
    return true;
  }
  const int d = builder_.channel({.kind = KernelKind::difference, .frameA = 0, .frameB = frame});
  names_.define(name, "coordinate", builder_.z(d + axis));
  return true;
}

/// phi, s, and the reactions Fx … Tz on b in axes of a.
bool MechanismCompiler::resolveJointName(const std::string& name, const std::string& base,
                                         std::string_view leaf) {
  const Joint& joint = joints_.find(base)->second;
  if (leaf == "phi" && joint.turns) {
    names_.define(name, "coordinate", builder_.z(jointPhi(base)));
    return true;
  }
  if (leaf == "s" && joint.slides) {
    names_.define(name, "coordinate", builder_.z(jointS(base)));
    return true;
  }
  if (leaf == "lambda" && program_.joints[static_cast<std::size_t>(joint.index)].rowCount == 1) {
    const int row = program_.joints[static_cast<std::size_t>(joint.index)].firstRow;
    names_.define(name, "multiplier", builder_.multiplier(row));
    return true;
  }
  if (leaf.size() != 2 || joint.frameB < 0) return false;
  const int axis = axisOf(leaf[1]);
  if (axis < 0 || (leaf[0] != 'F' && leaf[0] != 'T')) return false;
  const ExtraKind kind = leaf[0] == 'F' ? ExtraKind::reactionForce : ExtraKind::reactionTorque;
  names_.define(name, "reaction", builder_.extra({kind, joint.index, axis}));
  return true;
}

/// [measures.NAME]: a named quantity between two frames for use in expressions.
void MechanismCompiler::compileMeasure(const TomlValue::Entry& item) {
  const ElementReader reader(file_.source, "measure", item,
                             {"type", "a", "b", "axis", "description"});
  checkName(item, file_.source, reader.what());
  const Located<std::string> type = reader.text("type");
  const int a = frameOr(reader, "a", 0), b = frameOf(reader, "b");
  const auto axisFrame = [&] {
    return builder_.aligned(a, {RotationKind::zAxis, numbersOf(reader, "axis", 3, "1")},
                            reader.line());
  };
  int channel = 0;
  bool form = false;
  if (type.value == "distance") {
    channel = builder_.channel({.kind = KernelKind::distance, .frameA = a, .frameB = b});
  } else if (type.value == "projection") {
    channel = projection(axisFrame(), 2, b);
  } else if (type.value == "angle") {
    channel = builder_.angle(a, b, item.key, -1);
  } else if (type.value == "angular_velocity") {
    channel = builder_.channel(
        {.kind = KernelKind::spin, .frameA = axisFrame(), .frameB = b, .axisA = 2});
    form = true;
  } else {
    reader.fail(
        type.line,
        "type must be \"distance\", \"projection\", \"angle\" or \"angular_velocity\", is " +
            inQuotes(type.value));
  }
  names_.declare(item.key, form ? "velocity" : "coordinate", item.line,
                 form ? builder_.rate(channel) : builder_.z(channel));
}

void MechanismCompiler::addOutput(const std::string& name, const std::string& unit,
                                  const std::string& description, int line, Expression value) {
  Output output;
  output.entry.name = name;
  output.entry.line = line;
  output.entry.description = description;
  if (!unit.empty()) output.entry.unit = Located<std::string>{unit, line};
  output.value = value;
  outputs_.push_back(std::move(output));
}

/// Components of a quantity of a frame relative to another, in the axes of that one.
std::vector<Expression> MechanismCompiler::frameQuantity(const ElementReader& reader,
                                                         const std::string& quantity,
                                                         std::string& unit) {
  const int b = frameOf(reader, "frame"), a = frameOr(reader, "relative_to", 0);
  const bool plane = inPlane(a) && inPlane(b);
  if (a != 0 && (quantity == "orientation" || (quantity == "angle" && !plane)))
    reader.fail(reader.find("relative_to")->line,
                quantity + " in space is that from the ground, relative_to cannot stand beside it");
  std::vector<Expression> values;
  const auto place = [&](int k) -> int {
    if (a != 0) return projection(a, k, b);
    return builder_.channel({.kind = KernelKind::difference, .frameA = 0, .frameB = b}) + k;
  };
  const auto spin = [&](int k) {
    return builder_.channel({.kind = KernelKind::spin, .frameA = a, .frameB = b, .axisA = k});
  };
  for (int k = 0; k < 3; ++k) {
    const bool outside = plane && k == 2;
    if (quantity == "position") {
      unit = "m";
      values.push_back(outside ? constant(0) : builder_.z(place(k)));
    } else if (quantity == "velocity") {
      unit = "m/s";
      values.push_back(outside ? constant(0) : builder_.rate(place(k)));
    } else if (quantity == "acceleration") {
      unit = "m/s2";
      values.push_back(outside ? constant(0) : builder_.second(place(k)));
    } else if (quantity == "angular_velocity") {
      unit = "rad/s";
      values.push_back(builder_.rate(spin(k)));
    } else if (quantity == "angular_acceleration") {
      unit = "rad/s2";
      values.push_back(builder_.second(spin(k)));
    }
  }
  if (quantity == "orientation") {
    unit = "1";
    for (int k = 0; k < 4; ++k) values.push_back(builder_.extra({ExtraKind::quaternion, b, k}));
  }
  if (quantity == "angle") {
    unit = "rad";
    values.push_back(inPlane(b) ? builder_.z(builder_.angle(a, b, reader.name(), -1))
                                : builder_.extra({ExtraKind::rotationAngle, b, 0}));
  }
  return values;
}

void MechanismCompiler::compileOutput(const TomlValue::Entry& item) {
  const ElementReader reader(file_.source, "output", item,
                             {"expression", "frame", "relative_to", "joint", "quantity", "unit",
                              "nominal", "description"});
  checkName(item, file_.source, reader.what());
  names_.claim(item.key, "output", item.line);
  const std::string_view source = reader.oneOf({"expression", "frame", "joint"});
  const std::string description = reader.description();
  const auto declared = reader.unit();
  const auto nominal = reader.optionalPositiveNumber("nominal");
  if (source == "expression") {
    const Formula text = reader.formula("expression");
    const Expression value =
        formula(text, reader, "expression", declared ? declared->value : "", inMechanismOutput);
    addOutput(item.key, declared ? declared->value : "", description, item.line, value);
    outputs_.back().nominal = nominal;
    return;
  }
  const Located<std::string> quantity = reader.text("quantity");
  std::vector<Expression> values;
  std::string unit;
  if (source == "frame") {
    values = frameQuantity(reader, quantity.value, unit);
    if (values.empty())
      reader.fail(quantity.line,
                  "quantity of a frame must be position, velocity, acceleration, orientation, "
                  "angle, angular_velocity or angular_acceleration, is " +
                      inQuotes(quantity.value));
  } else {
    std::string name;
    const Joint& joint = jointOf(reader, "joint", name);
    const bool torque = quantity.value == "torque";
    if ((!torque && quantity.value != "force") || joint.frameB < 0)
      reader.fail(quantity.line,
                  "quantity of a joint must be force or torque, is " + inQuotes(quantity.value));
    unit = torque ? "N.m" : "N";
    const ExtraKind kind = torque ? ExtraKind::reactionTorque : ExtraKind::reactionForce;
    for (int k = 0; k < 3; ++k) values.push_back(builder_.extra({kind, joint.index, k}));
  }
  if (declared) {
    auto wanted = parseUnit(unit)->exponents, got = parseUnit(declared->value)->exponents;
    wanted[7] = got[7] = 0;  // rad counts as a number
    if (wanted != got)
      reader.fail(declared->line, "unit must have the dimension of " + inQuotes(unit) + ", is " +
                                      inQuotes(declared->value));
    unit = declared->value;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string name = values.size() == 1 ? item.key : element(item.key, i);
    addOutput(name, unit, description, item.line, values[i]);
    outputs_.back().nominal = nominal;
  }
}

Expression MechanismCompiler::newInput(const std::string& name, const std::string& unit,
                                       const std::string& description, int line) {
  InputEntry input;
  input.name = name;
  input.line = line;
  input.description = description;
  input.unit = Located<std::string>{unit, line};
  names_.claim(name, "input", line);
  const std::size_t index = file_.inputs.size() + portInputs_.size();
  portInputs_.push_back(std::move(input));
  return graph_.symbol({SymbolKind::input, static_cast<std::uint32_t>(index)});
}

/// A port takes a force and gives a motion: 1-D on the coordinate of a joint, 3-D at a point, 6-D
/// at a frame; forces on the model, in ground axes.
void MechanismCompiler::compilePort(const TomlValue::Entry& item) {
  const ElementReader reader(file_.source, "port", item,
                             {"type", "frame", "joint", "coordinate", "description"});
  checkName(item, file_.source, reader.what());
  names_.claim(item.key, "port", item.line);
  const Located<std::string> type = reader.text("type");
  Port port;
  port.name = item.key;
  port.kind = type.value;
  port.description = reader.description();
  const auto member = [&](const std::string& suffix, std::size_t count) {
    port.members.push_back({suffix, item.key + "." + suffix, count});
  };
  const auto force = [&](const std::string& suffix, const std::string& unit, std::size_t count,
                         auto channelOf) {
    const auto nameOf = [&](const std::string& s, std::size_t i) {
      const std::string name = item.key + "." + s;
      return count == 1 ? name : element(name, i);
    };
    const Index first = static_cast<Index>(file_.inputs.size() + portInputs_.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Expression F = newInput(nameOf(suffix, i), unit, "Force on the port", item.line);
      const int channel = channelOf(static_cast<int>(i));
      if (channel < 0) continue;
      builder_.addForce(channel, F);
      laws_.push_back(F);
    }
    for (std::size_t i = 0; i < count; ++i)
      newInput(nameOf(suffix + "_der1", i), unit + "/s", "Rate of the force on the port",
               item.line);
    for (std::size_t i = 0; i < count; ++i)
      newInput(nameOf(suffix + "_der2", i), unit + "/s2", "Second rate of the force on the port",
               item.line);
    const auto size = static_cast<Index>(count);
    for (Index i = first; i < first + size; ++i)
      data_.inputRates.push_back({i, i + size, i + 2 * size});
    for (const char* order : {"", "_der1", "_der2"}) member(suffix + order, count);
  };
  const auto motion = [&](const std::string& suffix, const std::string& unit,
                          const std::vector<Expression>& values) {
    const std::string name = item.key + "." + suffix;
    for (std::size_t i = 0; i < values.size(); ++i)
      addOutput(values.size() == 1 ? name : element(name, i), unit, "Motion of the port", item.line,
                values[i]);
    member(suffix, values.size());
  };
  if (type.value == "flange") {
    const JointCoordinate coordinate = jointCoordinate(reader, "joint");
    const int c = coordinate.channel;
    const bool turns = coordinate.turns;
    force(turns ? "tau" : "F", turns ? "N.m" : "N", 1, [&](int) { return c; });
    motion(turns ? "phi" : "r", turns ? "rad" : "m", {builder_.z(c)});
    motion(turns ? "w" : "v", turns ? "rad/s" : "m/s", {builder_.rate(c)});
    motion(turns ? "z" : "a", turns ? "rad/s2" : "m/s2", {builder_.second(c)});
  } else if (type.value == "point" || type.value == "frame") {
    const int b = frameOf(reader, "frame");
    if (builder_.bodyOf(b) == 0) reader.fail(item.line, "is on the ground, expected a body");
    if (type.value == "frame") requireAxes(reader, b, "type = \"point\"");
    const bool plane = inPlane(b);
    const int d = builder_.channel({.kind = KernelKind::difference, .frameA = 0, .frameB = b});
    force("F", "N", 3, [&](int k) { return plane && k == 2 ? -1 : d + k; });
    const auto spin = [&](int k) {
      return builder_.channel(
          {.kind = KernelKind::absoluteSpin, .frameA = 0, .frameB = b, .axisA = k});
    };
    const auto vector = [&](auto valueOf) {
      return std::vector<Expression>{valueOf(0), valueOf(1), valueOf(2)};
    };
    const auto ofPlace = [&](auto symbolOf) {
      return vector([&](int k) { return plane && k == 2 ? constant(0) : symbolOf(d + k); });
    };
    if (type.value == "frame") force("T", "N.m", 3, spin);
    motion("r", "m", ofPlace([&](int c) { return builder_.z(c); }));
    motion("v", "m/s", ofPlace([&](int c) { return builder_.rate(c); }));
    motion("a", "m/s2", ofPlace([&](int c) { return builder_.second(c); }));
    if (type.value == "frame") {
      const auto Q = [&](int k) { return builder_.extra({ExtraKind::quaternion, b, k}); };
      motion("Q", "1", {Q(0), Q(1), Q(2), Q(3)});
      motion("w", "rad/s", vector([&](int k) { return builder_.rate(spin(k)); }));
      motion("z", "rad/s2", vector([&](int k) { return builder_.second(spin(k)); }));
    }
  } else {
    reader.fail(type.line,
                "type must be \"flange\", \"point\" or \"frame\", is " + inQuotes(type.value));
  }
  data_.ports.push_back(std::move(port));
}

}  // namespace trammel

#include <array>
#include <numbers>
#include <tuple>

#include "models/mechanism/mechanism_compiler.hpp"
#include "models/model_reader.hpp"
#include "models/text.hpp"

namespace trammel {
namespace {

constexpr int x = 0, y = 1, z = 2;

/// The keys of each type besides type, a, b and description.
struct JointType {
  std::string_view name;
  std::array<std::string_view, 4> keys;
  bool turns, slides;       // has a coordinate phi, s
  bool turnsBodies = true;  // has equations of orientations
};
constexpr std::array jointTypes{
    JointType{"fixed", {}, false, false},
    JointType{"revolute", {"axis", "axis_b"}, true, false},
    JointType{"prismatic", {"axis", "axis_b"}, false, true},
    JointType{"cylindrical", {"axis", "axis_b"}, true, true},
    JointType{"spherical", {}, false, false, false},
    JointType{"universal", {"axis", "axis_b"}, false, false},
    JointType{"planar", {"axis", "axis_b"}, true, false},
    JointType{"distance", {"length"}, false, false, false},
    JointType{"point_on_line", {"axis"}, false, true, false},
    JointType{"point_on_circle", {"axis", "radius"}, false, false, false},
    JointType{"screw", {"axis", "axis_b", "pitch", "offset"}, true, true},
};
constexpr std::array<std::string_view, 3> relationTypes{"gear", "rack_and_pinion", "motion"};

const JointType* findType(std::string_view name) {
  for (const JointType& type : jointTypes)
    if (type.name == name) return &type;
  return nullptr;
}

std::string typeOf(const std::string& source, const TomlValue::Entry& item, std::string_view word) {
  const std::string what = std::string(word) + " " + inQuotes(item.key);
  if (item.value.table() == nullptr)
    throw ModelError(source, item.line, what + ": must be a table, is " + item.value.typeName());
  for (const TomlValue::Entry& entry : *item.value.table()) {
    if (entry.key != "type") continue;
    if (const auto* text = std::get_if<std::string>(&entry.value.value)) return *text;
    throw ModelError(source, entry.line,
                     what + ": type must be a text, is " + entry.value.typeName());
  }
  throw ModelError(source, item.line, what + ": type is missing, expected a text");
}

}  // namespace

void MechanismCompiler::compileJoint(const TomlValue::Entry& item) {
  const std::string typeName = typeOf(file_.source, item, "joint");
  const JointType* type = findType(typeName);
  std::vector<std::string_view> keys{"type", "a", "b", "description"};
  if (type != nullptr) {
    for (const std::string_view key : type->keys)
      if (!key.empty()) keys.push_back(key);
  } else if (std::find(relationTypes.begin(), relationTypes.end(), typeName) !=
             relationTypes.end()) {
    return;  // these come when all joints are there
  }
  if (type == nullptr) {
    std::vector<std::string_view> names;
    names.reserve(jointTypes.size() + relationTypes.size());
    for (const JointType& known : jointTypes) names.push_back(known.name);
    names.insert(names.end(), relationTypes.begin(), relationTypes.end());
    throw ModelError(file_.source, item.line,
                     "joint " + inQuotes(item.key) + ": unknown type " + inQuotes(typeName) +
                         ", expected one of " + joined(names));
  }
  const ElementReader reader(file_.source, "joint", item.key, item.value, item.line, keys);
  checkName(item, file_.source, reader.what());
  names_.claim(item.key, "joint", item.line);
  Joint joint;
  joint.type = typeName;
  joint.turns = type->turns;
  joint.slides = type->slides;
  std::tie(joint.frameA, joint.frameB) = twoFrames(reader);
  const bool plane = inPlane(joint.frameA) && inPlane(joint.frameB);
  if (type->turnsBodies && !(plane && typeName == "revolute")) {
    for (const int frame : {joint.frameA, joint.frameB})
      requireAxes(reader, frame, "a body, or a joint for points");
  }
  if (reader.has("axis")) {
    RotationNumbers a{RotationKind::zAxis, -1}, b;
    if (plane) {
      // x along the axis, z out of the plane
      const auto axes = [&](std::string_view key) {
        const auto [ax, ay] = planeVector(reader, key);
        const Expression values[] = {ax, ay, constant(0), graph_.negate(ay), ax, constant(0)};
        return RotationNumbers{RotationKind::axes, builder_.numbers(values)};
      };
      a = axes("axis");
      b = reader.has("axis_b") ? axes("axis_b") : a;
    } else {
      a.first = numbersOf(reader, "axis", 3, "1");
      b = a;
      if (reader.has("axis_b")) b.first = numbersOf(reader, "axis_b", 3, "1");
    }
    joint.frameA = builder_.aligned(joint.frameA, a, item.line);
    joint.frameB = builder_.aligned(joint.frameB, b, item.line);
  } else if (reader.has("axis_b")) {
    reader.fail(reader.find("axis_b")->line,
                "axis is missing, expected the axis in a beside axis_b");
  } else if (plane && (typeName == "prismatic" || typeName == "point_on_line")) {
    reader.fail(item.line, "axis is missing, expected [x, y] in the plane");
  }
  if (typeName == "screw") jointPhiOf(joint, item.key);  // its winding row is not of the joint
  JointProgram program;
  program.name = item.key;
  program.type = typeName;
  program.line = item.line;
  program.frameA = joint.frameA;
  program.frameB = joint.frameB;
  joint.index = builder_.beginJoint(program);
  if (typeName == "distance") {
    compileDistance(reader, joint);
  } else if (typeName == "point_on_line" || typeName == "point_on_circle") {
    compilePointOnCurve(reader, joint);
  } else if (plane) {
    addPlanarRows(typeName, reader, joint);
  } else {
    addSpatialRows(typeName, reader, joint);
  }
  if (typeName == "screw") compileScrew(reader, joint);
  builder_.endJoint();
  joints_.emplace(item.key, joint);
}

int MechanismCompiler::alignment(int frameA, int frameB, int axisA, int axisB) {
  return builder_.channel({.kind = KernelKind::alignment,
                           .frameA = frameA,
                           .frameB = frameB,
                           .axisA = axisA,
                           .axisB = axisB});
}

int MechanismCompiler::projection(int frameA, int axis, int frameB) {
  return builder_.channel(
      {.kind = KernelKind::projection, .frameA = frameA, .frameB = frameB, .axisA = axis});
}

/// The joint's axis is z of its frames.
void MechanismCompiler::addSpatialRows(const std::string& type, const ElementReader& reader,
                                       Joint& joint) {
  const int a = joint.frameA, b = joint.frameB;
  const std::string& name = reader.name();
  const auto coincide = [&] {
    const int d = builder_.channel({.kind = KernelKind::difference, .frameA = a, .frameB = b});
    for (int k = 0; k < 3; ++k) builder_.addRow(name, d + k);
  };
  const auto parallel = [&] {
    builder_.addRow(name, alignment(a, b, x, z));
    builder_.addRow(name, alignment(a, b, y, z));
  };
  const auto onAxis = [&] {
    builder_.addRow(name, projection(a, x, b));
    builder_.addRow(name, projection(a, y, b));
  };
  if (type == "spherical") {
    coincide();
  } else if (type == "revolute") {
    coincide();
    parallel();
  } else if (type == "universal") {
    coincide();
    builder_.addRow(name, alignment(a, b, z, z));
  } else if (type == "cylindrical" || type == "screw") {
    onAxis();
    parallel();
  } else if (type == "prismatic") {
    onAxis();
    parallel();
    builder_.addRow(name, alignment(a, b, x, y));
  } else if (type == "planar") {
    builder_.addRow(name, projection(a, z, b));
    parallel();
  } else {  // fixed
    coincide();
    builder_.addRow(name, alignment(a, b, x, y));
    builder_.addRow(name, alignment(a, b, y, z));
    builder_.addRow(name, alignment(a, b, z, x));
  }
  if (type == "universal" && !reader.has("axis_b"))
    reader.fail(reader.line(), "axis_b is missing, expected the axis of the cross in b");
}

void MechanismCompiler::addPlanarRows(const std::string& type, const ElementReader& reader,
                                      Joint& joint) {
  const int a = joint.frameA, b = joint.frameB;
  const std::string& name = reader.name();
  const auto coincide = [&] {
    const int d = builder_.channel({.kind = KernelKind::difference, .frameA = a, .frameB = b});
    builder_.addRow(name, d);
    builder_.addRow(name, d + 1);
  };
  const auto parallel = [&] {
    builder_.addRow(name, builder_.channel({.kind = KernelKind::turn, .frameA = a, .frameB = b}));
  };
  if (type == "revolute" || type == "spherical") {
    coincide();
  } else if (type == "prismatic") {
    builder_.addRow(name, projection(a, y, b));
    parallel();
  } else if (type == "fixed") {
    coincide();
    parallel();
  } else {
    reader.fail(reader.line(), "type " + inQuotes(type) +
                                   " is not for the plane, expected revolute, prismatic, fixed, "
                                   "distance, point_on_line or point_on_circle");
  }
}

void MechanismCompiler::compileDistance(const ElementReader& reader, Joint& joint) {
  const int channel = builder_.channel(
      {.kind = KernelKind::distance, .frameA = joint.frameA, .frameB = joint.frameB});
  builder_.addRow(reader.name(), channel, numberOf(reader, "length", "m"));
}

/// The point b on the line along the axis through a, or on the circle about it.
void MechanismCompiler::compilePointOnCurve(const ElementReader& reader, Joint& joint) {
  const int a = joint.frameA, b = joint.frameB;
  const bool plane = inPlane(a) && inPlane(b);
  if (joint.type == "point_on_circle") {
    if (!plane) builder_.addRow(reader.name(), projection(a, z, b));
    const int radius = builder_.channel({.kind = KernelKind::distance, .frameA = a, .frameB = b});
    builder_.addRow(reader.name(), radius, numberOf(reader, "radius", "m"));
    return;
  }
  if (!plane) builder_.addRow(reader.name(), projection(a, x, b));
  builder_.addRow(reader.name(), projection(a, y, b));
}

/// s = pitch φ/2π + offset.
void MechanismCompiler::compileScrew(const ElementReader& reader, Joint& joint) {
  const Expression pitch = quantity(reader, "pitch", "m", inNumber);
  const Expression phi = builder_.z(jointPhiOf(joint, reader.name()));
  const Expression s = builder_.z(projection(joint.frameA, z, joint.frameB));
  const Expression lead = divide(multiply(pitch, phi), constant(2 * std::numbers::pi));
  builder_.addRow(reader.name(), subtract(s, add(lead, quantityOr(reader, "offset", "m", 0))));
}

int MechanismCompiler::jointPhiOf(const Joint& joint, const std::string& name) {
  return builder_.angle(joint.frameA, joint.frameB, name + ".phi", -1);
}

int MechanismCompiler::jointPhi(const std::string& name) {
  return jointPhiOf(joints_.find(name)->second, name);
}

int MechanismCompiler::jointS(const std::string& name) {
  const Joint& joint = joints_.find(name)->second;
  const bool plane = inPlane(joint.frameA) && inPlane(joint.frameB);
  return projection(joint.frameA, plane ? x : z, joint.frameB);
}

const MechanismCompiler::Joint& MechanismCompiler::jointOf(const ElementReader& reader,
                                                           std::string_view key,
                                                           std::string& name) {
  const Located<std::string> text = reader.text(key);
  const auto found = joints_.find(text.value);
  if (found == joints_.end()) {
    std::vector<std::string_view> candidates;
    for (const auto& entry : joints_) candidates.emplace_back(entry.first);
    reader.fail(text.line, std::string(key) + ": " + inQuotes(text.value) + " is no joint" +
                               suggestion(text.value, candidates));
  }
  name = text.value;
  return found->second;
}

/// The coordinate phi or s of the joint that the key `joint` names; where it has both, the key
/// `coordinate` chooses, or `preferred` where the element has no such key.
MechanismCompiler::JointCoordinate MechanismCompiler::jointCoordinate(const ElementReader& reader,
                                                                      std::string_view key,
                                                                      std::string_view preferred) {
  std::string name;
  const Joint& joint = jointOf(reader, key, name);
  const int line = reader.find(key)->line;
  const std::string prefix = std::string(key) + ": ";
  if (!joint.turns && !joint.slides)
    reader.fail(line, prefix + inQuotes(name) + " of type " + inQuotes(joint.type) +
                          " has no coordinate, expected a joint that turns or slides");
  bool turns = joint.turns;
  if (reader.has("coordinate")) {
    const Located<std::string> which = reader.text("coordinate");
    const bool known =
        (which.value == "phi" && joint.turns) || (which.value == "s" && joint.slides);
    if (!known)
      reader.fail(which.line, "coordinate must be \"phi\" or \"s\" as the joint has it, is " +
                                  inQuotes(which.value));
    turns = which.value == "phi";
  } else if (joint.turns && joint.slides && !preferred.empty()) {
    turns = preferred == "phi";
  } else if (joint.turns && joint.slides) {
    reader.fail(line, prefix + inQuotes(name) +
                          " turns and slides, expected coordinate = \"phi\" or \"s\"");
  }
  return {turns ? jointPhi(name) : jointS(name), turns};
}

void MechanismCompiler::compileRelation(const TomlValue::Entry& item) {
  const std::string type = typeOf(file_.source, item, "joint");
  if (findType(type) != nullptr) return;
  std::vector<std::string_view> keys{"type", "description"};
  if (type == "gear") {
    keys.insert(keys.end(), {"joint_1", "joint_2", "ratio", "offset"});
  } else if (type == "rack_and_pinion") {
    keys.insert(keys.end(), {"pinion", "rack", "radius", "offset"});
  } else {
    keys.insert(keys.end(), {"joint", "coordinate", "value"});
  }
  const ElementReader reader(file_.source, "joint", item.key, item.value, item.line, keys);
  checkName(item, file_.source, reader.what());
  names_.claim(item.key, "joint", item.line);
  Expression E;
  if (type == "gear") {  // φ2 = ratio φ1 + offset
    const Expression phi1 = builder_.z(jointCoordinate(reader, "joint_1", "phi").channel);
    const Expression phi2 = builder_.z(jointCoordinate(reader, "joint_2", "phi").channel);
    const Expression ratio = quantity(reader, "ratio", "1", inNumber);
    E = subtract(phi2, add(multiply(ratio, phi1), quantityOr(reader, "offset", "rad", 0)));
  } else if (type == "rack_and_pinion") {  // s = radius φ + offset
    const JointCoordinate pinion = jointCoordinate(reader, "pinion", "phi");
    const JointCoordinate rack = jointCoordinate(reader, "rack", "s");
    if (!pinion.turns)
      reader.fail(reader.find("pinion")->line, "pinion must be a joint that turns");
    if (rack.turns) reader.fail(reader.find("rack")->line, "rack must be a joint that slides");
    const Expression phi = builder_.z(pinion.channel), s = builder_.z(rack.channel);
    const Expression radius = quantity(reader, "radius", "m", inNumber);
    E = subtract(s, add(multiply(radius, phi), quantityOr(reader, "offset", "m", 0)));
  } else {
    const JointCoordinate c = jointCoordinate(reader, "joint");
    const SymbolKinds allowed = anyOf(SymbolKind::parameter, SymbolKind::time, SymbolKind::input);
    E = subtract(builder_.z(c.channel), quantity(reader, "value", c.unit(), allowed));
  }
  laws_.push_back(E);
  rowsWithInputs_.push_back(E);
  JointProgram program;
  program.name = item.key;
  program.type = type;
  program.line = item.line;
  Joint joint;
  joint.type = type;
  joint.index = builder_.beginJoint(program);
  builder_.addRow(item.key, E);
  builder_.endJoint();
  joints_.emplace(item.key, joint);
}

/// [constraints.NAME] expression = "…" of frame and joint coordinates.
void MechanismCompiler::compileConstraint(const TomlValue::Entry& item) {
  const ElementReader reader(file_.source, "constraint", item,
                             {"expression", "unit", "description"});
  checkName(item, file_.source, reader.what());
  names_.claim(item.key, "constraint", item.line);
  const Expression E = quantity(reader, "expression", "", inRow);
  if ((graph_.kinds(E) & only(SymbolKind::position)) == 0)
    reader.fail(reader.find("expression")->line,
                "contains no coordinate of a frame or joint, expected at least one");
  laws_.push_back(E);
  rowsWithInputs_.push_back(E);
  JointProgram program;
  program.name = item.key;
  program.type = "constraint";
  program.line = item.line;
  Joint joint;
  joint.type = program.type;
  joint.index = builder_.beginJoint(program);
  builder_.addRow(item.key, E);
  builder_.endJoint();
  joints_.emplace(item.key, joint);  // for its multiplier
}

}  // namespace trammel

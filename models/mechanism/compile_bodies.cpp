#include <numbers>

#include "models/mechanism/mechanism_compiler.hpp"
#include "models/model_reader.hpp"
#include "models/text.hpp"

namespace trammel {
namespace {

std::vector<std::string> coordinateNamesOf(const std::string& body, BodyKind kind) {
  std::vector<std::string> names;
  const int places = isPlanar(kind) ? 2 : 3;
  for (int i = 1; i <= places; ++i) names.push_back(body + ".r[" + std::to_string(i) + "]");
  if (kind == BodyKind::planar) names.push_back(body + ".phi");
  if (kind == BodyKind::rigid)
    for (int i = 1; i <= 4; ++i) names.push_back(body + ".p[" + std::to_string(i) + "]");
  return names;
}

}  // namespace

void MechanismCompiler::compileBody(const TomlValue::Entry& item) {
  const ElementReader reader(
      file_.source, "body", item,
      {"type", "mass", "inertia", "centre", "position", "orientation", "rotation", "cardan",
       "angle", "velocity", "angular_velocity", "keep", "description"});
  checkName(item, file_.source, reader.what());
  names_.claim(item.key, "body", item.line);
  if (item.key == "ground") reader.fail(item.line, "the name is reserved, expected another");
  BodyProgram body;
  body.name = item.key;
  body.line = item.line;
  body.kind = planar_ ? BodyKind::planar : BodyKind::rigid;
  if (const auto type = reader.optionalText("type")) {
    if (type->value == "rigid" && !planar_) {
      body.kind = BodyKind::rigid;
    } else if (type->value == "planar") {
      body.kind = BodyKind::planar;
    } else if (type->value == "point") {
      body.kind = planar_ ? BodyKind::planarPoint : BodyKind::point;
    } else {
      reader.fail(type->line, "type must be \"rigid\", \"planar\" or \"point\", is " +
                                  inQuotes(type->value) +
                                  (type->value == "rigid" ? " in a planar model" : ""));
    }
  }
  body.mass = numberOf(reader, "mass", "kg");
  body.inertia = readInertia(reader, body.kind);
  if (reader.has("centre")) {
    if (body.kind == BodyKind::point || body.kind == BodyKind::planarPoint)
      reader.fail(reader.find("centre")->line, "a point has no centre of mass beside itself");
    body.centre = numbersOf(reader, "centre", 3, "m");
  }
  body.pose = readPose(reader, isPlanar(body.kind));
  if (reader.has("velocity")) body.velocity = numbersOf(reader, "velocity", 3, "m/s");
  if (reader.has("angular_velocity"))
    body.angularVelocity = numbersOf(reader, "angular_velocity", 3, "rad/s");
  readKept(reader, body);
  const int index = builder_.addBody(body, coordinateNamesOf(body.name, body.kind));
  frames_[item.key] = builder_.addFrame({index, {}, {}, item.line}, item.key);
}

/// keep = ["position", …]: start values that assembly must not change.
void MechanismCompiler::readKept(const ElementReader& reader, BodyProgram& body) {
  const TomlValue::Entry* entry = reader.find("keep");
  if (entry == nullptr) return;
  const auto* array = std::get_if<TomlValue::Array>(&entry->value.value);
  if (array == nullptr)
    reader.fail(entry->line, "keep must be an array of texts, is " + entry->value.typeName());
  for (const TomlValue& value : *array) {
    const auto* text = std::get_if<std::string>(&value.value);
    const std::string what = text == nullptr ? value.typeName() : *text;
    bool* flag = what == "position"           ? &body.keepPosition
                 : what == "orientation"      ? &body.keepOrientation
                 : what == "velocity"         ? &body.keepVelocity
                 : what == "angular_velocity" ? &body.keepAngularVelocity
                                              : nullptr;
    if (flag == nullptr)
      reader.fail(value.line,
                  "keep must contain position, orientation, velocity or "
                  "angular_velocity, contains " +
                      inQuotes(what));
    *flag = true;
  }
}

int MechanismCompiler::readInertia(const ElementReader& reader, BodyKind kind) {
  if (kind == BodyKind::point || kind == BodyKind::planarPoint) {
    if (reader.has("inertia"))
      reader.fail(reader.find("inertia")->line, "a point has no moment of inertia");
    return -1;
  }
  if (kind == BodyKind::planar) return numberOf(reader, "inertia", "kg.m2");
  const TomlValue::Entry* entry = reader.find("inertia");
  const auto* array =
      entry == nullptr ? nullptr : std::get_if<TomlValue::Array>(&entry->value.value);
  if (array != nullptr && array->size() == 6) return numbersOf(reader, "inertia", 6, "kg.m2");
  const int first = numbersOf(reader, "inertia", 3, "kg.m2");
  builder_.zeros(3);
  return first;
}

PoseNumbers MechanismCompiler::readPose(const ElementReader& reader, bool planar) {
  PoseNumbers pose;
  if (reader.has("position")) pose.position = numbersOf(reader, "position", 3, "m");
  pose.rotation = readRotation(reader, planar);
  return pose;
}

/// One of: orientation = [p0, p1, p2, p3], rotation = { axis, angle }, cardan = [α, β, γ],
/// angle (about z).
RotationNumbers MechanismCompiler::readRotation(const ElementReader& reader, bool planar) {
  RotationNumbers rotation;
  std::string_view given;
  for (const std::string_view key : {"orientation", "rotation", "cardan", "angle"}) {
    if (!reader.has(key)) continue;
    if (!given.empty())
      reader.fail(reader.find(key)->line,
                  std::string(key) + " cannot stand beside " + std::string(given));
    given = key;
    if (planar && key != "angle")
      reader.fail(reader.find(key)->line,
                  std::string(key) + " is not for the plane, expected angle");
  }
  if (given == "orientation") {
    rotation = {RotationKind::quaternion, numbersOf(reader, "orientation", 4, "1")};
  } else if (given == "cardan") {
    rotation = {RotationKind::cardan, numbersOf(reader, "cardan", 3, "rad")};
  } else if (given == "angle") {
    const Expression axis[] = {constant(0), constant(0), constant(1),
                               quantity(reader, "angle", "rad", inNumber)};
    rotation = {RotationKind::axisAngle, builder_.numbers(axis)};
  } else if (given == "rotation") {
    const TomlValue::Entry* entry = reader.find("rotation");
    constexpr std::string_view keys[] = {"axis", "angle"};
    const ElementReader inner(file_.source, reader.what() + ": rotation of", reader.name(),
                              entry->value, entry->line, keys);
    const int first = numbersOf(inner, "axis", 3, "1");
    numberOf(inner, "angle", "rad");
    rotation = {RotationKind::axisAngle, first};
  }
  return rotation;
}

void MechanismCompiler::compileFrame(const TomlValue::Entry& item) {
  const ElementReader reader(
      file_.source, "frame", item,
      {"body", "position", "orientation", "rotation", "cardan", "angle", "description"});
  checkName(item, file_.source, reader.what());
  names_.claim(item.key, "frame", item.line);
  frames_[item.key] = inlineFrame(reader, item.key, item.value);
}

/// A frame as a table { body, position, … }.
int MechanismCompiler::inlineFrame(const ElementReader& outer, std::string_view key,
                                   const TomlValue& value) {
  constexpr std::string_view keys[] = {"body",   "position", "orientation", "rotation",
                                       "cardan", "angle",    "description"};
  const bool named = outer.name() == key;
  const ElementReader reader(file_.source, named ? "frame" : outer.what() + ": frame",
                             std::string(key), value, value.line, keys);
  const Located<std::string> on = reader.text("body");
  const auto found = frames_.find(on.value);
  if (found == frames_.end()) {
    std::vector<std::string_view> candidates;
    for (const auto& entry : frames_) candidates.emplace_back(entry.first);
    reader.fail(on.line, inQuotes(on.value) + " is no body" + suggestion(on.value, candidates));
  }
  const FrameProgram& base = program_.frames[static_cast<std::size_t>(found->second)];
  if (base.pose.position >= 0 || base.pose.rotation.kind != RotationKind::none)
    reader.fail(on.line, inQuotes(on.value) + " is a frame, expected a body or \"ground\"");
  FrameProgram frame;
  frame.body = base.body;
  frame.line = named ? outer.line() : value.line;
  const BodyKind kind = builder_.kindOf(found->second);
  frame.pose = readPose(reader, isPlanar(kind) || (planar_ && kind == BodyKind::ground));
  if ((kind == BodyKind::point || kind == BodyKind::planarPoint) && frame.pose.position >= 0)
    reader.fail(reader.find("position")->line, "a point has no other places");
  const std::string name = named ? std::string(key) : outer.name() + "." + std::string(key);
  return builder_.addFrame(frame, name);
}

int MechanismCompiler::frameOf(const ElementReader& reader, std::string_view key) {
  const TomlValue::Entry* entry = reader.find(key);
  if (entry == nullptr)
    reader.fail(reader.line(), std::string(key) + " is missing, expected a frame or a body");
  if (entry->value.table() != nullptr) return inlineFrame(reader, key, entry->value);
  const auto* name = std::get_if<std::string>(&entry->value.value);
  if (name == nullptr) {
    reader.fail(entry->value.line, std::string(key) +
                                       " must be the name of a frame or a table with body and "
                                       "position, is " +
                                       entry->value.typeName());
  }
  const auto found = frames_.find(*name);
  if (found != frames_.end()) return found->second;
  std::vector<std::string_view> candidates;
  for (const auto& candidate : frames_) candidates.emplace_back(candidate.first);
  reader.fail(entry->value.line, std::string(key) + ": " + inQuotes(*name) +
                                     " is no frame and no body" + suggestion(*name, candidates));
}

int MechanismCompiler::frameOr(const ElementReader& reader, std::string_view key, int otherwise) {
  return reader.has(key) ? frameOf(reader, key) : otherwise;
}

std::pair<int, int> MechanismCompiler::twoFrames(const ElementReader& reader) {
  const int a = frameOr(reader, "a", 0), b = frameOf(reader, "b");
  if (builder_.bodyOf(a) == builder_.bodyOf(b))
    reader.fail(reader.line(), "a and b are on the same body, expected two");
  return {a, b};
}

}  // namespace trammel

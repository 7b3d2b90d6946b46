#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "models/text.hpp"
#include "packaging/inspection_report.hpp"

namespace trammel::fmi {
namespace {

std::string json(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20U) {
      std::array<char, 8> buffer{};
      std::snprintf(buffer.data(), buffer.size(), "\\u%04x", static_cast<unsigned>(c));
      result += buffer.data();
    } else {
      result += c;
    }
  }
  return result + "\"";
}
std::string json(const char* text) { return json(std::string(text)); }
std::string json(double value) { return std::isfinite(value) ? numberText(value) : "null"; }
std::string json(Index value) { return std::to_string(value); }
std::string json(bool value) { return value ? "true" : "false"; }
std::string json(const std::optional<double>& value) { return value ? json(*value) : "null"; }

/// {"name": value, …}
class JsonObject {
 public:
  template <class Value>
  JsonObject& add(const char* name, const Value& value) {
    return addText(name, json(value));
  }
  JsonObject& addText(const char* name, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + json(name) + ": " + value;
    return *this;
  }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

template <class Items, class TextOf>
std::string array(const Items& items, TextOf textOf) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + textOf(item);
  return "[" + text + "]";
}

std::string numbers(const std::vector<double>& values) {
  return array(values, [](double value) { return json(value); });
}

std::string body(const InspectedBody& body) {
  return JsonObject()
      .add("name", body.name)
      .add("type", body.type)
      .add("mass", body.mass)
      .addText("centre", numbers(body.placement))
      .text();
}

std::string joint(const InspectedJoint& joint) {
  return JsonObject()
      .add("name", joint.name)
      .add("type", joint.type)
      .add("a", joint.bodyA)
      .add("b", joint.bodyB)
      .add("equations", joint.equations)
      .add("redundant", joint.redundant)
      .text();
}

std::string mode(const NaturalMode& mode) {
  return JsonObject()
      .add("frequency", mode.frequency)
      .add("damping", mode.damping)
      .add("growth", mode.growth)
      .add("coordinate", mode.coordinate)
      .text();
}

std::string variables(const CompiledModel& model, Quantity quantity) {
  std::vector<std::string> items;
  for (const Variable& variable : model.variables().variables) {
    if (variable.quantity != quantity) continue;
    items.push_back(JsonObject()
                        .add("name", variable.name)
                        .add("unit", variable.unit)
                        .add("start", variable.start)
                        .add("min", variable.min)
                        .add("max", variable.max)
                        .add("description", variable.description)
                        .text());
  }
  return array(items, [](const std::string& item) { return item; });
}

std::string initialState(const CompiledModel& model, const Inspection& inspection) {
  const Motion& motion = inspection.motion;
  std::vector<std::string> coordinates;
  for (const Variable& variable : model.variables().variables) {
    if (variable.quantity != Quantity::position) continue;
    coordinates.push_back(JsonObject()
                              .add("name", variable.name)
                              .add("value", motion.q[variable.index])
                              .add("velocity", motion.v[variable.index])
                              .add("unit", variable.unit)
                              .text());
  }
  return JsonObject()
      .add("consistent", inspection.start.ok)
      .add("message", inspection.start.message)
      .add("time", motion.t)
      .add("correction", inspection.correction)
      .add("acceleration", inspection.acceleration)
      .addText("coordinates", array(coordinates, [](const std::string& item) { return item; }))
      .text();
}

}  // namespace

std::string inspectionJson(const CompiledModel& model, const Inspection& inspection) {
  return JsonObject()
             .add("name", model.name())
             .add("description", model.description())
             .add("coordinates", inspection.coordinates)
             .add("equations", inspection.equations)
             .add("degrees_of_freedom", inspection.degreesOfFreedom)
             .add("gruebler_count", inspection.grueblerCount)
             .addText("bodies", array(inspection.bodies, body))
             .addText("joints", array(inspection.joints, joint))
             .addText("initial_state", initialState(model, inspection))
             .addText("modes", array(inspection.modes, mode))
             .addText("structural_parameters", variables(model, Quantity::structure))
             .addText("parameters", variables(model, Quantity::parameter))
             .addText("inputs", variables(model, Quantity::input))
             .addText("outputs", variables(model, Quantity::output))
             .text() +
         "\n";
}

}  // namespace trammel::fmi

#include "packaging/system_file.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "models/table_reader.hpp"
#include "models/text.hpp"
#include "models/toml_document.hpp"

namespace trammel::fmi {
namespace {

using coupling::Scheme;
using Keys = std::vector<std::string_view>;

constexpr std::array<std::pair<std::string_view, Scheme>, 6> schemeWords{{
    {"PV1", Scheme::pv1},
    {"B2", Scheme::b2},
    {"PC2", Scheme::pc2},
    {"A1", Scheme::a1},
    {"explicit", Scheme::explicitLine},
    {"explicit_hold", Scheme::explicitHold},
}};

const Keys jointTypes{"fixed",       "revolute",        "spherical",     "prismatic",
                      "cylindrical", "universal",       "point_on_line", "shaft",
                      "gear",        "rack_and_pinion", "linear"};

class SystemReader {
 public:
  SystemReader(const std::string& source, SystemFile known) : file_(std::move(known)) {
    file_.source = source;
  }

  SystemFile read(const TomlValue& root) {
    const Keys keys{"trammel_system", "name",   "experiment", "coupling", "components",
                    "connections",    "joints", "record",     "container"};
    const TableReader reader(file_.source, "", root, 1, keys);
    const Located<double> version = reader.number("trammel_system");
    if (version.value != 1) {
      reader.fail(version.line, "trammel_system must be 1, is " + numberText(version.value));
    }
    if (const auto name = reader.optionalText("name")) file_.name = name->value;
    if (const auto* e = reader.find("experiment")) readExperiment(*e);
    if (const auto* e = reader.find("coupling")) readCoupling(*e);
    forEach(reader, "components", [&](const auto& e) { readComponent(e); });
    if (file_.components.empty()) reader.fail(1, "components are missing, expected at least one");
    if (const auto* e = reader.find("connections")) {
      for (const TomlValue& value : array(*e)) readConnection(value);
    }
    forEach(reader, "joints", [&](const auto& e) { readJoint(e); });
    if (const auto* e = reader.find("record")) {
      for (const TomlValue& value : array(*e)) file_.record.push_back(part(value, "record", false));
    }
    if (const auto* e = reader.find("container")) readContainerTable(*e);
    return std::move(file_);
  }

 private:
  template <class Function>
  void forEach(const TableReader& reader, const char* key, Function&& function) {
    const TomlValue::Entry* entry = reader.find(key);
    if (entry == nullptr) return;
    const TomlValue::Table* table = entry->value.table();
    if (table == nullptr) {
      fail(entry->line, std::string(key) + " must be a table, is " + entry->value.typeName());
    }
    for (const TomlValue::Entry& e : *table) function(e);
  }

  [[noreturn]] void fail(int line, const std::string& what) const {
    throw ModelError(file_.source, line, what);
  }

  const TomlValue::Array& array(const TomlValue::Entry& entry) const {
    const auto* values = std::get_if<TomlValue::Array>(&entry.value.value);
    if (values == nullptr) {
      fail(entry.line, entry.key + " must be an array, is " + entry.value.typeName());
    }
    return *values;
  }

  double number(const TomlValue& value, const std::string& what) const {
    const double* n = std::get_if<double>(&value.value);
    if (n == nullptr) fail(value.line, what + " must be a number, is " + value.typeName());
    return *n;
  }

  double numberOrFlag(const TomlValue& value, const std::string& what) const {
    if (const bool* flag = std::get_if<bool>(&value.value)) return *flag ? 1 : 0;
    return number(value, what);
  }

  std::string text(const TomlValue& value, const std::string& what) const {
    const auto* t = std::get_if<std::string>(&value.value);
    if (t == nullptr) fail(value.line, what + " must be a text, is " + value.typeName());
    return *t;
  }

  std::vector<double> numbers(const TomlValue::Entry& entry, const std::string& what) const {
    std::vector<double> values;
    for (const TomlValue& value : array(entry)) values.push_back(number(value, what));
    return values;
  }

  Eigen::Vector3d vector(const TomlValue::Entry& entry, const std::string& what) const {
    const std::vector<double> v = numbers(entry, what);
    if (v.size() != 3) {
      fail(entry.line, what + " must have 3 components, has " + std::to_string(v.size()));
    }
    return {v[0], v[1], v[2]};
  }

  std::vector<std::string> names(const TableReader& reader, const char* key) const {
    const TomlValue::Entry* entry = reader.find(key);
    if (entry == nullptr) return {};
    const std::string what = reader.what() + ": " + key;
    if (std::holds_alternative<std::string>(entry->value.value)) return {text(entry->value, what)};
    std::vector<std::string> result;
    for (const TomlValue& value : array(*entry)) result.push_back(text(value, what));
    return result;
  }

  /// `component.name`; the ground where it is allowed.
  ComponentPart part(const TomlValue& value, const std::string& what, bool groundAllowed) const {
    const std::string written = text(value, what);
    if (groundAllowed && written == "ground") return {"", "", value.line};
    const std::size_t dot = written.find('.');
    if (dot == std::string::npos || dot == 0 || dot + 1 == written.size()) {
      fail(value.line, what + " must be component.name" + (groundAllowed ? " or ground" : "") +
                           ", is " + inQuotes(written));
    }
    const std::string component = written.substr(0, dot);
    std::vector<std::string_view> known;
    for (const ComponentEntry& c : file_.components) known.push_back(c.name);
    if (std::find(known.begin(), known.end(), component) == known.end()) {
      fail(value.line,
           what + ": unknown component " + inQuotes(component) + suggestion(component, known));
    }
    return {component, written.substr(dot + 1), value.line};
  }

  void readContainerTable(const TomlValue::Entry& entry) {
    const Keys keys{"expose"};
    const TableReader reader(file_.source, "container", entry.value, entry.line, keys);
    const TomlValue::Entry* e = reader.find("expose");
    if (e == nullptr) return;
    for (const TomlValue& value : array(*e)) {
      const ComponentPart variable = part(value, "container: expose", false);
      file_.expose.push_back({variable.component + '.' + variable.name, value.line});
    }
  }

  void readExperiment(const TomlValue::Entry& entry) {
    const Keys keys{
        "start_time", "stop_time", "step", "error_tolerance", "connection_error_tolerance",
        "min_step",   "max_step"};
    const TableReader reader(file_.source, "experiment", entry.value, entry.line, keys);
    if (const auto t = reader.optionalNumber("start_time")) file_.startTime = t->value;
    const auto stop = reader.optionalNumber("stop_time");
    if (stop) file_.stopTime = stop->value;
    if (const auto H = reader.optionalPositiveNumber("step")) file_.step = H->value;
    readStepControl(reader);
    if (!(file_.stopTime > file_.startTime)) {
      reader.fail(stop ? stop->line : entry.line, "stop_time must be later than the start time " +
                                                      numberText(file_.startTime) + " s, is " +
                                                      numberText(file_.stopTime));
    }
  }

  void readStepControl(const TableReader& reader) {
    coupling::StepControl& control = file_.options.stepControl;
    const auto tolerance = reader.optionalPositiveNumber("error_tolerance");
    if (tolerance) control.tolerance = tolerance->value;
    const auto take = [&](const char* key, double& to) {
      const auto value = reader.optionalPositiveNumber(key);
      if (!value) return value;
      if (!control.isOn()) reader.fail(value->line, std::string(key) + " needs error_tolerance");
      to = value->value;
      return value;
    };
    take("connection_error_tolerance", control.connectionTolerance);
    const auto least = take("min_step", control.minStep), most = take("max_step", control.maxStep);
    if (most && most->value > file_.step) {
      reader.fail(most->line, "max_step must not be larger than step, " + numberText(file_.step) +
                                  " s, is " + numberText(most->value));
    }
    const double largest = most ? most->value : file_.step;
    if (least && least->value > largest) {
      reader.fail(least->line, "min_step must not be larger than " + numberText(largest) +
                                   " s, is " + numberText(least->value));
    }
  }

  void readCoupling(const TomlValue::Entry& entry) {
    const Keys keys{"scheme", "connections",     "tolerance",
                    "gain",   "mass_estimate",   "gap_tolerance",
                    "reuse",  "max_evaluations", "nominal_multiplier"};
    const TableReader reader(file_.source, "coupling", entry.value, entry.line, keys);
    coupling::MasterOptions& o = file_.options;
    if (const auto word = reader.optionalText("scheme"); word && word->value != "auto") {
      o.scheme = schemeOfWord(word->value);
      if (!o.scheme) {
        reader.fail(word->line,
                    "scheme must be auto, PV1, B2, PC2, A1, explicit or explicit_hold, is " +
                        inQuotes(word->value));
      }
    }
    if (const auto word = reader.optionalText("connections")) {
      o.connections = connectionMode(reader, *word);
    }
    const auto take = [&](const char* key, double& to) {
      if (const auto value = reader.optionalPositiveNumber(key)) to = value->value;
    };
    take("tolerance", o.relativeTolerance);
    take("gain", o.gain);
    take("mass_estimate", o.massEstimate);
    take("gap_tolerance", o.gapTolerance);
    take("nominal_multiplier", o.nominalMultiplier);
    const auto takeWhole = [&](const char* key, int& to) {
      const auto value = reader.optionalPositiveNumber(key);
      if (!value) return;
      if (value->value > 1000 || value->value != static_cast<int>(value->value)) {
        reader.fail(value->line, std::string(key) + " must be a whole number up to 1000, is " +
                                     numberText(value->value));
      }
      to = static_cast<int>(value->value);
    };
    takeWhole("reuse", o.iteration.reuse);
    takeWhole("max_evaluations", o.iteration.maxEvaluations);
  }

  static coupling::ConnectionMode connectionMode(const TableReader& reader,
                                                 const Located<std::string>& word) {
    if (word.value == "iterated") return coupling::ConnectionMode::iterated;
    if (word.value == "gauss_seidel") return coupling::ConnectionMode::gaussSeidel;
    if (word.value == "jacobi") return coupling::ConnectionMode::jacobi;
    reader.fail(word.line,
                "connections must be iterated, gauss_seidel or jacobi, is " + inQuotes(word.value));
  }

  void readComponent(const TomlValue::Entry& entry) {
    const Keys keys{"file", "fmi", "tolerance", "parameters", "ports", "process", "time_limit"};
    const TableReader reader(file_.source, "component " + inQuotes(entry.key), entry.value,
                             entry.line, keys);
    if (!isName(entry.key) || entry.key.find('.') != std::string::npos || entry.key == "ground") {
      reader.fail(entry.line, "its name must be an identifier other than ground");
    }
    const auto known = std::find_if(file_.components.begin(), file_.components.end(),
                                    [&](const ComponentEntry& c) { return c.name == entry.key; });
    const bool isKnown = known != file_.components.end();
    ComponentEntry component;
    if (isKnown) component = *known;
    component.name = entry.key;
    component.line = entry.line;
    const auto file = reader.optionalText("file");
    if (isKnown == file.has_value()) {
      reader.fail(entry.line, isKnown ? "file is given already, expected none"
                                      : "file is missing, expected an FMU, a model file or a name");
    }
    if (file) component.file = *file;
    if (const auto version = reader.optionalNumber("fmi")) {
      if (version->value != 2 && version->value != 3) {
        reader.fail(version->line, "fmi must be 2 or 3, is " + numberText(version->value));
      }
      component.fmi = static_cast<int>(version->value);
    }
    if (const auto tolerance = reader.optionalPositiveNumber("tolerance")) {
      component.tolerance = tolerance->value;
    }
    if (const auto process = reader.optionalFlag("process")) component.process = process->value;
    if (const auto limit = reader.optionalPositiveNumber("time_limit")) {
      component.timeLimit = limit->value;
    }
    forEach(reader, "parameters", [&](const TomlValue::Entry& p) {
      component.parameters.emplace_back(p.key, numberOrFlag(p.value, reader.what() + ": " + p.key));
    });
    forEach(reader, "ports", [&](const TomlValue::Entry& p) {
      component.ports.push_back(readPort(p, reader.what()));
    });
    if (isKnown) {
      *known = std::move(component);
    } else {
      file_.components.push_back(std::move(component));
    }
  }

  PortEntry readPort(const TomlValue::Entry& entry, const std::string& component) const {
    const Keys keys{"force",      "position",    "velocity",         "acceleration",
                    "torque",     "orientation", "angular_velocity", "angular_acceleration",
                    "force_rate", "torque_rate", "force_sign"};
    const TableReader reader(file_.source, component + ": port " + inQuotes(entry.key), entry.value,
                             entry.line, keys);
    PortEntry port{entry.key, entry.line, {}};
    coupling::FmuPortNames& n = port.names;
    n.force = names(reader, "force");
    n.position = names(reader, "position");
    n.velocity = names(reader, "velocity");
    n.acceleration = names(reader, "acceleration");
    n.torque = names(reader, "torque");
    n.orientation = names(reader, "orientation");
    n.angularVelocity = names(reader, "angular_velocity");
    n.angularAcceleration = names(reader, "angular_acceleration");
    n.forceRate = names(reader, "force_rate");
    n.torqueRate = names(reader, "torque_rate");
    if (n.force.empty()) reader.fail(entry.line, "force is missing, expected the name of an input");
    if (const auto sign = reader.optionalNumber("force_sign")) {
      if (sign->value != 1 && sign->value != -1) {
        reader.fail(sign->line, "force_sign must be 1 or -1, is " + numberText(sign->value));
      }
      n.forceSign = sign->value;
    }
    return port;
  }

  void readConnection(const TomlValue& value) {
    const Keys keys{"from", "to", "factor", "offset"};
    const TableReader reader(file_.source, "connection", value, value.line, keys);
    const auto end = [&](const char* key) {
      const TomlValue::Entry* entry = reader.find(key);
      if (entry == nullptr) reader.fail(value.line, std::string(key) + " is missing");
      return part(entry->value, std::string("connection: ") + key, false);
    };
    ConnectionEntry connection{end("from"), end("to")};
    if (const auto factor = reader.optionalNumber("factor")) connection.factor = factor->value;
    if (const auto offset = reader.optionalNumber("offset")) connection.offset = offset->value;
    file_.connections.push_back(std::move(connection));
  }

  void readJoint(const TomlValue::Entry& entry) {
    const Keys keys{"type",  "a",      "b",      "ports",    "axis",         "axis_b",
                    "ratio", "radius", "offset", "position", "coefficients", "constants"};
    const std::string what = "joint " + inQuotes(entry.key);
    const TableReader reader(file_.source, what, entry.value, entry.line, keys);
    JointEntry joint;
    joint.name = entry.key;
    joint.line = entry.line;
    const auto type = reader.optionalText("type");
    if (!type) reader.fail(entry.line, "type is missing, expected one of " + joined(jointTypes));
    joint.type = type->value;
    if (std::find(jointTypes.begin(), jointTypes.end(), joint.type) == jointTypes.end()) {
      reader.fail(type->line,
                  "type must be one of " + joined(jointTypes) + ", is " + inQuotes(joint.type));
    }
    readSides(reader, entry, joint);
    if (const auto* e = reader.find("axis"))
      joint.axisA = joint.axisB = vector(*e, what + ": axis");
    if (const auto* e = reader.find("axis_b")) {
      joint.axisB = vector(*e, what + ": axis_b");
    } else if (joint.type == "universal") {
      reader.fail(entry.line, "axis_b is missing, expected an axis at right angles to axis");
    }
    if (const auto* e = reader.find("position")) joint.position = vector(*e, what + ": position");
    if (const auto v = reader.optionalNumber("ratio")) joint.ratio = v->value;
    if (const auto v = reader.optionalPositiveNumber("radius")) joint.radius = v->value;
    if (const auto v = reader.optionalNumber("offset")) joint.constant = v->value;
    if (joint.type == "linear") readLinear(reader, entry, joint);
    file_.joints.push_back(std::move(joint));
  }

  void readSides(const TableReader& reader, const TomlValue::Entry& entry, JointEntry& joint) {
    if (const auto* e = reader.find("ports")) {
      for (const TomlValue& value : array(*e)) {
        joint.sides.push_back(part(value, reader.what() + ": ports", true));
      }
      return;
    }
    for (const char* key : {"a", "b"}) {
      const TomlValue::Entry* e = reader.find(key);
      if (e == nullptr) {
        reader.fail(entry.line, std::string(key) + " is missing, expected component.port");
      }
      joint.sides.push_back(part(e->value, reader.what() + ": " + key, true));
    }
  }

  void readLinear(const TableReader& reader, const TomlValue::Entry& entry, JointEntry& joint) {
    const TomlValue::Entry* e = reader.find("coefficients");
    if (e == nullptr) reader.fail(entry.line, "coefficients are missing");
    const std::string what = reader.what() + ": coefficients";
    const TomlValue::Array& rows = array(*e);
    const bool nested =
        !rows.empty() && std::holds_alternative<TomlValue::Array>(rows.front().value);
    if (nested) {
      for (const TomlValue& row : rows) {
        joint.coefficients.push_back(numbers({"coefficients", row.line, row}, what));
      }
    } else {
      joint.coefficients.push_back(numbers(*e, what));
    }
    for (const auto& row : joint.coefficients) {
      if (row.size() != joint.sides.size()) {
        reader.fail(e->line, "coefficients must have one number for each of " +
                                 std::to_string(joint.sides.size()) + " ports, have " +
                                 std::to_string(row.size()));
      }
    }
    joint.constants.assign(joint.coefficients.size(), joint.constant);
    if (const auto* c = reader.find("constants")) joint.constants = numbers(*c, reader.what());
    if (joint.constants.size() != joint.coefficients.size()) {
      reader.fail(e->line, "constants must have one number for each row of coefficients");
    }
  }

  SystemFile file_;
};

}  // namespace

std::optional<Scheme> schemeOfWord(std::string_view word) {
  for (const auto& [name, scheme] : schemeWords) {
    if (name == word) return scheme;
  }
  return std::nullopt;
}

SystemFile parseSystem(std::string_view text, const std::string& source, SystemFile known) {
  return SystemReader(source, std::move(known)).read(parseToml(text, source));
}

SystemFile readSystemFile(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream || std::filesystem::is_directory(path)) {
    throw ModelError(path.string(), 0, "cannot be opened, expected a readable system file");
  }
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  return parseSystem(text, path.string());
}

}  // namespace trammel::fmi

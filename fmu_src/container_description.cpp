#include "fmu_src/container_description.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "fmu_src/container_words.hpp"
#include "models/model_file.hpp"
#include "models/text.hpp"
#include "models/toml_document.hpp"

namespace trammel::fmi {
namespace {

/// A value of the text; everything that is not as expected is a ModelError on its line.
class Node {
 public:
  Node(const TomlValue& value, const std::string& source) : value_(value), source_(source) {}

  Node operator[](std::string_view key) const {
    if (const auto found = find(key)) return *found;
    fail(std::string(key) + " is missing");
  }

  std::optional<Node> find(std::string_view key) const {
    const TomlValue::Table* table = value_.table();
    if (table == nullptr) fail("expected a table, is " + value_.typeName());
    for (const TomlValue::Entry& entry : *table)
      if (entry.key == key) return Node(entry.value, source_);
    return std::nullopt;
  }

  std::vector<Node> list() const {
    std::vector<Node> nodes;
    for (const TomlValue& item : get<TomlValue::Array>("a list")) nodes.emplace_back(item, source_);
    return nodes;
  }
  std::vector<Node> list(std::string_view key) const {  // empty where the key is missing
    const auto found = find(key);
    return found ? found->list() : std::vector<Node>();
  }

  const std::string& text() const { return get<std::string>("a text"); }
  double number() const { return get<double>("a number"); }
  bool flag() const { return get<bool>("true or false"); }

  /// A whole number from `first` to `last`.
  template <class Whole>
  Whole whole(double first, double last) const {
    const double value = number();
    if (value != std::floor(value) || value < first || value > last)
      fail("expected a whole number from " + numberText(first) + " to " + numberText(last) +
           ", is " + numberText(value));
    return static_cast<Whole>(value);
  }
  std::uint32_t valueReference() const { return whole<std::uint32_t>(0, 4294967295.0); }

  std::vector<double> numbers() const {
    std::vector<double> values;
    for (const Node& node : list()) values.push_back(node.number());
    return values;
  }
  std::vector<double> numbers(std::size_t count) const {
    std::vector<double> values = numbers();
    if (values.size() != count)
      fail("expected " + std::to_string(count) + " numbers, are " + std::to_string(values.size()));
    return values;
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> values;
    for (const Node& node : list()) values.push_back(node.text());
    return values;
  }

  template <class Value, std::size_t N>
  Value word(const ContainerWords<Value, N>& words) const {
    for (const auto& [word, value] : words)
      if (word == text()) return value;
    fail(inQuotes(text()) + " is not known here");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw ModelError(source_, value_.line, what);
  }

 private:
  template <class Value>
  const Value& get(const char* expected) const {
    if (const auto* found = std::get_if<Value>(&value_.value)) return *found;
    fail("expected " + std::string(expected) + ", is " + value_.typeName());
  }

  const TomlValue& value_;
  const std::string& source_;
};

struct OptionReader {
  void operator()(const char* name, double& value) { value = node[name].number(); }
  void operator()(const char* name, int& value) { value = node[name].whole<int>(-1e6, 1e6); }
  template <class Choice>
  void choice(const char* name, Choice& value, Choice last) {
    value = static_cast<Choice>(node[name].whole<int>(0, static_cast<int>(last)));
  }
  void flag(const char* name, bool& value) { value = node[name].flag(); }

  const Node& node;
};

coupling::MasterOptions readOptions(const Node& node) {
  coupling::MasterOptions options;
  if (const auto scheme = node.find("scheme"))
    options.scheme = static_cast<coupling::Scheme>(
        scheme->whole<int>(0, static_cast<int>(coupling::Scheme::explicitHold)));
  visitOptions(options, OptionReader{node});
  return options;
}

coupling::FmuVariable readMemberVariable(const Node& node) {
  coupling::FmuVariable variable;
  variable.name = node["name"].text();
  variable.valueReference = node["reference"].valueReference();
  variable.type = node["type"].word(memberTypeWords);
  variable.causality = node["causality"].word(memberCausalityWords);
  variable.isArray = node["is_array"].flag();
  variable.intermediateUpdate = node["intermediate_update"].flag();
  variable.size = node["size"].whole<std::size_t>(0, 1e9);
  return variable;
}

coupling::FmuPortRequest readPort(const Node& node) {
  coupling::FmuPortNames names;
  for (const auto& [word, list] : portWords)
    if (const auto found = node.find(word)) names.*list = found->texts();
  names.forceSign = node["force_sign"].number();
  return {node["name"].text(), names};
}

/// A name that becomes a folder.
std::string memberName(const Node& node) {
  const std::string& name = node.text();
  if (!isName(name) || name.find('.') != std::string::npos)
    node.fail("expected an identifier, is " + inQuotes(name));
  return name;
}

ContainerMember readMember(const Node& node) {
  ContainerMember member;
  member.name = memberName(node["name"]);
  member.fmu.version =
      node["fmi"].whole<int>(2, 3) == 2 ? coupling::FmuVersion::fmi2 : coupling::FmuVersion::fmi3;
  member.fmu.modelIdentifier = memberName(node["identifier"]);
  member.fmu.token = node["token"].text();
  for (const Node& word : node.list("capabilities"))
    member.fmu.capabilities.*word.word(capabilityWords) = true;
  if (const auto tolerance = node.find("tolerance")) member.use.tolerance = tolerance->number();
  if (const auto events = node.find("events"); events && events->flag())
    member.use.events = coupling::EventHandling::reported;
  member.use.inputs = node["inputs"].texts();
  member.use.outputs = node["outputs"].texts();
  for (const Node& parameter : node.list("parameters")) {
    const std::vector<Node> pair = parameter.list();
    if (pair.size() != 2) parameter.fail("expected a name and a number");
    member.use.parameters.emplace_back(pair[0].text(), pair[1].number());
  }
  for (const Node& port : node.list("ports")) member.use.ports.push_back(readPort(port));
  for (const Node& v : node.list("variables"))
    member.fmu.variables.push_back(readMemberVariable(v));
  return member;
}

coupling::JointRow readRow(const Node& node, std::size_t sides) {
  const std::vector<Node> parts = node.list();
  const auto axis = [&](std::size_t i) { return parts[i].whole<int>(0, 2); };
  const std::string kind = parts.empty() ? "" : parts[0].text();
  if (kind == "coincidence" && parts.size() == 2) return coupling::CoincidenceRow{axis(1)};
  if (kind == "orthogonality" && parts.size() == 3)
    return coupling::OrthogonalityRow{axis(1), axis(2)};
  if (kind == "transverse" && parts.size() == 2) return coupling::TransverseRow{axis(1)};
  if (kind == "linear" && parts.size() == 3)
    return coupling::LinearRow{parts[2].numbers(sides), parts[1].number()};
  node.fail("expected a row of a joint");
}

coupling::Joint readJoint(const Node& node, const ContainerDescription& container) {
  coupling::Joint joint;
  joint.name = node["name"].text();
  for (const Node& side : node.list("sides")) {
    const std::vector<Node> pair = side.list();
    if (pair.size() != 2) side.fail("expected a member and a port");
    const int member = pair[0].whole<int>(-1, static_cast<double>(container.members.size()) - 1);
    const std::size_t ports =
        member < 0 ? 1 : container.members[static_cast<std::size_t>(member)].use.ports.size();
    joint.sides.push_back({member, pair[1].whole<int>(0, static_cast<double>(ports) - 1)});
  }
  for (const Node& row : node.list("rows")) joint.rows.push_back(readRow(row, joint.sides.size()));
  const auto frameA = node["frame_a"].numbers(9), frameB = node["frame_b"].numbers(9);
  const auto position = node["ground_position"].numbers(3);
  const auto orientation = node["ground_orientation"].numbers(4);
  joint.frameA = Eigen::Map<const Eigen::Matrix3d>(frameA.data());
  joint.frameB = Eigen::Map<const Eigen::Matrix3d>(frameB.data());
  joint.ground.r = Eigen::Map<const Eigen::Vector3d>(position.data());
  joint.ground.Q.coeffs() = Eigen::Map<const Eigen::Vector4d>(orientation.data());
  return joint;
}

std::pair<int, int> readEnd(const Node& node, const ContainerDescription& container) {
  const std::vector<Node> pair = node.list();
  if (pair.size() != 2) node.fail("expected a member and a number among its variables");
  return {pair[0].whole<int>(0, static_cast<double>(container.members.size()) - 1),
          pair[1].whole<int>(0, 1e9)};
}

coupling::Connection readConnection(const Node& node, const ContainerDescription& container) {
  coupling::Connection c;
  std::tie(c.from, c.output) = readEnd(node["from"], container);
  std::tie(c.to, c.input) = readEnd(node["to"], container);
  c.factor = node["factor"].number();
  c.offset = node["offset"].number();
  return c;
}

ContainerVariable readVariable(const Node& node, const ContainerDescription& container,
                               std::size_t count) {
  ContainerVariable v;
  v.name = node["name"].text();
  v.valueReference = node["value_reference"].valueReference();
  v.type = node["type"].word(typeWords);
  v.causality = node["causality"].word(causalityWords);
  v.variability = node["variability"].word(variabilityWords);
  v.member = node["member"].whole<int>(-1, static_cast<double>(container.members.size()) - 1);
  v.reference = node["reference"].valueReference();
  v.size = node["size"].whole<std::size_t>(1, 1e6);
  v.isArray = node["is_array"].flag();
  v.start = node["start"].numbers();
  v.startText = node["start_text"].text();
  v.firstRate = node["first_rate"].whole<int>(-1, static_cast<double>(count) - 1);
  v.secondRate = node["second_rate"].whole<int>(-1, static_cast<double>(count) - 1);
  const bool isSettable = v.causality == Causality::input || v.causality == Causality::parameter;
  if (isSettable && v.type != Type::string && v.start.size() != v.size)
    node.fail("start must have " + std::to_string(v.size) + " numbers");
  return v;
}

/// Value references count from 1 without gaps; rows of multipliers exist.
void checkVariables(const Node& root, const ContainerDescription& container) {
  std::size_t next = 1, rows = 0;
  for (const coupling::Joint& joint : container.joints) rows += joint.rows.size();
  for (const ContainerVariable& v : container.variables) {
    if (v.valueReference != next) root.fail("value references of variables must count from 1");
    if (v.member < 0 && v.reference >= rows) root.fail("a variable is a multiplier of no joint");
    for (const int rate : {v.firstRate, v.secondRate})
      if (rate >= 0 && container.variables[static_cast<std::size_t>(rate)].size != v.size)
        root.fail("a rate differs from its input in size");
    next += v.size;
  }
}

template <class Allowed>
bool allMembers(const ContainerDescription& container, Allowed flag) {
  return std::all_of(container.members.begin(), container.members.end(),
                     [&](const ContainerMember& m) { return m.fmu.capabilities.*flag; });
}

}  // namespace

bool ContainerDescription::canSaveState() const {
  return allMembers(*this, &coupling::FmuCapabilities::saveState);
}
bool ContainerDescription::canSerializeState() const {
  return canSaveState() && allMembers(*this, &coupling::FmuCapabilities::serializeState);
}
bool ContainerDescription::canVaryStep() const {
  return allMembers(*this, &coupling::FmuCapabilities::variableStep);
}

ContainerDescription parseContainer(std::string_view text, const std::string& source) {
  const TomlValue document = parseToml(text, source);
  const Node root(document, source);
  root["trammel_container"].whole<int>(1, 1);
  ContainerDescription container;
  container.token = root["token"].text();
  container.startTime = root["start_time"].number();
  container.step = root["step"].number();
  if (!(container.step > 0)) root["step"].fail("step must be > 0 s");
  container.options = readOptions(root["coupling"]);
  for (const Node& node : root.list("members")) container.members.push_back(readMember(node));
  for (const Node& node : root.list("connections"))
    container.connections.push_back(readConnection(node, container));
  for (const Node& node : root.list("joints"))
    container.joints.push_back(readJoint(node, container));
  const std::vector<Node> variables = root.list("variables");
  for (const Node& node : variables)
    container.variables.push_back(readVariable(node, container, variables.size()));
  checkVariables(root, container);
  return container;
}

ContainerDescription readContainer(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream || text.empty()) throw ModelError(path.string(), 0, "cannot be read");
  return parseContainer(text, path.string());
}

}  // namespace trammel::fmi

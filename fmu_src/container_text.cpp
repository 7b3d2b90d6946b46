#include <algorithm>
#include <variant>

#include "fmu_src/container_words.hpp"
#include "models/text.hpp"

namespace trammel::fmi {
namespace {

std::string quotedText(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (code < 0x20 || code == 0x7f) {
      quoted += {'\\', 'u', '0', '0', hex[code >> 4U], hex[code & 15U]};
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

template <class Items, class Text>
std::string listText(const Items& items, const Text& text) {
  std::string list = "[";
  for (const auto& item : items) list += (list.size() > 1 ? ", " : "") + text(item);
  return list + ']';
}

std::string textList(const std::vector<std::string>& texts) {
  return listText(texts, [](const std::string& text) { return quotedText(text); });
}

template <class Numbers>
std::string numberList(const Numbers& numbers) {
  return listText(numbers, [](double number) { return numberText(number); });
}

template <class Value, std::size_t N>
std::string wordText(const ContainerWords<Value, N>& words, Value value) {
  for (const auto& [word, meaning] : words) {
    if (meaning == value) return quotedText(word);
  }
  return "\"\"";
}

/// key = value lines and inline tables.
class Lines {
 public:
  template <class Value>
  void add(std::string_view key, const Value& value) {
    text += std::string(key) + " = " + value + '\n';
  }
  void number(std::string_view key, double value) { add(key, numberText(value)); }
  void heading(std::string_view heading) { text += '\n' + std::string(heading) + '\n'; }

  std::string text;
};

struct OptionWriter {
  void operator()(const char* name, double value) { lines.number(name, value); }
  template <class Choice>
  void choice(const char* name, Choice value, Choice) {
    lines.number(name, static_cast<int>(value));
  }
  void flag(const char* name, bool value) {
    lines.add(name, std::string(value ? "true" : "false"));
  }

  Lines& lines;
};

void writeOptions(Lines& lines, const coupling::MasterOptions& options) {
  lines.heading("[coupling]");
  if (options.scheme) lines.number("scheme", static_cast<int>(*options.scheme));
  visitOptions(options, OptionWriter{lines});
}

std::string variableText(const coupling::FmuVariable& v) {
  return "{name = " + quotedText(v.name) + ", reference = " + std::to_string(v.valueReference) +
         ", type = " + wordText(memberTypeWords, v.type) +
         ", causality = " + wordText(memberCausalityWords, v.causality) +
         ", is_array = " + (v.isArray ? "true" : "false") +
         ", intermediate_update = " + (v.intermediateUpdate ? "true" : "false") +
         ", size = " + std::to_string(v.size) + '}';
}

std::string portText(const coupling::FmuPortRequest& request) {
  const coupling::FmuPortNames names = request.names.value_or(coupling::FmuPortNames());
  std::string text = "{name = " + quotedText(request.name);
  for (const auto& [word, list] : portWords) {
    if (!(names.*list).empty()) text += ", " + std::string(word) + " = " + textList(names.*list);
  }
  return text + ", force_sign = " + numberText(names.forceSign) + '}';
}

void writeMember(Lines& lines, const ContainerMember& member) {
  lines.heading("[[members]]");
  lines.add("name", quotedText(member.name));
  lines.number("fmi", member.fmu.version == coupling::FmuVersion::fmi2 ? 2 : 3);
  lines.add("identifier", quotedText(member.fmu.modelIdentifier));
  lines.add("token", quotedText(member.fmu.token));
  std::vector<std::string> capabilities;
  for (const auto& [word, flag] : capabilityWords) {
    if (member.fmu.capabilities.*flag) capabilities.emplace_back(word);
  }
  lines.add("capabilities", textList(capabilities));
  if (member.use.tolerance) lines.number("tolerance", *member.use.tolerance);
  if (member.use.events == coupling::EventHandling::reported) lines.add("events", "true");
  lines.add("inputs", textList(member.use.inputs));
  lines.add("outputs", textList(member.use.outputs));
  lines.add("parameters", listText(member.use.parameters, [](const auto& parameter) {
              return '[' + quotedText(parameter.first) + ", " + numberText(parameter.second) + ']';
            }));
  lines.add("ports", listText(member.use.ports, portText));
  lines.add("variables", listText(member.fmu.variables, variableText));
}

std::string rowText(const coupling::JointRow& row) {
  struct Text {
    std::string operator()(const coupling::CoincidenceRow& r) const {
      return "[\"coincidence\", " + std::to_string(r.axis) + ']';
    }
    std::string operator()(const coupling::OrthogonalityRow& r) const {
      return "[\"orthogonality\", " + std::to_string(r.axisA) + ", " + std::to_string(r.axisB) +
             ']';
    }
    std::string operator()(const coupling::TransverseRow& r) const {
      return "[\"transverse\", " + std::to_string(r.axisA) + ']';
    }
    std::string operator()(const coupling::LinearRow& r) const {
      return "[\"linear\", " + numberText(r.constant) + ", " + numberList(r.coefficients) + ']';
    }
  };
  return std::visit(Text(), row);
}

void writeJoint(Lines& lines, const coupling::Joint& joint) {
  lines.heading("[[joints]]");
  lines.add("name", quotedText(joint.name));
  lines.add("sides", listText(joint.sides, [](const coupling::PortReference& side) {
              return '[' + std::to_string(side.subsystem) + ", " + std::to_string(side.port) + ']';
            }));
  lines.add("rows", listText(joint.rows, rowText));
  lines.add("frame_a", numberList(joint.frameA.reshaped()));
  lines.add("frame_b", numberList(joint.frameB.reshaped()));
  lines.add("ground_position", numberList(joint.ground.r));
  lines.add("ground_orientation", numberList(joint.ground.Q.coeffs()));
}

void writeVariable(Lines& lines, const ContainerVariable& v) {
  lines.heading("[[variables]]");
  lines.add("name", quotedText(v.name));
  lines.number("value_reference", v.valueReference);
  lines.add("type", wordText(typeWords, v.type));
  lines.add("causality", wordText(causalityWords, v.causality));
  lines.add("variability", wordText(variabilityWords, v.variability));
  lines.number("member", v.member);
  lines.number("reference", v.reference);
  lines.number("size", static_cast<double>(v.size));
  lines.add("is_array", std::string(v.isArray ? "true" : "false"));
  lines.add("start", numberList(v.start));
  lines.add("start_text", quotedText(v.startText));
  lines.number("first_rate", v.firstRate);
  lines.number("second_rate", v.secondRate);
}

}  // namespace

std::string containerText(const ContainerDescription& container) {
  Lines lines;
  lines.text = "# A coupled system as a container FMU runs it.\n";
  lines.number("trammel_container", 1);
  lines.add("token", quotedText(container.token));
  lines.number("start_time", container.startTime);
  lines.number("step", container.step);
  writeOptions(lines, container.options);
  for (const ContainerMember& member : container.members) writeMember(lines, member);
  for (const coupling::Connection& c : container.connections) {
    lines.heading("[[connections]]");
    lines.add("from", '[' + std::to_string(c.from) + ", " + std::to_string(c.output) + ']');
    lines.add("to", '[' + std::to_string(c.to) + ", " + std::to_string(c.input) + ']');
    lines.number("factor", c.factor);
    lines.number("offset", c.offset);
  }
  for (const coupling::Joint& joint : container.joints) writeJoint(lines, joint);
  for (const ContainerVariable& variable : container.variables) writeVariable(lines, variable);
  return std::move(lines.text);
}

}  // namespace trammel::fmi

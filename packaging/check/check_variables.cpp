#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "packaging/check/checks.hpp"

namespace trammel::fmi::check {
namespace {

using pugi::xml_attribute;
using pugi::xml_node;

struct Combination {
  std::string_view causality, variability;
  std::string_view initial;  // allowed values, between spaces; empty: none
};

// Table "Definition of initial" of both standards; what is not in it is not allowed. FMI 2 has no
// structural parameters and no initial of inputs.
constexpr std::array<Combination, 17> combinations{{
    {"structuralParameter", "fixed", " exact "},
    {"structuralParameter", "tunable", " exact "},
    {"parameter", "fixed", " exact "},
    {"parameter", "tunable", " exact "},
    {"calculatedParameter", "fixed", " calculated approx "},
    {"calculatedParameter", "tunable", " calculated approx "},
    {"input", "discrete", " exact "},
    {"input", "continuous", " exact "},
    {"output", "constant", " exact "},
    {"output", "discrete", " calculated exact approx "},
    {"output", "continuous", " calculated exact approx "},
    {"local", "constant", " exact "},
    {"local", "fixed", " calculated approx "},
    {"local", "tunable", " calculated approx "},
    {"local", "discrete", " calculated exact approx "},
    {"local", "continuous", " calculated exact approx "},
    {"independent", "continuous", ""},
}};

class VariableCheck {
 public:
  VariableCheck(const Description& description, FindingList& findings)
      : d_(description), findings_(findings) {}

  void run() {
    structured_ =
        std::string_view(d_.root().attribute("variableNamingConvention").value()) == "structured";
    std::size_t independent = 0;
    for (const DescribedVariable& v : d_.variables()) {
      checkName(v.node, v.name);
      for (const xml_node alias : v.node.children("Alias"))
        checkName(alias, alias.attribute("name").value());
      checkReference(v);
      checkCombination(v);
      checkStart(v);
      checkRange(v);
      checkFlags(v);
      if (v.causality == "independent") ++independent;
    }
    if (independent > 1 || (d_.fmi3() && independent == 0))
      report("variable-independent", d_.root().child("ModelVariables"),
             "there are " + std::to_string(independent) + " independent variables, expected " +
                 (d_.fmi3() ? "one" : "one at most"));
  }

 private:
  void report(std::string_view rule, xml_node node, std::string text) {
    findings_.add(rule, d_.at(node), std::move(text));
  }
  void report(std::string_view rule, const DescribedVariable& v, const std::string& text) {
    report(rule, v.node, "variable " + inQuotes(v.name) + " " + text);
  }

  void checkName(xml_node node, std::string_view name) {
    if (name.empty()) {
      report("variable-name", node, "the name of a variable is empty");
      return;
    }
    if (!names_.insert(name).second)
      report("variable-duplicate", node, "the name " + inQuotes(name) + " occurs twice");
    if (structured_ && !isStructuredName(name))
      report("variable-name", node,
             "the name " + inQuotes(name) + " does not follow the convention \"structured\"");
    if (name.find_first_of("\r\n\t") != std::string_view::npos)
      report("variable-name", node, "the name " + inQuotes(name) + " has a line feed or tab");
  }

  void checkReference(const DescribedVariable& v) {
    if (!d_.fmi3() || !v.reference) return;  // aliases of FMI 2 are checked with the links
    const auto [found, isNew] = references_.emplace(*v.reference, v.name);
    if (!isNew)
      report("reference-duplicate", v,
             "has the valueReference " + std::to_string(*v.reference) + " of " +
                 inQuotes(found->second));
  }

  void checkCombination(const DescribedVariable& v) {
    if (v.variability == "continuous" && !v.isFloat())
      report("variable-continuous", v,
             "of type " + std::string(v.type) + " is continuous" +
                 (v.node.attribute("variability") ? "" : " by default") +
                 ", expected another variability");
    if (v.type == "Clock") {
      if (v.causality != "input" && v.causality != "output" && v.causality != "local")
        report("variable-causality", v, "is a clock, expected causality input, output or local");
      return;
    }
    const auto found = std::find_if(combinations.begin(), combinations.end(), [&](const auto& c) {
      return c.causality == v.causality && c.variability == v.variability;
    });
    if (found == combinations.end() || (!d_.fmi3() && v.causality == "structuralParameter")) {
      report("variable-causality", v,
             "has causality " + inQuotes(v.causality) + " and variability " +
                 inQuotes(v.variability) + ", which do not go together");
      return;
    }
    const xml_attribute initial = v.node.attribute("initial");
    if (!initial) return;
    const bool none = found->initial.empty() || (!d_.fmi3() && v.causality == "input");
    const std::string word = " " + std::string(v.initial) + " ";
    if (none || found->initial.find(word) == std::string_view::npos)
      report("variable-initial", v,
             "has initial " + inQuotes(v.initial) + ", expected " +
                 (none ? "none" : std::string(trimmed(found->initial))) + " for causality " +
                 inQuotes(v.causality) + " and variability " + inQuotes(v.variability));
  }

  void checkStart(const DescribedVariable& v) {
    const bool needed = v.type != "Clock" &&
                        (v.initial == "exact" || v.initial == "approx" || v.causality == "input");
    const bool forbidden = v.causality == "independent" || v.initial == "calculated";
    if (needed && !v.hasStart())
      report("start-missing", v, "has no start, expected one for " + why(v));
    if (forbidden && v.hasStart())
      report("start-forbidden", v, "has a start, expected none for " + why(v));
    if (v.hasStart()) checkStartValues(v);
  }

  static std::string why(const DescribedVariable& v) {
    return v.causality == "input" || v.causality == "independent"
               ? "causality " + inQuotes(v.causality)
               : "initial " + inQuotes(v.initial);
  }

  void checkStartValues(const DescribedVariable& v) {
    const std::size_t size = d_.sizeOf(v);
    if (v.type == "String" || v.type == "Binary") {
      const auto starts = v.typed.children("Start");
      const auto count = static_cast<std::size_t>(std::distance(starts.begin(), starts.end()));
      if (d_.fmi3() && size > 0 && count != size && count > 1)
        report("start-size", v, startSize(count, size));
      return;
    }
    const auto words = wordsOf(v.typed.attribute("start").value());
    if (size > 0 && words.size() != size && words.size() != 1)
      report("start-size", v, startSize(words.size(), size));
    if (!v.isNumber()) return;
    const auto min = numberOf(d_.attribute(v, "min").value());
    const auto max = numberOf(d_.attribute(v, "max").value());
    for (const std::string_view word : words) {
      const auto value = numberOf(word);
      if (!value) {
        report("start-number", v, "has the start " + inQuotes(word) + ", expected a number");
      } else if ((!d_.fmi3() && !std::isfinite(*value))) {
        report("number-finite", v,
               "has the start " + inQuotes(word) + ", expected a finite number");
      } else if ((min && *value < *min) || (max && *value > *max)) {
        report("start-range", v,
               "has the start " + std::string(word) + ", expected between " + bound(min, "-INF") +
                   " and " + bound(max, "INF"));
      } else if (v.type == "Enumeration") {
        checkItem(v, *value, word);
      }
      if (findings_.has("start-range") && words.size() > 100) break;
    }
  }

  static std::string startSize(std::size_t count, std::size_t size) {
    return "has " + std::to_string(count) + " start values, expected 1 or " + std::to_string(size);
  }

  static std::string bound(const std::optional<long double>& value, const char* otherwise) {
    if (!value) return otherwise;
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.17Lg", *value);
    return text.data();
  }

  void checkItem(const DescribedVariable& v, long double value, std::string_view word) {
    bool found = false;
    std::size_t item = 0;
    for (const xml_node node : d_.typeOf(v).children("Item")) {
      ++item;
      const xml_attribute given = node.attribute("value");
      found = found || numberOf(given.value()) == value ||
              (!given && value == static_cast<long double>(item));
    }
    if (item > 0 && !found)
      report("start-item", v,
             "has the start " + std::string(word) + ", which is no item of its type");
  }

  void checkRange(const DescribedVariable& v) {
    if (!v.isNumber()) return;
    for (const char* name : {"min", "max", "nominal"}) {
      const auto value = numberOf(v.typed.attribute(name).value());
      if (!d_.fmi3() && value && !std::isfinite(*value))
        report("number-finite", v, std::string("has an infinite ") + name + ", expected a number");
    }
    const auto min = numberOf(d_.attribute(v, "min").value());
    const auto max = numberOf(d_.attribute(v, "max").value());
    if (min && max && *min > *max)
      report("range-order", v, "has min " + bound(min, "") + " above max " + bound(max, ""));
    const auto nominal = numberOf(d_.attribute(v, "nominal").value());
    if (nominal && !(*nominal > 0))
      report("range-nominal", v, "has nominal " + bound(nominal, "") + ", expected > 0");
  }

  void checkFlags(const DescribedVariable& v) {
    if (v.node.attribute("canHandleMultipleSetPerTimeInstant") && v.causality != "input")
      report("variable-multiple-set", v,
             "has canHandleMultipleSetPerTimeInstant, expected only for inputs");
    if (!isTrue(v.node.attribute("intermediateUpdate"))) return;
    if (v.causality == "parameter" || v.causality == "structuralParameter" || v.type == "Clock")
      report("variable-intermediate", v, "has intermediateUpdate, expected none for its kind");
    if (const xml_node coSimulation = d_.interface("CoSimulation");
        coSimulation && !isTrue(coSimulation.attribute("providesIntermediateUpdate")))
      report("variable-intermediate", v,
             "has intermediateUpdate, expected providesIntermediateUpdate of CoSimulation too");
  }

  const Description& d_;
  FindingList& findings_;
  bool structured_ = false;
  std::unordered_set<std::string_view> names_;
  std::unordered_map<std::uint32_t, std::string_view> references_;
};

/// Reads the grammar of structured names from left to right.
class NameReader {
 public:
  explicit NameReader(std::string_view text) : rest_(text) {}

  bool name() {
    if (take("der(")) {
      if (!identifier()) return false;
      if (take(",") && !digits()) return false;
      return take(")") && rest_.empty();
    }
    return identifier() && rest_.empty();
  }

 private:
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  static bool isDigit(char c) { return c >= '0' && c <= '9'; }
  static bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  bool digits() {
    const std::size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    rest_.remove_prefix(count);
    return count > 0;
  }

  bool identifier() {
    do {
      if (!part()) return false;
      if (take("[")) {
        do {
          if (!digits()) return false;
        } while (take(","));
        if (!take("]")) return false;
      }
    } while (take("."));
    return true;
  }

  bool part() {
    if (take("'")) return quotedPart();
    if (rest_.empty() || !isLetter(rest_.front())) return false;
    while (!rest_.empty() && (isLetter(rest_.front()) || isDigit(rest_.front())))
      rest_.remove_prefix(1);
    return true;
  }

  bool quotedPart() {
    for (bool empty = true; !rest_.empty(); empty = false) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '\'') return !empty;
      if (c == '\\') {
        constexpr std::string_view escapes = "'\"?\\abfnrtv";
        if (rest_.empty() || escapes.find(rest_.front()) == std::string_view::npos) return false;
        rest_.remove_prefix(1);
      } else if (!isLetter(c) && !isDigit(c)) {
        constexpr std::string_view others = "!#$%&()*+,-./:;<>=?@[]^{}|~ ";
        if (others.find(c) == std::string_view::npos) return false;
      }
    }
    return false;
  }

  std::string_view rest_;
};

}  // namespace

void checkVariables(const Description& description, FindingList& findings) {
  VariableCheck(description, findings).run();
}

bool isStructuredName(std::string_view text) { return NameReader(text).name(); }

}  // namespace trammel::fmi::check

#include <map>
#include <set>

#include "packaging/check/checks.hpp"

namespace trammel::fmi::check {
namespace {

using pugi::xml_attribute;

class StructureCheck {
 public:
  StructureCheck(const Description& description, FindingList& findings)
      : d_(description), findings_(findings) {}

  void run() {
    if (!d_.root().child("ModelStructure")) {
      findings_.add("structure-missing", d_.at(d_.root()), "ModelStructure is missing");
      return;
    }
    for (const Unknown& unknown : d_.unknowns()) {
      checkEntry(unknown);
      checkDependencies(unknown);
    }
    checkOutputs();
    checkDerivatives();
    checkInitialUnknowns();
  }

 private:
  using Variables = std::set<const DescribedVariable*>;

  void report(std::string_view rule, const Unknown& unknown, const std::string& text) {
    findings_.add(rule, d_.at(unknown.node), std::string(unknown.list) + " " + text);
  }
  void report(std::string_view rule, const DescribedVariable& v, const std::string& text) {
    findings_.add(rule, d_.at(v.node), "variable " + inQuotes(v.name) + " " + text);
  }

  void checkEntry(const Unknown& unknown) {
    const DescribedVariable* v = unknown.variable;
    if (v == nullptr) {
      const char* name = d_.fmi3() ? "valueReference" : "index";
      report("structure-link", unknown,
             std::string("has ") + name + " " + inQuotes(unknown.node.attribute(name).value()) +
                 ", which is no variable");
      return;
    }
    if (!lists_[unknown.list].insert(v).second)
      report("structure-duplicate", unknown, "lists variable " + inQuotes(v->name) + " twice");
    if (unknown.list == "Output" && v->causality != "output")
      report("structure-output", unknown,
             "lists variable " + inQuotes(v->name) + " of causality " + inQuotes(v->causality));
    if (unknown.list == "ContinuousStateDerivative" && !v->typed.attribute("derivative"))
      report("structure-derivative", unknown,
             "lists variable " + inQuotes(v->name) + ", which has no attribute derivative");
    if (unknown.list == "ClockedState" && d_.fmi3() && !v->node.attribute("previous"))
      report("structure-clocked", unknown,
             "lists variable " + inQuotes(v->name) + ", which has no attribute previous");
    if (unknown.list == "EventIndicator" && (!v->isFloat() || v->variability != "continuous"))
      report("structure-indicator", unknown,
             "lists variable " + inQuotes(v->name) + ", expected a continuous real number");
  }

  void checkDependencies(const Unknown& unknown) {
    const xml_attribute dependencies = unknown.node.attribute("dependencies");
    const xml_attribute kinds = unknown.node.attribute("dependenciesKind");
    if (kinds && !dependencies) {
      report("structure-kind", unknown, "has dependenciesKind, expected dependencies too");
      return;
    }
    const auto links = wordsOf(dependencies.value());
    Variables seen;
    std::optional<std::uint32_t> last;
    for (const std::string_view link : links) {
      const DescribedVariable* known = d_.byLink(link);
      if (known == nullptr) {
        report("structure-dependency", unknown,
               "depends on " + inQuotes(link) + ", which is no variable");
        continue;
      }
      if (!seen.insert(known).second)
        report("structure-dependency", unknown, "depends twice on " + inQuotes(known->name));
      if (known->variability == "constant")
        report("structure-known", unknown,
               "depends on " + inQuotes(known->name) + ", which is constant");
      const auto index = unsignedOf(link);
      if (!d_.fmi3() && last && index && *index < *last)
        report("structure-order", unknown, "has dependencies that do not ascend");
      last = index;
    }
    if (kinds) checkKinds(unknown, wordsOf(kinds.value()), links.size());
  }

  void checkKinds(const Unknown& unknown, const std::vector<std::string_view>& kinds,
                  std::size_t count) {
    if (kinds.size() != count)
      report("structure-kind", unknown,
             "has " + std::to_string(kinds.size()) + " kinds for " + std::to_string(count) +
                 " dependencies");
    for (const std::string_view kind : kinds) {
      const bool late = kind == "fixed" || kind == "tunable" || kind == "discrete";
      if (!late && kind != "dependent" && kind != "constant")
        report("structure-kind", unknown,
               "has the kind " + inQuotes(kind) + ", expected one of FMI");
      if (late && unknown.list == "InitialUnknown")
        report("structure-kind", unknown,
               "has the kind " + inQuotes(kind) + ", expected dependent or constant");
      if (kind != "dependent" && unknown.variable != nullptr && !unknown.variable->isFloat())
        report("structure-kind", unknown,
               "has the kind " + inQuotes(kind) + " for a variable that is no real number");
    }
  }

  void checkOutputs() {
    for (const DescribedVariable& v : d_.variables()) {
      if (v.causality == "output" && !lists_["Output"].contains(&v))
        report("structure-output-missing", v, "is an output that ModelStructure does not list");
    }
  }

  /// States of a model exchange FMU are what its listed derivatives derive.
  void checkDerivatives() {
    if (!d_.interface("ModelExchange")) return;
    for (const DescribedVariable* v : lists_["ContinuousStateDerivative"]) {
      const DescribedVariable* state = d_.byLink(v->typed.attribute("derivative").value());
      if (state != nullptr && (state->causality != "local" && state->causality != "output"))
        report(
            "structure-state", *state,
            "is a state of causality " + inQuotes(state->causality) + ", expected local or output");
    }
  }

  Variables expectedInitialUnknowns() {
    const auto computed = [](const DescribedVariable& v) {
      return v.initial == "approx" || v.initial == "calculated";
    };
    Variables expected;
    for (const DescribedVariable& v : d_.variables()) {
      const bool clocked = static_cast<bool>(v.node.attribute("clocks"));
      if ((v.causality == "output" && computed(v) && !clocked && v.type != "Clock") ||
          v.causality == "calculatedParameter")
        expected.insert(&v);
    }
    for (const DescribedVariable* derivative : lists_["ContinuousStateDerivative"]) {
      if (computed(*derivative)) expected.insert(derivative);
      const DescribedVariable* state = d_.byLink(derivative->typed.attribute("derivative").value());
      if (state != nullptr && computed(*state)) expected.insert(state);
    }
    return expected;
  }

  void checkInitialUnknowns() {
    const Variables expected = expectedInitialUnknowns();
    const Variables& listed = lists_["InitialUnknown"];
    for (const DescribedVariable& v : d_.variables()) {
      if (expected.contains(&v) && !listed.contains(&v))
        report("structure-initial-missing", v,
               "is computed at the start, expected an InitialUnknown");
    }
    for (const Unknown& unknown : d_.unknowns()) {
      const DescribedVariable* v = unknown.variable;
      if (unknown.list != "InitialUnknown" || v == nullptr || expected.contains(v)) continue;
      if (v->node.attribute("clocks")) continue;  // the FMU may wish to initialize these
      report("structure-initial-extra", unknown,
             "lists variable " + inQuotes(v->name) + ", which is not computed at the start");
    }
  }

  const Description& d_;
  FindingList& findings_;
  std::map<std::string_view, Variables> lists_;
};

}  // namespace

void checkStructure(const Description& description, FindingList& findings) {
  StructureCheck(description, findings).run();
}

}  // namespace trammel::fmi::check

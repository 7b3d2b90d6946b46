#include <map>
#include <set>
#include <utility>

#include "packaging/check/checks.hpp"

namespace trammel::fmi::check {
namespace {

using pugi::xml_attribute;
using pugi::xml_node;

class LinkCheck {
 public:
  LinkCheck(const Description& description, FindingList& findings)
      : d_(description), findings_(findings) {}

  void run() {
    for (const DescribedVariable& v : d_.variables()) {
      checkDerivative(v);
      if (!d_.fmi3()) continue;
      checkDimensions(v);
      checkPrevious(v);
      checkClocks(v);
      if (v.type == "Clock") checkInterval(v);
    }
    if (!d_.fmi3()) checkAliases();
  }

 private:
  void report(std::string_view rule, const DescribedVariable& v, const std::string& text) {
    findings_.add(rule, d_.at(v.node), "variable " + inQuotes(v.name) + " " + text);
  }

  void checkDerivative(const DescribedVariable& v) {
    const xml_attribute link = v.typed.attribute("derivative");
    if (!link) return;
    const DescribedVariable* other = d_.byLink(link.value());
    if (other == nullptr) {
      report("derivative-link", v,
             "is the derivative of " + inQuotes(link.value()) + ", which is no variable");
    } else if (other == &v) {
      report("derivative-link", v, "is the derivative of itself");
    } else if (!other->isFloat() || !v.isFloat()) {
      report("derivative-link", v, "and " + inQuotes(other->name) + " must both be real numbers");
    } else if (d_.sizeOf(v) != d_.sizeOf(*other)) {
      report("derivative-link", v, "and " + inQuotes(other->name) + " have different dimensions");
    }
  }

  void checkDimensions(const DescribedVariable& v) {
    for (const xml_node dimension : v.node.children("Dimension")) {
      const xml_attribute start = dimension.attribute("start");
      const xml_attribute link = dimension.attribute("valueReference");
      if (static_cast<bool>(start) == static_cast<bool>(link)) {
        report("dimension-form", v,
               "has a Dimension, expected either start or valueReference in it");
        continue;
      }
      if (start && numberOf(start.value()) == 0)
        report("dimension-size", v, "has a dimension of size 0, expected > 0");
      if (link) checkSizeVariable(v, link);
    }
    if (v.causality == "structuralParameter" && v.node.child("Dimension"))
      report("dimension-form", v, "is a structural parameter, expected no Dimension");
  }

  void checkSizeVariable(const DescribedVariable& v, xml_attribute link) {
    const DescribedVariable* size = d_.byLink(link.value());
    if (size == nullptr || size->type != "UInt64" ||
        (size->causality != "structuralParameter" && size->variability != "constant")) {
      report("dimension-link", v,
             "takes a size from " + inQuotes(link.value()) +
                 ", expected a structural parameter or constant of type UInt64");
    } else if (numberOf(size->typed.attribute("start").value()) == 0) {
      report("dimension-size", v,
             "takes the size 0 from " + inQuotes(size->name) + ", expected > 0");
    }
  }

  void checkPrevious(const DescribedVariable& v) {
    const xml_attribute link = v.node.attribute("previous");
    if (!link) return;
    const DescribedVariable* other = d_.byLink(link.value());
    if (!v.node.attribute("clocks") || v.variability != "discrete" || v.type == "Clock")
      report("previous-link", v, "has previous, expected only for discrete clocked variables");
    if (other == nullptr || other == &v || other->type != v.type || other->causality == "input" ||
        other->variability != "discrete")
      report("previous-link", v,
             "has previous " + inQuotes(link.value()) +
                 ", expected another discrete variable of its type that is no input");
    if (other != nullptr && !previous_.insert(other->name).second)
      report("previous-link", v, "has the same previous as another variable");
  }

  void checkClocks(const DescribedVariable& v) {
    const xml_attribute clocks = v.node.attribute("clocks");
    if (!clocks) return;
    if (v.variability != "discrete" && v.variability != "tunable")
      report("clock-link", v, "is clocked, expected variability discrete or tunable");
    for (const std::string_view word : wordsOf(clocks.value())) {
      const DescribedVariable* clock = d_.byLink(word);
      if (clock == nullptr || clock->type != "Clock")
        report("clock-link", v, "names the clock " + inQuotes(word) + ", which is none");
    }
  }

  void checkInterval(const DescribedVariable& v) {
    const auto given = [&](const char* name) { return d_.attribute(v, name); };
    const std::string_view kind = given("intervalVariability").value();
    const bool must = kind == "constant" || kind == "fixed";
    const bool may = must || kind == "tunable";
    const xml_attribute decimal = given("intervalDecimal"), counter = given("intervalCounter");
    if (must && !decimal && !counter)
      report("clock-interval", v,
             "has no interval, expected one for a clock that is " + std::string(kind));
    if (!may && (decimal || counter))
      report("clock-interval", v,
             "has an interval, expected none for a clock that is " + std::string(kind));
    const auto interval = decimal ? numberOf(decimal.value()) : numberOf(counter.value());
    if (interval && !(*interval > 0)) report("clock-interval", v, "has an interval ≤ 0");
    if (counter && (!given("resolution") || !isTrue(given("supportsFraction"))))
      report("clock-interval", v,
             "has intervalCounter, expected resolution and supportsFraction too");
    if (d_.interface("ScheduledExecution") && v.causality == "input" && !given("priority"))
      report("clock-priority", v, "has no priority, expected one for scheduled execution");
  }

  /// FMI 2: variables of one base type with one valueReference are aliases of each other.
  void checkAliases() {
    std::map<std::pair<std::string_view, std::uint32_t>, std::vector<const DescribedVariable*>>
        sets;
    for (const DescribedVariable& v : d_.variables()) {
      const std::string_view base = v.type == "Enumeration" ? "Integer" : v.type;
      if (v.reference) sets[{base, *v.reference}].push_back(&v);
    }
    for (const auto& [key, set] : sets) {
      if (set.size() > 1) checkAliasSet(set);
    }
  }

  void checkAliasSet(const std::vector<const DescribedVariable*>& set) {
    const DescribedVariable& first = *set.front();
    const DescribedVariable* settable = nullptr;
    const DescribedVariable* started = nullptr;
    const std::string_view unit = d_.attribute(first, "unit").value();
    for (const DescribedVariable* v : set) {
      if (v->causality == "input" || v->causality == "parameter") {
        if (settable != nullptr)
          report("alias-settable", *v,
                 "and its alias " + inQuotes(settable->name) + " can both be set");
        settable = v;
      }
      const bool constant = v->variability == "constant";
      if (v->hasStart() && !constant) {
        if (started != nullptr)
          report("alias-start", *v,
                 "and its alias " + inQuotes(started->name) + " both have a start");
        started = v;
      }
      if (constant != (first.variability == "constant"))
        report("alias-constant", *v,
               "and its alias " + inQuotes(first.name) + " are not both constant");
      if (unit != d_.attribute(*v, "unit").value())
        report("alias-unit", *v, "and its alias " + inQuotes(first.name) + " have different units");
    }
  }

  const Description& d_;
  FindingList& findings_;
  std::set<std::string_view> previous_;
};

}  // namespace

void checkLinks(const Description& description, FindingList& findings) {
  LinkCheck(description, findings).run();
}

}  // namespace trammel::fmi::check

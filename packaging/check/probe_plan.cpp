#include "packaging/check/probe_plan.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace trammel::fmi::check {
namespace {

using coupling::FmuCausality;
using coupling::ProbedVariable;
using coupling::ProbePlan;
using pugi::xml_node;

constexpr std::size_t mostVariables = 2000;    // that are read in a probe
constexpr std::size_t mostDerivatives = 20;    // pairs of an unknown and a known
constexpr std::size_t largestArray = 100'000;  // values

double numberOr(pugi::xml_attribute attribute, double otherwise) {
  const auto value = numberOf(attribute.value());
  return value && std::isfinite(*value) ? static_cast<double>(*value) : otherwise;
}

FmuCausality causalityOf(std::string_view word) {
  if (word == "parameter") return FmuCausality::parameter;
  if (word == "calculatedParameter") return FmuCausality::calculatedParameter;
  if (word == "structuralParameter") return FmuCausality::structuralParameter;
  if (word == "input") return FmuCausality::input;
  if (word == "output") return FmuCausality::output;
  if (word == "independent") return FmuCausality::independent;
  return FmuCausality::local;
}

/// Start values of parameters, inputs and constants, which nothing changes before the first step.
std::vector<double> startOf(const Description& d, const DescribedVariable& v) {
  const bool kept = v.causality == "parameter" || v.causality == "structuralParameter" ||
                    v.causality == "input" || v.variability == "constant";
  if (!kept || !v.hasStart() || v.type == "String" || v.type == "Binary") return {};
  std::vector<double> values;
  for (const std::string_view text : wordsOf(v.typed.attribute("start").value())) {
    double number = text == "true" ? 1 : 0;
    if (text != "true" && text != "false") {
      // Rounded once: by way of a longer number it would be rounded twice.
      const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
      const char* const last = digits.data() + digits.size();
      const auto [end, error] = std::from_chars(digits.data(), last, number);
      if (error != std::errc() || end != last) return {};
    }
    values.push_back(v.type == "Float32" ? static_cast<double>(static_cast<float>(number))
                                         : number);
  }
  if (values.size() != 1 && values.size() != d.sizeOf(v)) return {};
  return values;
}

ProbedVariable probed(const Description& d, const DescribedVariable& v) {
  ProbedVariable variable;
  variable.name = v.name;
  variable.type = v.type;
  variable.reference = *v.reference;
  variable.causality = causalityOf(v.causality);
  variable.size = d.sizeOf(v);
  variable.start = startOf(d, v);
  if (v.isNumber()) {
    variable.min = numberOr(d.attribute(v, "min"), variable.min);
    variable.max = numberOr(d.attribute(v, "max"), variable.max);
  }
  variable.intermediateUpdate = isTrue(v.node.attribute("intermediateUpdate"));
  return variable;
}

/// Pairs of outputs and the inputs that they depend on.
void addDerivatives(const Description& d, ProbePlan& plan) {
  const auto usable = [&](const DescribedVariable* v) {
    return v != nullptr && v->reference && (v->type == "Real" || v->type == "Float64") &&
           v->variability == "continuous" && d.sizeOf(*v) == 1;
  };
  for (const Unknown& unknown : d.unknowns()) {
    if (unknown.list != "Output" || !usable(unknown.variable)) continue;
    for (const DescribedVariable& known : d.variables()) {
      if (plan.derivatives.size() >= mostDerivatives) return;
      if (known.causality != "input" || !usable(&known)) continue;
      const auto dependencies = unknown.node.attribute("dependencies");
      bool depends = !dependencies;
      for (const std::string_view link : wordsOf(dependencies.value()))
        depends = depends || d.byLink(link) == &known;
      if (depends) plan.derivatives.emplace_back(*unknown.variable->reference, *known.reference);
    }
  }
}

void addExperiment(const Description& d, ProbePlan& plan) {
  const xml_node experiment = d.root().child("DefaultExperiment");
  plan.startTime = numberOr(experiment.attribute("startTime"), 0);
  const double stop = numberOr(experiment.attribute("stopTime"), plan.startTime + 1);
  const double step = numberOr(experiment.attribute("stepSize"), (stop - plan.startTime) / 100);
  plan.stepSize = step > 0 ? step : 0.01;
  const double tolerance = numberOr(experiment.attribute("tolerance"), 0);
  if (tolerance > 0) plan.tolerance = tolerance;
}

}  // namespace

ProbePlan probePlan(const Description& d, xml_node interface) {
  const auto flag = [&](const char* fmi2, const char* fmi3) {
    return isTrue(interface.attribute(d.fmi3() ? fmi3 : fmi2));
  };
  const std::string_view name = interface.name();
  ProbePlan plan;
  plan.version = d.fmi3() ? coupling::FmuVersion::fmi3 : coupling::FmuVersion::fmi2;
  plan.interface = name == "ModelExchange"  ? coupling::ProbedInterface::modelExchange
                   : name == "CoSimulation" ? coupling::ProbedInterface::coSimulation
                                            : coupling::ProbedInterface::scheduledExecution;
  plan.fmiVersion = d.version();
  plan.token = d.token();
  plan.saveState = flag("canGetAndSetFMUstate", "canGetAndSetFMUState");
  plan.serializeState = flag("canSerializeFMUstate", "canSerializeFMUState");
  plan.onlyOneInstance =
      flag("canBeInstantiatedOnlyOncePerProcess", "canBeInstantiatedOnlyOncePerProcess");
  plan.variableStep =
      flag("canHandleVariableCommunicationStepSize", "canHandleVariableCommunicationStepSize");
  plan.directionalDerivatives =
      flag("providesDirectionalDerivative", "providesDirectionalDerivatives");
  plan.adjointDerivatives = d.fmi3() && flag("", "providesAdjointDerivatives");
  plan.eventMode = d.fmi3() && flag("", "hasEventMode");
  plan.intermediateUpdate = d.fmi3() && flag("", "providesIntermediateUpdate");
  plan.interpolatesInputs = !d.fmi3() && flag("canInterpolateInputs", "");
  plan.outputDerivativeOrder =
      unsignedOf(interface.attribute("maxOutputDerivativeOrder").value()).value_or(0);
  plan.eventIndicators =
      unsignedOf(d.root().attribute("numberOfEventIndicators").value()).value_or(0);
  for (const Unknown& unknown : d.unknowns()) {
    if (unknown.variable == nullptr) continue;
    if (unknown.list == "EventIndicator") plan.eventIndicators += d.sizeOf(*unknown.variable);
    if (unknown.list == "ContinuousStateDerivative") plan.states += d.sizeOf(*unknown.variable);
  }
  plan.eventIndicators = std::min(plan.eventIndicators, largestArray);
  addExperiment(d, plan);
  for (const DescribedVariable& v : d.variables()) {
    const std::size_t size = d.sizeOf(v);
    if (v.reference && size > 0 && size <= largestArray && plan.variables.size() < mostVariables)
      plan.variables.push_back(probed(d, v));
  }
  if (plan.directionalDerivatives || plan.adjointDerivatives) addDerivatives(d, plan);
  for (const xml_node category : d.root().child("LogCategories").children("Category"))
    plan.logCategories.emplace_back(category.attribute("name").value());
  return plan;
}

}  // namespace trammel::fmi::check

#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "fmu_src/container_description.hpp"

// Words and names that the text of a container is written and read with.
namespace trammel::fmi {

template <class Value, std::size_t N>
using ContainerWords = std::array<std::pair<std::string_view, Value>, N>;

inline constexpr ContainerWords<Type, 5> typeWords{{{"float64", Type::float64},
                                                    {"float32", Type::float32},
                                                    {"int32", Type::int32},
                                                    {"boolean", Type::boolean},
                                                    {"string", Type::string}}};

inline constexpr ContainerWords<Causality, 4> causalityWords{{{"parameter", Causality::parameter},
                                                              {"input", Causality::input},
                                                              {"output", Causality::output},
                                                              {"local", Causality::local}}};

inline constexpr ContainerWords<Variability, 4> variabilityWords{
    {{"fixed", Variability::fixed},
     {"tunable", Variability::tunable},
     {"discrete", Variability::discrete},
     {"continuous", Variability::continuous}}};

inline constexpr ContainerWords<coupling::FmuType, 7> memberTypeWords{
    {{"real", coupling::FmuType::real},
     {"float32", coupling::FmuType::float32},
     {"integer", coupling::FmuType::integer},
     {"boolean", coupling::FmuType::boolean},
     {"string", coupling::FmuType::string},
     {"binary", coupling::FmuType::binary},
     {"clock", coupling::FmuType::clock}}};

inline constexpr ContainerWords<coupling::FmuCausality, 7> memberCausalityWords{
    {{"parameter", coupling::FmuCausality::parameter},
     {"calculatedParameter", coupling::FmuCausality::calculatedParameter},
     {"structuralParameter", coupling::FmuCausality::structuralParameter},
     {"input", coupling::FmuCausality::input},
     {"output", coupling::FmuCausality::output},
     {"local", coupling::FmuCausality::local},
     {"independent", coupling::FmuCausality::independent}}};

inline constexpr ContainerWords<bool coupling::FmuCapabilities::*, 8> capabilityWords{
    {{"variable_step", &coupling::FmuCapabilities::variableStep},
     {"save_state", &coupling::FmuCapabilities::saveState},
     {"serialize_state", &coupling::FmuCapabilities::serializeState},
     {"needs_tool", &coupling::FmuCapabilities::needsTool},
     {"directional_derivatives", &coupling::FmuCapabilities::directionalDerivatives},
     {"interpolates_inputs", &coupling::FmuCapabilities::interpolatesInputs},
     {"intermediate_update", &coupling::FmuCapabilities::intermediateUpdate},
     {"event_mode", &coupling::FmuCapabilities::eventMode}}};

using PortNameList = std::vector<std::string> coupling::FmuPortNames::*;
inline constexpr ContainerWords<PortNameList, 12> portWords{
    {{"force", &coupling::FmuPortNames::force},
     {"position", &coupling::FmuPortNames::position},
     {"velocity", &coupling::FmuPortNames::velocity},
     {"acceleration", &coupling::FmuPortNames::acceleration},
     {"torque", &coupling::FmuPortNames::torque},
     {"orientation", &coupling::FmuPortNames::orientation},
     {"angular_velocity", &coupling::FmuPortNames::angularVelocity},
     {"angular_acceleration", &coupling::FmuPortNames::angularAcceleration},
     {"force_rate", &coupling::FmuPortNames::forceRate},
     {"force_second_rate", &coupling::FmuPortNames::forceSecondRate},
     {"torque_rate", &coupling::FmuPortNames::torqueRate},
     {"torque_second_rate", &coupling::FmuPortNames::torqueSecondRate}}};

/// Visits every option of the master with its name; choices are numbers in the order of their
/// enumeration. `visit(name, number)`, `visit.choice(name, choice, last)`, `visit.flag(name,
/// flag)`.
template <class Options, class Visitor>
void visitOptions(Options& o, Visitor&& visit) {
  using coupling::Acceleration, coupling::ConnectionMode, coupling::Preconditioner;
  visit.choice("connections", o.connections, ConnectionMode::iterated);
  visit.choice("preconditioner", o.preconditioner, Preconditioner::scalar);
  visit("split_weight", o.splitWeight);
  visit.choice("acceleration", o.iteration.acceleration, Acceleration::iqnIls);
  visit("relaxation", o.iteration.relaxation);
  visit("max_evaluations", o.iteration.maxEvaluations);
  visit("reuse", o.iteration.reuse);
  visit("divergence", o.iteration.divergence);
  visit("tolerance", o.relativeTolerance);
  visit("nominal_multiplier", o.nominalMultiplier);
  visit("gain", o.gain);
  visit("gap_tolerance", o.gapTolerance);
  visit("mass_estimate", o.massEstimate);
  visit("mobility_factor", o.mobilityFactor);
  visit("max_halvings", o.maxHalvings);
  visit.flag("estimate_noise", o.estimateNoise);
  visit("error_tolerance", o.stepControl.tolerance);
  visit("connection_error_tolerance", o.stepControl.connectionTolerance);
  visit("min_step", o.stepControl.minStep);
  visit("max_step", o.stepControl.maxStep);
}

}  // namespace trammel::fmi

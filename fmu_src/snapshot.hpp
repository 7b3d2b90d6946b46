#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fmu_src/input_signals.hpp"
#include "fmu_src/status.hpp"
#include "solver/options.hpp"

namespace trammel::fmi {

/// What an importer says about the run to come.
struct Experiment {
  double tolerance = 1e-6;         // relative
  double startTime = 0;            // [s]
  std::optional<double> stopTime;  // [s]

  bool operator==(const Experiment&) const = default;
};

/// What the importer may say about the solver.
struct SolverSettings {
  trammel::Method method = trammel::Method::cml;
  trammel::Mode mode = trammel::Mode::follow;
  int maxOrder = 5;
  double maxStep = 0;               // [s], 0: no limit
  std::optional<double> tolerance;  // relative; none: that of the experiment
  bool repeatable = false;          // SolverOptions::repeatable
  ErrorTest errorTest = ErrorTest::automatic;

  bool operator==(const SolverSettings&) const = default;
};

/// Values from outside, in the orders of Quantity::parameter and Quantity::input.
struct OutsideValues {
  std::vector<double> parameters;
  InputSignals inputs;

  bool operator==(const OutsideValues&) const;
};

/// The complete mutable part of an Instance: a copy saves, Instance::restore puts it back.
struct Snapshot {
  // What every step looks at comes first, so that it is near together.
  Mode mode = Mode::instantiated;
  bool eventPending = false;  // an event at `time` is not handled yet
  bool started = false;       // the integrator stands on consistent values for `applied`, q0 and v0
  double time = 0;            // [s], communication time
  double lastStepSize = 0;    // [s], of the last communication step
  Experiment experiment;
  SolverSettings settings;
  std::vector<std::uint64_t> structure;     // that the model was compiled with
  std::vector<std::uint64_t> structureSet;  // as last set; differs in configuration mode only
  OutsideValues set;                        // as last set
  OutsideValues applied;  // what the integrator has worked with; differs from `set` between a set
                          // and the next step
  std::vector<std::uint8_t> inputRenewed;  // 1: its derivatives were set since the last step
  std::vector<double> q0, v0;              // start values set by the importer
  std::vector<std::uint8_t> q0Set, v0Set;  // 1: set, 0: the model's own start value holds
  std::vector<double> memory;              // of the integrator; empty if not started

  bool operator==(const Snapshot&) const = default;
};

/// The lengths that a snapshot of a model has. That of the integrator's memory depends on the
/// settings in the snapshot.
struct SnapshotShape {
  std::size_t parameters = 0, inputs = 0, coordinates = 0;
};

/// Position-independent bytes: magic, version, token, lengths, numbers, checksum; docs/fmi.md has
/// the layout.
std::vector<std::byte> serializeSnapshot(const Snapshot& snapshot, const std::string& token);

/// The shape with these values of the structural parameters; throws Error where they are wrong.
using ShapeWithStructure = std::function<SnapshotShape(const std::vector<std::uint64_t>&)>;

/// Throws Error naming what is wrong.
Snapshot deserializeSnapshot(std::span<const std::byte> bytes, const std::string& token,
                             std::size_t structureCount, const ShapeWithStructure& shapeWith);

}  // namespace trammel::fmi

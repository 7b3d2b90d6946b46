#pragma once

#include <Eigen/Geometry>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/compiled_model.hpp"
#include "models/mechanism/kinematics.hpp"
#include "solver/types.hpp"

namespace trammel::fmi {

/// The model's default experiment with all inputs at their start values: what an FMU carries as
/// reference results, and what its pictures are made of. Columns are in the order of the model's
/// variables, one value or pose for each time.
struct ReferenceRun {
  struct Column {
    std::uint32_t valueReference = 0;
    std::vector<double> values;  // SI
  };
  struct BodyMotion {
    std::string name;
    std::vector<Vector3> centres;                  // [m], centre of mass
    std::vector<Eigen::Quaterniond> orientations;  // body axes to axes of the ground
  };

  DefaultExperiment experiment;
  double outputInterval = 0;                    // [s], a multiple of the communication step
  std::vector<double> times;                    // [s]
  std::vector<Column> inputs, outputs, locals;  // all that are real and continuous
  std::vector<Vector> positions;                // q at each time: frames follow from it
  std::vector<BodyMotion> bodies;               // of a mechanism: those its author gave it

  /// nullptr: not recorded.
  const Column* find(std::uint32_t valueReference) const;
};

/// Runs the model with its communication step; every k-th point is kept, so that there are at most
/// `referenceRowLimit`. `progress` is told the time that was reached. Throws SimulationError.
ReferenceRun referenceRun(const CompiledModel& model,
                          const std::function<void(double)>& progress = {});

constexpr std::size_t referenceRowLimit = 501;

}  // namespace trammel::fmi

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "Simbody.h"
#include "bench/peers/run_record.hpp"

namespace trammel::bench {

/// A multibody system of Simbody in joint coordinates with its start and its outputs.
struct SimbodyModel {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  std::function<void(SimTK::State&)> setStart = [](SimTK::State&) {};
  std::function<void(const SimTK::State&, std::vector<double>&)> outputs;
};

/// Throws std::runtime_error where Simbody has no elements for the problem.
std::unique_ptr<SimbodyModel> makeSimbodyModel(const RunRequest& request);

}  // namespace trammel::bench

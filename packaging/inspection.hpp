#pragma once

#include <string>
#include <vector>

#include "models/compiled_model.hpp"
#include "solver/constraint_rank.hpp"
#include "solver/integrator.hpp"

namespace trammel::fmi {

/// A joint of a mechanism or a constraint of equations, with what the others leave of it.
struct InspectedJoint {
  std::string name, type;
  std::string bodyA, bodyB;  // empty: it joins other joints, or the model has no bodies
  Index equations = 0;
  Index redundant = 0;  // equations that those before it imply
};

struct InspectedBody {
  std::string name, type;
  double mass = 0;                // [kg]
  std::vector<double> placement;  // of its centre of mass at the start [m]
};

/// A solution e^{st} of the linearised system.
struct NaturalMode {
  double frequency = 0;    // |s|/2π [Hz]; 0: free motion
  double damping = 0;      // −Re s/|s|
  double growth = 0;       // Re s [1/s]
  std::string coordinate;  // that moves most
};

/// What can be said of a model without running it.
struct Inspection {
  Index coordinates = 0, equations = 0;
  Index grueblerCount = 0;     // coordinates − equations, as if all equations were independent
  Index degreesOfFreedom = 0;  // from the rank of the constraints
  std::vector<InspectedBody> bodies;
  std::vector<InspectedJoint> joints;

  Report start;             // whether a consistent initial state was found
  Motion motion;            // the initial state, if it was
  double correction = 0;    // largest change of a start position, relative to its nominal size
  double acceleration = 0;  // largest acceleration at the start, 0: an equilibrium

  std::vector<NaturalMode> modes;
  std::string noModes;  // why there are none
};

/// With default parameters and inputs. A model that cannot be assembled is reported in `start`.
Inspection inspect(const CompiledModel& model);

}  // namespace trammel::fmi

#pragma once

#include <cstdint>
#include <string>

#include "models/compiled_model.hpp"
#include "tests/fmu/fmu_folder.hpp"

namespace trammel::fmi::test {

/// The pendulum of the catalogue: period 2 s, starts at (1, 0).
inline std::string pendulumText() { return readText(cataloguePath("pendulum")); }

/// A pendulum with a force on it, and parameters that can be tuned: d enters the forces only, L the
/// constraint.
inline const char* const drivenPendulumText = R"toml(
trammel = 1
kind = "equations"
name = "Driven pendulum"

[parameters]
m = { value = 1.0, unit = "kg", min = 0.1 }
L = { value = 1.0, unit = "m", min = 0.5, max = 2.0, variability = "tunable" }
d = { value = 0.0, unit = "N.s/m", min = 0.0, max = 10.0, variability = "tunable" }

[inputs]
F = { unit = "N", start = 0.5 }

[coordinates.x]
unit = "m"
start = "L"
mass = "m"
force = "F - d*der(x)"

[coordinates.y]
unit = "m"
mass = "m"
force = "-9.81*m - d*der(y)"

[constraints.rod]
expression = "(x^2 + y^2 - L^2)/2"

[outputs.power]
expression = "F*der(x)"
unit = "W"

[outputs.pull]
expression = "rod.lambda"
)toml";

/// A chain of n links with a force on its last point; it hangs from the origin and begins stretched
/// along x.
inline const char* const chainText = R"toml(
trammel = 1
kind = "equations"
name = "Chain"

[structure]
n = { value = 3, min = 1, max = 50, description = "Number of links" }

[parameters]
L = { value = 0.5, unit = "m", min = 0.01, description = "Length of a link" }
m = { value = 1.0, unit = "kg", min = 0.01 }
g = { value = 9.81, unit = "m/s2", variability = "tunable" }

[inputs]
F = { unit = "N" }

[coordinates.x]
count = "n"
unit = "m"
before = 0.0
start = "i*L"
mass = "m"
force = "max(0, i - n + 1)*F"

[coordinates.y]
count = "n"
unit = "m"
before = 0.0
mass = "m"
force = "-m*g"

[constraints.link]
count = "n"
expression = "((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - L^2)/2"
unit = "m2"

[outputs.tension]
count = "n"
expression = "link.lambda[i]*L"
unit = "N"

[outputs.energy]
expression = "sum(n, m*(der(x[i])^2 + der(y[i])^2)/2 + m*g*y[i])"
unit = "J"

[outputs.tip]
expression = "x[n]"
unit = "m"
)toml";

/// Falls freely until the force ceases to be a number at t = 1 s: no step can pass that time.
inline const char* const dyingText = R"toml(
trammel = 1
kind = "equations"
name = "Dying force"

[parameters]
s = { value = 1.0, variability = "tunable" }

[coordinates.y]
unit = "m"
mass = 1.0
force = "-s*sqrt(1.0 - time)"
)toml";

/// No real position satisfies the constraint.
inline const char* const impossibleText = R"toml(
trammel = 1
kind = "equations"
name = "Impossible"

[coordinates.x]
unit = "m"
mass = 1.0

[constraints.too_far]
expression = "x^2 + 1.0"
)toml";

/// A mechanism: a rod that falls from the horizontal about a pin onto a stop at −1 rad, with a port
/// at its end and one at the pin.
inline const char* const stoppedRodText = R"toml(
trammel = 1
kind = "mechanism"
name = "Rod with a stop"
gravity = [0.0, -9.81, 0.0]

[bodies.rod]
mass = 2.0
inertia = [0.01, 0.2, 0.19]
centre = [0.5, 0.0, 0.0]

[frames.end]
body = "rod"
position = [1.0, 0.0, 0.0]

[joints.pin]
type = "revolute"
b = "rod"

[forces.floor]
type = "stop"
joint = "pin"
lower = -1.0
stiffness = 2000.0
damping = 0.5

[ports.tip]
type = "point"
frame = "end"

[ports.drive]
type = "flange"
joint = "pin"

[outputs.angle]
expression = "pin.phi"

[experiment]
stop_time = 1.0
)toml";

inline CompiledModel compiled(const std::string& text) {
  return compile(parseModel(text, "test.toml"));
}

inline std::uint32_t reference(const CompiledModel& model, const std::string& name) {
  const Variable* variable = model.variables().find(name);
  if (variable == nullptr) throw Error("no variable " + name);
  return variable->valueReference;
}

}  // namespace trammel::fmi::test

#pragma once

#include <string>

#include "models/compiled_model.hpp"
#include "models/model_file.hpp"

namespace trammel::testing {

inline std::string cataloguePath(const std::string& name) {
  return std::string(TRAMMEL_SOURCE_DIR) + "/models/catalogue/" + name + ".toml";
}

inline CompiledModel pendulum() { return compile(readModelFile(cataloguePath("pendulum"))); }

/// A driven slider with all that the description can hold: an input, tunable and fixed parameters
/// with bounds and a display unit, and texts that XML has to escape.
inline const char* const drivenSlider = R"toml(trammel = 1
kind = "equations"
name = "Driven <slider> & \"co\""
description = "Slider on a line, 100 % \"driven\" & <free>"

[parameters]
m = { value = 2.0, unit = "kg", min = 0.0, description = "Mass" }
k = { value = 8.0, unit = "N/m", max = 100.0, variability = "tunable", description = "Stiffness" }
offset = { value = 250.0, unit = "mm", description = "Rest position" }

[inputs]
F = { start = 0.5, unit = "N", nominal = 10.0, description = "Driving force" }

[coordinates.x]
unit = "m"
start = "offset"
mass = "m"
force = "F - k*(x - offset)"

[coordinates.y]
unit = "m"
mass = "m"

[constraints.guide]
expression = "y"
unit = "m"

[outputs.spring_force]
expression = "k*(x - offset)"
unit = "N"

[outputs.acceleration]
expression = "(F - k*(x - offset))/m"
unit = "m/s2"

[experiment]
start_time = 0.5
stop_time = 2.5
step_size = 0.125
tolerance = 1e-5
)toml";

inline CompiledModel slider() { return compile(parseModel(drivenSlider, "driven_slider.toml")); }

}  // namespace trammel::testing

#pragma once

#include <string>

namespace trammel {

/// Two rigid bodies with the frames p and q that have no symmetry, `settings` of the mechanism
/// before them and `elements` after them.
inline std::string twoBodies(const std::string& settings, const std::string& elements) {
  const std::string bodies = R"(
[bodies.one]
mass = 1.3
inertia = [0.4, 0.5, 0.6, 0.03, -0.02, 0.05]
centre = [0.1, -0.05, 0.2]

[bodies.two]
mass = 0.7
inertia = [0.2, 0.3, 0.25]

[frames.p]
body = "one"
position = [0.2, -0.3, 0.15]
cardan = [0.3, -0.4, 0.5]

[frames.q]
body = "two"
position = [-0.1, 0.25, 0.3]
rotation = { axis = [1.0, 2.0, -0.5], angle = 0.6 }
)";
  return "trammel = 1\nkind = \"mechanism\"\nname = \"TwoBodies\"\n" + settings + bodies + elements;
}

/// The same in a plane.
inline std::string twoPlanarBodies(const std::string& settings, const std::string& elements) {
  const std::string bodies = R"(
[bodies.one]
mass = 1.3
inertia = 0.5
centre = [0.1, -0.05]

[bodies.two]
mass = 0.7
inertia = 0.3

[frames.p]
body = "one"
position = [0.2, -0.3]
angle = 0.4

[frames.q]
body = "two"
position = [-0.1, 0.25]
angle = -0.7
)";
  return "trammel = 1\nkind = \"mechanism\"\nname = \"TwoBodies\"\nplanar = true\n" + settings +
         bodies + elements;
}

}  // namespace trammel

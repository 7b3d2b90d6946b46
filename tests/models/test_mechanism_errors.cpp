#include <catch2/catch.hpp>
#include <string>

#include "model_support.hpp"

namespace trammel {
namespace {

struct WrongModel {
  const char* text;     // behind the head, which has three lines
  int line;             // where the error is
  const char* message;  // part of it
};

constexpr const char* head = "trammel = 1\nkind = \"mechanism\"\nname = \"Wrong\"\n";

/// Follows the text unless that has a body "arm" of its own.
constexpr const char* rest = R"(
[bodies.arm]
mass = 1
inertia = [0.1, 0.1, 0.1]
[bodies.wheel]
mass = 1
inertia = [0.1, 0.1, 0.1]
[bodies.bob]
type = "point"
mass = 1
[frames.tip]
body = "arm"
position = [1, 0, 0]
[joints.hinge]
type = "revolute"
b = "arm"
[joints.ball]
type = "spherical"
a = "tip"
b = "wheel"
[joints.sleeve]
type = "cylindrical"
b = "wheel"
)";

const WrongModel wrongModels[] = {
    {"planar = \"yes\"\n", 4, "planar must be true or false, is a text"},
    {"length = -1\n", 4, "length must be > 0, is -1"},
    {"length = \"1 m\"\n", 4, "length must be a number, is a text"},
    {"gravity = 9.81\n", 4,
     "model \"Wrong\": gravity must be an array of 3 numbers or expressions, is a number"},
    {"gravity = [0, -9.81]\n", 4,
     "model \"Wrong\": gravity must be an array of 3 numbers or expressions, is an array of 2"},
    {"gravity = [0, \"9.81 m/s\", 0]\n", 4,
     "model \"Wrong\": gravity must have the dimension of \"m/s2\", is in \"m/s\""},
    {"gravity = [0, \"g\", 0]\n", 4,
     "gravity of model \"Wrong\": unknown name \"g\" at column 1 of \"g\""},
    {"bodies = 3\n", 4, "[bodies] must be a table, is a number"},
    {"coordinates = 1\n", 4,
     "unknown key \"coordinates\", expected one of trammel, kind, name, description, parameters,"},
    {"[bodies.arm]\n", 4, "body \"arm\": mass is missing, expected a number or an expression"},
    {"[bodies.arm]\nmass = 1\n", 4,
     "body \"arm\": inertia is missing, expected an array of 3 numbers or expressions"},
    {"[bodies.arm]\nmass = \"1 m\"\ninertia = [1, 1, 1]\n", 5,
     "body \"arm\": mass must have the dimension of \"kg\", is in \"m\""},
    {"[bodies.arm]\nmass = -1\ninertia = [1, 1, 1]\n", 4,
     "body \"arm\": mass must be > 0 kg, is -1"},
    {"[parameters]\nm = 0\n[bodies.arm]\nmass = \"m\"\ninertia = [1, 1, 1]\n", 6,
     "body \"arm\": mass must be > 0 kg, is 0"},
    {"[bodies.arm]\nmass = 1\ninertia = [1, 1]\n", 6,
     "body \"arm\": inertia must be an array of 3 numbers or expressions, is an array of 2"},
    {"[bodies.arm]\nmass = 1\ninertia = 0.1\n", 6,
     "body \"arm\": inertia must be an array of 3 numbers or expressions, is a number"},
    {"[bodies.arm]\nmass = 1\ninertia = [1, 1, 3]\n", 4,
     "body \"arm\": inertia is not that of a body: the largest principal value 3 kg.m2 exceeds the "
     "sum"},
    {"[bodies.arm]\nmass = 1\ninertia = [1, 1, -1]\n", 4,
     "body \"arm\": inertia must be positive definite, its smallest principal value is -1 kg.m2"},
    {"[bodies.arm]\nmass = 1\ninertia = [1, 1, 1, 2, 0, 0]\n", 4,
     "body \"arm\": inertia must be positive definite, its smallest principal value is "},
    {"[bodies.arm]\ntype = \"rgid\"\nmass = 1\ninertia = [1, 1, 1]\n", 5,
     "body \"arm\": type must be \"rigid\", \"planar\" or \"point\", is \"rgid\""},
    {"planar = true\n[bodies.arm]\ntype = \"rigid\"\nmass = 1\ninertia = 1\n", 6,
     "body \"arm\": type must be \"rigid\", \"planar\" or \"point\", is \"rigid\" in a planar "
     "model"},
    {"planar = true\n[bodies.arm]\nmass = 1\ninertia = 1\ncardan = [1, 0, 0]\n", 8,
     "body \"arm\": cardan is not for the plane, expected angle"},
    {"[bodies.arm]\nmass = 1\ninertia = [1, 1, 1]\nangle = 1\ncardan = [1, 0, 0]\n", 7,
     "body \"arm\": angle cannot stand beside cardan"},
    {"[bodies.arm]\nmass = 1\ninertia = [1, 1, 1]\nrotation = [0, 0, 1]\n", 7,
     "body \"arm\": rotation of \"arm\": must be a table, is an array"},
    {"[bodies.arm]\nmass = 1\ninertia = [1, 1, 1]\nrotation = { axis = [0, 0, 1] }\n", 7,
     "body \"arm\": rotation of \"arm\": angle is missing, expected a number or an expression"},
    {"[bodies.arm]\nmass = 1\ninertia = [1, 1, 1]\nrotation = { axis = [0, 0, 0], angle = 1 }\n", 4,
     "body \"arm\": orientation is no rotation, expected an axis or quaternion that is not zero"},
    {"[bodies.arm]\nmass = 1\ninertia = [1, 1, 1]\norientation = [0, 0, 0, 0]\n", 4,
     "body \"arm\": orientation is no rotation, expected an axis or quaternion that is not zero"},
    {"[bodies.arm]\nmass = 1\ninertia = [1, 1, 1]\nposition = [\"1/0\", 0, 0]\n", 7,
     "position of body \"arm\": is not a finite number at column 2 of \"1/0\""},
    {"[bodies.arm]\nmass = 1\ninertia = [1, 1, 1]\nposition = [\"time\", 0, 0]\n", 7,
     "position of body \"arm\": time cannot be used here at column 1 of \"time\", expected only "
     "numbers,"},
    {"[bodies.arm]\ntype = \"point\"\nmass = 1\ninertia = [1, 1, 1]\n", 7,
     "body \"arm\": a point has no moment of inertia"},
    {"[bodies.arm]\ntype = \"point\"\nmass = 1\ncentre = [1, 0, 0]\n", 7,
     "body \"arm\": a point has no centre of mass beside itself"},
    {"[bodies.ground]\nmass = 1\ninertia = [1, 1, 1]\n", 4,
     "body \"ground\": the name is reserved, expected another"},
    {"[bodies.arm]\nmass = 1\nintertia = [1, 1, 1]\n", 6,
     "body \"arm\": unknown key \"intertia\", did you mean \"inertia\"?"},
    {"[bodies]\narm = 1\n", 5, "body \"arm\": must be a table, is a number"},
    {"[bodies.\"2x\"]\nmass = 1\ninertia = [1, 1, 1]\n", 4,
     "body \"2x\": wrong name, expected letters, digits and _ in parts joined by dots"},
    {"[parameters]\narm = 1\n[bodies.arm]\nmass = 1\ninertia = [1, 1, 1]\n", 6,
     "body \"arm\": the name is taken by the parameter in line 5, expected another"},
    {"[frames.f]\nposition = [1, 0, 0]\n", 4, "frame \"f\": body is missing, expected a text"},
    {"[frames.f]\nbody = \"arms\"\n", 5, "frame \"f\": \"arms\" is no body, did you mean \"arm\"?"},
    {"[frames.f]\nbody = \"tip\"\n", 5, "frame \"f\": \"tip\" is no body"},
    {"[frames.f]\nbody = \"bob\"\nposition = [1, 0, 0]\n", 6,
     "frame \"f\": a point has no other places"},
    {"[frames.f]\nbody = \"arm\"\nposition = [1, 0]\n", 6,
     "frame \"f\": position must be an array of 3 numbers or expressions, is an array of 2"},
    {"[frames.f]\nbody = \"arm\"\nposition = [\"50 kg\", 0, 0]\n", 6,
     "frame \"f\": position must have the dimension of \"m\", is in \"kg\""},
    {"[frames.arm]\nbody = \"wheel\"\n", 4,
     "frame \"arm\": the name is taken by the body in line 7, expected another"},
    {"[frames.f]\nbody = \"arm\"\nrotation = { axis = [0, 0, 0], angle = 1 }\n", 4,
     "of its rotation not zero"},
    {"[frames.g]\nbody = \"f\"\n[frames.f]\nbody = \"arm\"\n", 5, "frame \"g\": \"f\" is no body"},
    {"[joints.j]\nb = \"arm\"\n", 4, "joint \"j\": type is missing, expected a text"},
    {"[joints.j]\ntype = \"revolut\"\nb = \"arm\"\n", 4,
     "joint \"j\": unknown type \"revolut\", expected one of fixed, revolute, prismatic, "
     "cylindrical,"},
    {"[joints.j]\ntype = 1\nb = \"arm\"\n", 5, "joint \"j\": type must be a text, is a number"},
    {"[joints.j]\ntype = \"revolute\"\n", 4,
     "joint \"j\": b is missing, expected a frame or a body"},
    {"[joints.j]\ntype = \"revolute\"\nb = \"armm\"\n", 6,
     "joint \"j\": b: \"armm\" is no frame and no body, did you mean \"arm\"?"},
    {"[joints.j]\ntype = \"revolute\"\na = \"tip\"\nb = \"arm\"\n", 4,
     "joint \"j\": a and b are on the same body, expected two"},
    {"[joints.j]\ntype = \"revolute\"\na = \"arm\"\nb = 3\n", 7,
     "joint \"j\": b must be the name of a frame or a table with body and position, is a number"},
    {"[joints.j]\ntype = \"revolute\"\nb = \"arm\"\naxis = [0, 1]\n", 7,
     "joint \"j\": axis must be an array of 3 numbers or expressions, is an array of 2"},
    {"[joints.j]\ntype = \"revolute\"\nb = \"arm\"\naxis = [0, 0, 0]\n", 4,
     "the axis given in it must not be zero"},
    {"[joints.j]\ntype = \"revolute\"\nb = \"arm\"\naxis_b = [0, 0, 1]\n", 7,
     "joint \"j\": axis is missing, expected the axis in a beside axis_b"},
    {"[joints.j]\ntype = \"revolute\"\nb = \"arm\"\nlength = 1\n", 7,
     "joint \"j\": unknown key \"length\", expected one of type, a, b, description, axis, axis_b"},
    {"[joints.j]\ntype = \"universal\"\nb = \"arm\"\naxis = [0, 0, 1]\n", 4,
     "joint \"j\": axis_b is missing, expected the axis of the cross in b"},
    {"[joints.j]\ntype = \"distance\"\nb = \"bob\"\n", 4,
     "joint \"j\": length is missing, expected a number or an expression"},
    {"[joints.j]\ntype = \"distance\"\nb = \"bob\"\nlength = -1\n", 4,
     "joint \"j\": length must be > 0 m, is -1"},
    {"[joints.j]\ntype = \"distance\"\nb = \"bob\"\nlength = 0\n", 4,
     "joint \"j\": length must be > 0 m, is 0"},
    {"[joints.j]\ntype = \"distance\"\nb = \"bob\"\nlength = \"1 kg\"\n", 7,
     "joint \"j\": length must have the dimension of \"m\", is in \"kg\""},
    {"[joints.j]\ntype = \"point_on_circle\"\nb = \"bob\"\n", 4,
     "joint \"j\": radius is missing, expected a number or an expression"},
    {"[joints.j]\ntype = \"point_on_circle\"\nb = \"bob\"\nradius = 0\n", 4,
     "joint \"j\": radius must be > 0 m, is 0"},
    {"[joints.j]\ntype = \"screw\"\nb = \"arm\"\n", 4,
     "joint \"j\": pitch is missing, expected a number or an expression"},
    {"[joints.j]\ntype = \"revolute\"\nb = \"bob\"\n", 4,
     "joint \"j\": \"bob\" is a point without axes, expected a body, or a joint for points"},
    {"[joints.j]\ntype = \"fixed\"\nb = \"bob\"\n", 4,
     "joint \"j\": \"bob\" is a point without axes, expected a body, or a joint for points"},
    {"[joints.j]\ntype = \"prismatic\"\nb = \"bob\"\n", 4,
     "joint \"j\": \"bob\" is a point without axes, expected a body, or a joint for points"},
    {"planar = true\n[bodies.arm]\nmass = 1\ninertia = 1\n[joints.j]\ntype = \"cylindrical\"\nb = "
     "\"arm\"\n",
     8,
     "joint \"j\": type \"cylindrical\" is not for the plane, expected revolute, prismatic, "
     "fixed,"},
    {"planar = true\n[bodies.arm]\nmass = 1\ninertia = 1\n[joints.j]\ntype = \"prismatic\"\nb = "
     "\"arm\"\n",
     8, "joint \"j\": axis is missing, expected [x, y] in the plane"},
    {"planar = true\n[bodies.arm]\ntype = \"point\"\nmass = 1\n[joints.j]\ntype = \"fixed\"\nb = "
     "\"arm\"\n",
     8, "joint \"j\": \"arm\" is a point without axes, expected a body, or a joint for points"},
    {"[joints]\nj = 1\n", 5, "joint \"j\": must be a table, is a number"},
    {"[joints.j]\ntype = \"revolute\"\nb = { position = [1, 0, 0] }\n", 6,
     "joint \"j\": frame \"b\": body is missing, expected a text"},
    {"[joints.j]\ntype = \"revolute\"\nb = { body = \"arm\", place = [1, 0, 0] }\n", 6,
     "joint \"j\": frame \"b\": unknown key \"place\", expected one of body, position, "
     "orientation,"},
    {"[joints.j]\ntype = \"rack_and_pinion\"\npinion = \"hinge\"\nrack = \"hinge\"\nradius = 1\n",
     7, "joint \"j\": rack must be a joint that slides"},
    {"[joints.j]\ntype = \"gear\"\njoint_1 = \"hinges\"\njoint_2 = \"hinge\"\nratio = 2\n", 6,
     "joint \"j\": joint_1: \"hinges\" is no joint, did you mean \"hinge\"?"},
    {"[joints.j]\ntype = \"gear\"\njoint_1 = \"hinge\"\njoint_2 = \"ball\"\nratio = 2\n", 7,
     "joint \"j\": joint_2: \"ball\" of type \"spherical\" has no coordinate, expected a joint "
     "that turns"},
    {"[joints.j]\ntype = \"motion\"\njoint = \"sleeve\"\nvalue = \"time\"\n", 6,
     "joint \"j\": joint: \"sleeve\" turns and slides, expected coordinate = \"phi\" or \"s\""},
    {"[joints.j]\ntype = \"motion\"\njoint = \"sleeve\"\ncoordinate = \"x\"\nvalue = \"time\"\n", 7,
     "joint \"j\": coordinate must be \"phi\" or \"s\" as the joint has it, is \"x\""},
    {"[joints.j]\ntype = \"motion\"\njoint = \"hinge\"\nvalue = \"hinge.phi\"\n", 7,
     "value of joint \"j\": coordinate \"hinge.phi\" cannot be used here at column 1 of "
     "\"hinge.phi\","},
    {"[joints.j]\ntype = \"motion\"\njoint = \"hinge\"\nvalue = \"1 m\"\n", 7,
     "joint \"j\": value must have the dimension of \"rad\", is in \"m\""},
    {"[joints.j]\ntype = \"motion\"\njoint = \"hinge\"\n", 4,
     "joint \"j\": value is missing, expected a number or an expression"},
    {"[joints.j]\ntype = \"motion\"\njoint = \"j\"\nvalue = 1\n", 6,
     "joint \"j\": joint: \"j\" is no joint"},
    {"[constraints.c]\nexpression = \"time\"\n", 5,
     "constraint \"c\": contains no coordinate of a frame or joint, expected at least one"},
    {"[constraints.c]\nexpression = \"tip.x - der(tip.y)\"\n", 5,
     "expression of constraint \"c\": velocity \"tip.y\" cannot be used here at column 9 of "
     "\"tip.x -"},
    {"[constraints.c]\nexpression = \"tip.w\"\n", 5,
     "expression of constraint \"c\": unknown name \"tip.w\" at column 1 of \"tip.w\""},
    {"[constraints.c]\n", 4,
     "constraint \"c\": expression is missing, expected a number or an expression"},
    {"[constraints.c]\nexpression = \"tip.x +\"\n", 5,
     "expression of constraint \"c\": ends too early at column 8 of \"tip.x +\", expected a "
     "number, a"},
    {"[forces.f]\nb = \"tip\"\n", 4, "force \"f\": type is missing, expected a text"},
    {"[forces.f]\ntype = \"sprng\"\n", 4,
     "force \"f\": unknown type \"sprng\", expected one of spring, torsion_spring, force, torque,"},
    {"[forces.f]\ntype = \"spring\"\nb = \"tip\"\n", 4,
     "force \"f\": one of stiffness, table, force is missing"},
    {"[forces.f]\ntype = \"spring\"\nb = \"tip\"\nstiffness = 1\nforce = \"1\"\n", 8,
     "force \"f\": force cannot stand beside stiffness"},
    {"[forces.f]\ntype = \"spring\"\na = \"arm\"\nb = \"tip\"\nstiffness = 1\n", 4,
     "force \"f\": a and b are on the same body, expected two"},
    {"[forces.f]\ntype = \"spring\"\nb = \"tip\"\nstiffness = \"1 N\"\n", 7,
     "force \"f\": stiffness must have the dimension of \"N/m\", is in \"N\""},
    {"[forces.f]\ntype = \"spring\"\nb = \"tip\"\ntable = [1, 2]\n", 7,
     "force \"f\": table must have at least two points in each of its arrays"},
    {"[forces.f]\ntype = \"spring\"\nb = \"tip\"\ntable = [[1, 1], [0, 2]]\n", 7,
     "force \"f\": table: x must increase, is 1 after 1"},
    {"[forces.f]\ntype = \"spring\"\nb = \"tip\"\ntable = [[1, 2, 3], [0, 2]]\n", 7,
     "force \"f\": table must be an array of 3 numbers or expressions, is an array of 2"},
    {"[forces.f]\ntype = \"spring\"\nb = \"tip\"\ntable = [[\"a\", 2], [0, 2]]\n", 7,
     "force \"f\": table must contain numbers only"},
    {"[forces.f]\ntype = \"torsion_spring\"\njoint = \"ball\"\nstiffness = 1\n", 6,
     "force \"f\": joint: \"ball\" of type \"spherical\" has no coordinate, expected a joint that "
     "turns or"},
    {"[forces.f]\ntype = \"torsion_spring\"\njoint = \"sleeve\"\ncoordinate = \"s\"\nstiffness = "
     "1\n",
     7,
     "force \"f\": unknown key \"coordinate\", expected one of type, description, joint, "
     "stiffness,"},
    {"[forces.f]\ntype = \"force\"\nframe = \"ground\"\ncomponents = [1, 0, 0]\n", 4,
     "force \"f\": acts on the ground, expected a frame on a body"},
    {"[forces.f]\ntype = \"force\"\nframe = \"tip\"\n", 4,
     "force \"f\": one of components, value is missing"},
    {"[forces.f]\ntype = \"force\"\nframe = \"tip\"\nvalue = 1\n", 4,
     "force \"f\": axis is missing, expected an array of 3 numbers or expressions"},
    {"[forces.f]\ntype = \"force\"\nframe = \"tip\"\ncomponents = [1, 0]\n", 7,
     "force \"f\": components must be an array of 3 numbers or expressions, is an array of 2"},
    {"[forces.f]\ntype = \"torque\"\nframe = \"tip\"\ncomponents = [\"1 N\", 0, 0]\n", 7,
     "force \"f\": components must have the dimension of \"N.m\", is in \"N\""},
    {"[forces.f]\ntype = \"torque\"\nframe = \"bob\"\ncomponents = [1, 0, 0]\n", 4,
     "force \"f\": \"bob\" is a point without axes, expected a body that turns"},
    {"[forces.f]\ntype = \"actuator\"\nb = \"tip\"\nforce = \"hinge.Fx\"\n", 7,
     "force of force \"f\": reaction \"hinge.Fx\" cannot be used here at column 1 of "
     "\"hinge.Fx\","},
    {"[forces.f]\ntype = \"actuator\"\nforce = 1\n", 4,
     "force \"f\": b is missing, expected a frame or a body"},
    {"[forces.f]\ntype = \"actuator\"\nb = \"arm\"\na = \"tip\"\nforce = 1\n", 4,
     "force \"f\": a and b are on the same body, expected two"},
    {"[forces.f]\ntype = \"bushing\"\nb = \"tip\"\n", 4,
     "force \"f\": stiffness is missing, expected 6 numbers or a matrix"},
    {"[forces.f]\ntype = \"bushing\"\nb = \"tip\"\nstiffness = [1, 2, 3]\n", 7,
     "force \"f\": stiffness must be an array of 6 numbers or expressions, is an array of 3"},
    {"[forces.f]\ntype = \"bushing\"\nb = \"tip\"\nstiffness = [[1, 2], [3, 4]]\n", 7,
     "force \"f\": stiffness must have 6 rows, has 2"},
    {"[forces.f]\ntype = \"beam\"\nb = \"tip\"\nlength = 1\nE = 1\narea = 1\n", 4,
     "force \"f\": G is missing, expected the shear modulus"},
    {"[forces.f]\ntype = \"bushing\"\na = \"tip\"\nb = \"bob\"\nstiffness = [1, 1, 1, 1, 1, 1]\n",
     4, "force \"f\": \"bob\" is a point without axes, expected a body that turns"},
    {"[forces.f]\ntype = \"stop\"\njoint = \"hinge\"\nstiffness = 1\n", 4,
     "force \"f\": lower or upper is missing, expected at least one"},
    {"[forces.f]\ntype = \"stop\"\njoint = \"hinge\"\nlower = \"1 m\"\nstiffness = 1\n", 7,
     "force \"f\": lower must have the dimension of \"rad\", is in \"m\""},
    {"[forces.f]\ntype = \"contact\"\nradius = 1\nstiffness = 1\n", 4,
     "force \"f\": one of sphere, circle_a is missing"},
    {"[forces.f]\ntype = \"contact\"\nsphere = \"bob\"\ncircle_a = \"tip\"\nradius = 1\nstiffness "
     "= 1\n",
     7, "force \"f\": circle_a cannot stand beside sphere"},
    {"[forces.f]\ntype = \"contact\"\nsphere = \"bob\"\nstiffness = 1\n", 4,
     "force \"f\": radius is missing, expected a number or an expression"},
    {"[forces.f]\ntype = \"friction\"\njoint = \"hinge\"\nlevel = 1\nmodel = \"dahl\"\n", 8,
     "force \"f\": model must be \"coulomb\" or \"lugre\", is \"dahl\""},
    {"[forces.f]\ntype = \"friction\"\njoint = \"hinge\"\nlevel = 1\nstatic = 2\n", 4,
     "force \"f\": stribeck_speed is missing, expected a number or an expression"},
    {"[forces.f]\ntype = \"friction\"\njoint = \"hinge\"\nlevel = 1\nmodel = \"lugre\"\n", 4,
     "force \"f\": bristle_stiffness is missing, expected a number or an expression"},
    {"[forces.hinge]\ntype = \"spring\"\nb = \"tip\"\nstiffness = 1\n", 4,
     "force \"hinge\": the name is taken by the joint in line 21, expected another"},
    {"[measures.m]\ntype = \"dist\"\nb = \"tip\"\n", 5,
     "measure \"m\": type must be \"distance\", \"projection\", \"angle\" or \"angular_velocity\", "
     "is \"dist\""},
    {"[measures.m]\ntype = \"projection\"\nb = \"tip\"\n", 4,
     "measure \"m\": axis is missing, expected an array of 3 numbers or expressions"},
    {"[measures.m]\ntype = \"distance\"\n", 4,
     "measure \"m\": b is missing, expected a frame or a body"},
    {"[outputs.o]\n", 4, "output \"o\": one of expression, frame, joint is missing"},
    {"[outputs.o]\nframe = \"tip\"\n", 4, "output \"o\": quantity is missing, expected a text"},
    {"[outputs.o]\nframe = \"tip\"\nquantity = \"speed\"\n", 6,
     "output \"o\": quantity of a frame must be position, velocity, acceleration, orientation, "
     "angle,"},
    {"[outputs.o]\njoint = \"hinge\"\nquantity = \"angle\"\n", 6,
     "output \"o\": quantity of a joint must be force or torque, is \"angle\""},
    {"[outputs.o]\nexpression = \"nothing\"\n", 5,
     "expression of output \"o\": unknown name \"nothing\" at column 1 of \"nothing\""},
    {"[outputs.o]\nexpression = \"hinge.s\"\n", 5,
     "expression of output \"o\": unknown name \"hinge.s\" at column 1 of \"hinge.s\""},
    {"[outputs.o]\nexpression = \"tip.x\"\nunit = \"mmm\"\n", 6,
     "output \"o\": unknown unit \"mmm\", expected a unit such as \"m\", \"N.m\", \"kg.m2/s2\" or "
     "\"1\""},
    {"[outputs.o]\nframe = \"tip\"\nquantity = \"position\"\nunit = \"kg\"\n", 7,
     "output \"o\": unit must have the dimension of \"m\", is \"kg\""},
    {"[outputs.o]\nexpression = \"tip.x\"\nframe = \"tip\"\n", 6,
     "output \"o\": frame cannot stand beside expression"},
    {"[ports.p]\ntype = \"pin\"\nframe = \"tip\"\n", 5,
     "port \"p\": type must be \"flange\", \"point\" or \"frame\", is \"pin\""},
    {"[ports.p]\ntype = \"point\"\n", 4,
     "port \"p\": frame is missing, expected a frame or a body"},
    {"[ports.p]\ntype = \"point\"\nframe = \"ground\"\n", 4,
     "port \"p\": is on the ground, expected a body"},
    {"[ports.p]\ntype = \"flange\"\njoint = \"ball\"\n", 6,
     "port \"p\": joint: \"ball\" of type \"spherical\" has no coordinate, expected a joint that "
     "turns or"},
    {"[ports.p]\ntype = \"frame\"\nframe = \"bob\"\n", 4,
     "port \"p\": \"bob\" is a point without axes, expected type = \"point\""},
    {"[outputs.o]\nframe = \"tip\"\nrelative_to = \"nowhere\"\nquantity = \"position\"\n", 6,
     "output \"o\": relative_to: \"nowhere\" is no frame and no body"},
    {"[forces.f]\ntype = \"spring\"\nb = \"tip\"\nstiffness = \"time*\"\n", 7,
     "stiffness of force \"f\": ends too early at column 6 of \"time*\", expected a number, a name "
     "or \"(\""},
    {"[outputs.o]\nframe = \"tip\"\nquantity = \"orientation\"\nrelative_to = \"wheel\"\n", 7,
     "output \"o\": orientation in space is that from the ground"},
};

std::string complete(const std::string& text) {
  const bool alone = text.find("[bodies.arm]") != std::string::npos ||
                     text.rfind("bodies = ", 0) == 0 || text.rfind("[bodies]", 0) == 0;
  return head + text + (alone ? "" : rest);
}

}  // namespace

TEST_CASE("A wrong mechanism yields one line with file, line and what was expected") {
  REQUIRE(compileError(complete("")).empty());
  for (const WrongModel& wrong : wrongModels) {
    const std::string error = compileError(complete(wrong.text));
    INFO(wrong.text << "=> " << error);
    CHECK(error.rfind("test.toml:" + std::to_string(wrong.line) + ": ", 0) == 0);
    CHECK(error.find(wrong.message) != std::string::npos);
    CHECK(error.find('\n') == std::string::npos);
  }
}

TEST_CASE("Quantities take units of their dimension and no others") {
  // Each element with units that fit; what does not fit is among the wrong models.
  CHECK(compileError(complete("[forces.f]\ntype = \"stop\"\njoint = \"hinge\"\nlower = \"-30 "
                              "deg\"\nstiffness = \"5 kN.m/rad\"\n"))
            .empty());
  CHECK(compileError(complete("[forces.f]\ntype = \"friction\"\njoint = \"sleeve\"\ncoordinate "
                              "= \"s\"\nlevel = \"5 N\"\nslip_speed = \"2 mm/s\"\nviscous = "
                              "\"1 N.s/m\"\n"))
            .empty());
  CHECK(compileError(complete("[joints.j]\ntype = \"motion\"\njoint = \"sleeve\"\ncoordinate = "
                              "\"phi\"\nvalue = \"30 deg\"\n"))
            .empty());
  CHECK(compileError(complete("[forces.f]\ntype = \"bushing\"\nb = \"tip\"\nstiffness = [\"1 "
                              "kN/m\", 1, 1, \"5 N.m/rad\", 1, \"2 N.m\"]\nrest = [\"1 mm\", 0, "
                              "0, \"1 deg\", 0, 0]\n"))
            .empty());
}

TEST_CASE("A joint that turns and slides gives each relation the coordinate it needs") {
  CHECK(
      compileError(complete("[joints.j]\ntype = \"gear\"\njoint_1 = \"hinge\"\njoint_2 = "
                            "\"sleeve\"\nratio = 2\n[joints.k]\ntype = \"rack_and_pinion\"\npinion "
                            "= \"sleeve\"\nrack = \"sleeve\"\nradius = 0.1\n[forces.f]\ntype = "
                            "\"torsion_spring\"\njoint = \"sleeve\"\nstiffness = 1\n"))
          .empty());
}

TEST_CASE("The multiplier of a constraint can be an output") {
  CHECK(compileError(complete("[constraints.c]\nexpression = \"tip.x - 1\"\n[outputs.o]\n"
                              "expression = \"c.lambda\"\n"))
            .empty());
}

}  // namespace trammel

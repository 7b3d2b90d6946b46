#include "bench/peers/simbody_models.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

namespace trammel::bench {

namespace {

using SimTK::Body;
using SimTK::Constraint;
using SimTK::Force;
using SimTK::GroundIndex;
using SimTK::Inertia;
using SimTK::MassProperties;
using SimTK::MobilizedBody;
using SimTK::MobilizedBodyIndex;
using SimTK::MobilizerQIndex;
using SimTK::MobilizerUIndex;
using SimTK::Pi;
using SimTK::Quaternion;
using SimTK::Rotation;
using SimTK::State;
using SimTK::Transform;
using SimTK::UnitVec3;
using SimTK::Vec3;
using SimTK::Vec4;
using SimTK::XAxis;
using SimTK::YAxis;
using SimTK::ZAxis;

// NOLINTBEGIN(bugprone-unused-raii): joints and forces belong to the system, what is made is a
// handle

/// Data of Andrews' squeezer, Test Set for IVP Solvers, CWI 1998.
struct Andrews {
  static constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050,
                          m6 = .00706, m7 = .05498;
  static constexpr double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                          I6 = 5.667e-7, I7 = 1.912e-5;
  static constexpr double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014,
                          yc = .072, c0 = 4530, l0 = .07785;
  static constexpr double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092,
                          ss = .035, sa = .01874, sb = .01043, sc = .018, sd = .02;
  static constexpr double ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449, zf = .02,
                          zt = .04, fa = .01421, mom = .033;
  static constexpr std::array<double, 7> start{-0.0617138900142764496, 0,
                                               0.455279819163070380,   0.222668390165885885,
                                               0.487364979543842550,   -0.222668390165885885,
                                               1.23054744454982119};
};

/// Body with its inertia about the centre of mass given.
Body::Rigid rigid(double mass, const Vec3& centre, const Vec3& inertia) {
  const Inertia central(inertia);
  return Body::Rigid(MassProperties(mass, centre, central.shiftFromMassCenter(centre, mass)));
}

/// Body of a plane mechanism; the moments about x and y play no part.
Body::Rigid planar(double mass, const Vec3& centre, double inertia) {
  return rigid(mass, centre, Vec3(inertia, inertia, inertia));
}

void addGravity(SimbodyModel& model, const Vec3& gravity) {
  Force::UniformGravity(model.forces, model.matter, gravity);
}

void outputCentre(const MobilizedBody& body, const State& state, std::vector<double>& out) {
  const Vec3 place = body.findStationLocationInGround(state, body.getBodyMassCenterStation(state));
  for (int k = 0; k < 3; ++k) out.push_back(place[k]);
}

std::unique_ptr<SimbodyModel> planarChain(const RunRequest& request, bool hard) {
  auto model = std::make_unique<SimbodyModel>();
  addGravity(*model, Vec3(0, -9.81, 0));
  const double length = hard ? 1.0 / request.size : 1.0, mass = length;
  const Body::Rigid rod = planar(mass, Vec3(length / 2, 0, 0), mass * length * length / 12);
  MobilizedBodyIndex last = GroundIndex;
  for (int i = 0; i < request.size; ++i) {
    const Vec3 place = i == 0 ? Vec3(0) : Vec3(length, 0, 0);
    last =
        MobilizedBody::Pin(model->matter.updMobilizedBody(last), Transform(place), rod, Transform())
            .getMobilizedBodyIndex();
  }
  model->outputs = [bodies = request.bodies](const State& state, std::vector<double>& out) {
    const SimTK::Vector& q = state.getQ();  // angles to the rod before
    double angle = 0;
    int next = 0;
    for (const int body : bodies) {
      while (next <= body) angle += q[next++];
      out.push_back(angle);
    }
  };
  return model;
}

/// Rods of 1 m and 1 kg with spherical joints, at the start a horizontal zigzag of ±30°.
std::unique_ptr<SimbodyModel> spatialChain(const RunRequest& request) {
  auto model = std::make_unique<SimbodyModel>();
  addGravity(*model, Vec3(0, 0, -9.81));
  const Body::Rigid rod = rigid(1, Vec3(0.5, 0, 0), Vec3(0.00125, 1.0 / 12, 1.0 / 12));
  MobilizedBodyIndex last = GroundIndex;
  for (int i = 0; i < request.size; ++i) {
    const Vec3 place = i == 0 ? Vec3(0) : Vec3(1, 0, 0);
    MobilizedBody::Ball body(model->matter.updMobilizedBody(last), Transform(place), rod,
                             Transform());
    last = body.getMobilizedBodyIndex();
  }
  SimbodyModel* parts = model.get();
  model->setStart = [parts](State& state) {
    const double turn = Pi / 6;
    for (MobilizedBodyIndex i(1); i < parts->matter.getNumBodies(); ++i) {
      const double angle = i == 1 ? turn : (i % 2 == 1 ? 2 * turn : -2 * turn);
      parts->matter.getMobilizedBody(i).setQToFitRotation(state, Rotation(angle, ZAxis));
    }
  };
  model->outputs = [parts, bodies = request.bodies](const State& state, std::vector<double>& out) {
    for (const int body : bodies)
      outputCentre(parts->matter.getMobilizedBody(MobilizedBodyIndex(body + 1)), state, out);
  };
  return model;
}

/// The point `place` of `a` lies on the point `follower` of `b`, in the plane z = 0.
void closeInPlane(MobilizedBody& a, const Vec3& place, MobilizedBody& b, const Vec3& follower) {
  Constraint::PointInPlane(a, UnitVec3(1, 0, 0), place[0], b, follower);
  Constraint::PointInPlane(a, UnitVec3(0, 1, 0), place[1], b, follower);
}

std::unique_ptr<SimbodyModel> fourBars(const RunRequest& request) {
  auto model = std::make_unique<SimbodyModel>();
  addGravity(*model, Vec3(0, -9.81, 0));
  const Body::Rigid rod = planar(1, Vec3(0.5, 0, 0), 1.0 / 12);
  std::vector<MobilizedBody::Pin> cranks, couplers;
  for (int i = 0; i <= request.size; ++i)
    cranks.emplace_back(model->matter.Ground(), Transform(Vec3(i, 0, 0)), rod, Transform());
  for (int i = 0; i < request.size; ++i) {
    const auto k = static_cast<std::size_t>(i);
    couplers.emplace_back(cranks[k], Transform(Vec3(1, 0, 0)), rod, Transform());
    closeInPlane(cranks[k + 1], Vec3(1, 0, 0), couplers[k], Vec3(1, 0, 0));
  }
  model->setStart = [cranks, couplers](State& state) {
    const double upright = Pi / 2;
    for (const auto& crank : cranks) {
      crank.setOneQ(state, 0, upright);
      crank.setOneU(state, 0, -1);
    }
    for (const auto& coupler : couplers) {
      coupler.setOneQ(state, 0, -upright);
      coupler.setOneU(state, 0, 1);
    }
  };
  model->outputs = [cranks, bodies = request.bodies](const State& state, std::vector<double>& out) {
    for (const int body : bodies)
      out.push_back(cranks[static_cast<std::size_t>(body)].getOneQ(state, 0));
  };
  return model;
}

/// The seven angles are those of the test set: each is that of a pin.
std::unique_ptr<SimbodyModel> andrews() {
  using A = Andrews;
  auto model = std::make_unique<SimbodyModel>();
  MobilizedBody& ground = model->matter.updGround();
  const auto pin = [](MobilizedBody& parent, const Vec3& place, const Body& body) {
    return MobilizedBody::Pin(parent, Transform(place), body, Transform());
  };
  const Vec3 a(A::xa, A::ya, 0), b(A::xb, A::yb, 0), c(A::xc, A::yc, 0);
  auto one = pin(ground, Vec3(0), planar(A::m1, Vec3(A::ra, 0, 0), A::I1));
  auto two = pin(one, Vec3(A::rr, 0, 0), planar(A::m2, Vec3(-A::da, 0, 0), A::I2));
  auto three = pin(ground, b, planar(A::m3, Vec3(A::sb, -A::sa, 0), A::I3));
  auto five = pin(ground, a, planar(A::m5, Vec3(A::ta, A::tb, 0), A::I5));
  auto four = pin(five, Vec3(A::zt, 0, 0), planar(A::m4, Vec3(0, A::ea - A::e, 0), A::I4));
  auto seven = pin(ground, a, planar(A::m7, Vec3(A::ua, A::ub, 0), A::I7));
  auto six = pin(seven, Vec3(0, -A::u, 0), planar(A::m6, Vec3(A::zf - A::fa, 0, 0), A::I6));
  const Vec3 meeting(-A::d, 0, 0);  // on body 2
  closeInPlane(two, meeting, three, Vec3(0, -A::ss, 0));
  closeInPlane(two, meeting, four, Vec3(0, -A::e, 0));
  closeInPlane(two, meeting, six, Vec3(A::zf, 0, 0));
  Force::MobilityConstantForce(model->forces, one, MobilizerUIndex(0), A::mom);
  Force::TwoPointLinearSpring(model->forces, ground, c, three, Vec3(A::sd, -A::sc, 0), A::c0,
                              A::l0);
  const std::vector<MobilizedBody::Pin> pins{one, two, three, four, five, six, seven};
  model->setStart = [pins](State& state) {
    for (std::size_t i = 0; i < pins.size(); ++i) pins[i].setOneQ(state, 0, Andrews::start[i]);
  };
  model->outputs = [pins](const State& state, std::vector<double>& out) {
    for (const auto& joint : pins) out.push_back(joint.getOneQ(state, 0));
  };
  return model;
}

/// Two point masses on massless rods.
std::unique_ptr<SimbodyModel> doublePendulum() {
  auto model = std::make_unique<SimbodyModel>();
  addGravity(*model, Vec3(0, -9.81, 0));
  const Vec3 end(1, 0, 0);
  const Body::Rigid bob(MassProperties(1, end, Inertia::pointMassAt(end, 1)));
  MobilizedBody::Pin inner(model->matter.Ground(), Transform(), bob, Transform());
  MobilizedBody::Pin outer(inner, Transform(end), bob, Transform());
  model->outputs = [inner, outer, end](const State& state, std::vector<double>& out) {
    for (const auto& body : {inner, outer}) {
      const Vec3 place = body.findStationLocationInGround(state, end);
      out.insert(out.end(), {place[0], place[1]});
    }
    for (const auto& body : {inner, outer}) {
      const Vec3 speed = body.findStationVelocityInGround(state, end);
      out.insert(out.end(), {speed[0], speed[1]});
    }
  };
  return model;
}

/// Mass on the unit circle with a spring of stiffness 1/eps² to (0, −0.5).
std::unique_ptr<SimbodyModel> stiffSpring(const RunRequest& request) {
  auto model = std::make_unique<SimbodyModel>();
  addGravity(*model, Vec3(0, -1, 0));
  const Vec3 end(1, 0, 0);
  const Body::Rigid bob(MassProperties(1, end, Inertia::pointMassAt(end, 1)));
  MobilizedBody::Pin rod(model->matter.Ground(), Transform(), bob, Transform());
  Force::TwoPointLinearSpring(model->forces, model->matter.Ground(), Vec3(0, -0.5, 0), rod, end,
                              1 / (request.stiffness * request.stiffness), 0.4);
  model->setStart = [rod](State& state) {
    constexpr double x = 0.04471;
    rod.setOneQ(state, 0, std::atan2(-std::sqrt(1 - x * x), x));
  };
  model->outputs = [rod](const State& state, std::vector<double>& out) {
    out.push_back(std::cos(rod.getOneQ(state, 0)));
  };
  return model;
}

/// Axes whose x and y are the z and y of the body: a universal joint turns about the x axis of its
/// first and the y axis of its second frame.
Rotation crossAxes() { return {UnitVec3(0, 0, 1), XAxis, Vec3(0, 1, 0), YAxis}; }

void fitCross(const MobilizedBody& cross, const Rotation& relative, State& state) {
  cross.setQToFitRotation(state, ~crossAxes() * relative * crossAxes());
}

/// spatial_slider_crank.toml as a tree from crank and slider, closed at the crank pin.
std::unique_ptr<SimbodyModel> spatialSliderCrank() {
  auto model = std::make_unique<SimbodyModel>();
  addGravity(*model, Vec3(0, 0, -9.81));
  const Rotation alongX(UnitVec3(1, 0, 0), ZAxis);
  MobilizedBody::Pin crank(model->matter.Ground(), Transform(alongX, Vec3(0, 0.1, 0.12)),
                           rigid(0.12, Vec3(0, 0.04, 0), Vec3(1e-4, 1e-5, 1e-4)),
                           Transform(alongX));
  MobilizedBody::Slider slider(model->matter.Ground(), Transform(),
                               rigid(2, Vec3(0), Vec3(1e-3, 1e-3, 1e-3)), Transform());
  MobilizedBody::Universal rod(slider, Transform(crossAxes()),
                               rigid(0.5, Vec3(0.15, 0, 0), Vec3(1e-4, 3.75e-3, 3.75e-3)),
                               Transform(crossAxes(), Vec3(0.3, 0, 0)));
  Constraint::Ball(crank, Vec3(0, 0.08, 0), rod, Vec3(0));
  Force::MobilityConstantForce(model->forces, crank, MobilizerUIndex(0), 0.4);
  Force::MobilityLinearDamper(model->forces, slider, MobilizerUIndex(0), 20);
  model->setStart = [slider, rod](State& state) {
    slider.setOneQ(state, 0, std::sqrt(0.09 - 0.18 * 0.18 - 0.12 * 0.12));
    fitCross(rod,
             Rotation(Quaternion(Vec4(0.917232850485248, 0.07137268037899455, 0.1914376425887393,
                                      -0.3419670561418024))),
             state);
  };
  model->outputs = [crank, rod, slider](const State& state, std::vector<double>& out) {
    for (const MobilizedBody& body : {MobilizedBody(crank), MobilizedBody(rod)})
      outputCentre(body, state, out);
    out.push_back(slider.getOneQ(state, 0));
  };
  return model;
}

/// stewart_platform.toml: the legs are trees, closed at the platform.
std::unique_ptr<SimbodyModel> stewartPlatform() {
  auto model = std::make_unique<SimbodyModel>();
  addGravity(*model, Vec3(0, 0, -9.81));
  const double degree = Pi / 180;
  constexpr double height = 1.2;
  constexpr std::array<double, 6> baseAngle{-15, 15, 105, 135, 225, 255};
  constexpr std::array<double, 6> topAngle{-45, 45, 75, 165, 195, 285};
  const auto onCircle = [degree](double radius, double angle, double z) {
    return Vec3(radius * std::cos(angle * degree), radius * std::sin(angle * degree), z);
  };
  MobilizedBody::Free platform(model->matter.Ground(), Transform(),
                               rigid(80, Vec3(0.1, 0.05, 0.08), Vec3(7.2, 7.2, 14.4)), Transform());
  const Rotation alongZ(UnitVec3(0, 0, 1), XAxis);
  std::vector<MobilizedBody::Universal> cylinders;
  std::vector<MobilizedBody::Slider> rods;
  std::vector<Rotation> pose;
  double length = 0;
  for (std::size_t i = 0; i < baseAngle.size(); ++i) {
    const Vec3 base = onCircle(1, baseAngle[i], 0), top = onCircle(0.6, topAngle[i], 0);
    const Vec3 leg = top + Vec3(0, 0, height) - base;
    length = leg.norm();
    pose.emplace_back(UnitVec3(leg), ZAxis, cross(Vec3(0, 0, 1), leg), YAxis);
    cylinders.emplace_back(model->matter.Ground(), Transform(crossAxes(), base),
                           rigid(6, Vec3(0, 0, 0.3), Vec3(0.2, 0.2, 0.01)), Transform(crossAxes()));
    rods.emplace_back(cylinders.back(), Transform(alongZ),
                      rigid(3, Vec3(0, 0, -0.3), Vec3(0.1, 0.1, 0.002)), Transform(alongZ));
    Constraint::Ball(platform, top, rods.back(), Vec3(0));
    Force::MobilityLinearSpring(model->forces, rods.back(), MobilizerQIndex(0), 40e3,
                                1.3269399064986604);
    Force::MobilityLinearDamper(model->forces, rods.back(), MobilizerUIndex(0), 800);
  }
  model->setStart = [=](State& state) {
    platform.setQToFitTranslation(state, Vec3(0, 0, height));
    for (std::size_t i = 0; i < rods.size(); ++i) {
      fitCross(cylinders[i], pose[i], state);
      rods[i].setOneQ(state, 0, length);
    }
  };
  model->outputs = [platform, rods](const State& state, std::vector<double>& out) {
    outputCentre(platform, state, out);
    for (const auto& rod : rods) outputCentre(rod, state, out);
  };
  return model;
}

}  // namespace

std::unique_ptr<SimbodyModel> makeSimbodyModel(const RunRequest& request) {
  const std::string& problem = request.problem;
  if (problem == "chain_long" || problem == "chain_hard")
    return planarChain(request, problem == "chain_hard");
  if (problem == "chain_space") return spatialChain(request);
  if (problem == "four_bars") return fourBars(request);
  if (problem == "andrews") return andrews();
  if (problem == "double_pendulum") return doublePendulum();
  if (problem == "yen_petzold_spring") return stiffSpring(request);
  if (problem == "spatial_slider_crank") return spatialSliderCrank();
  if (problem == "stewart_platform") return stewartPlatform();
  throw std::runtime_error("unknown problem \"" + problem + "\"");
}

// NOLINTEND(bugprone-unused-raii)

}  // namespace trammel::bench

#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "coupling/function_subsystem.hpp"
#include "coupling/master.hpp"

namespace trammel::testing {

using coupling::CoupledSystem;
using coupling::ForcePolynomial;

/// At most twelve rows: nothing is allocated while members step.
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 12, 1>;
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 12, 12>;

/// M(q) q'' = f(t, q, v) + J(q)ᵀ F with port positions p(q), J = ∂p/∂q and c = J' v.
struct MemberModel {
  std::function<void(const SmallVector& q, SmallMatrix& M)> mass;
  std::function<void(double t, const SmallVector& q, const SmallVector& v, SmallVector& f)> force;
  std::function<void(const SmallVector& q, SmallVector& p)> position;
  std::function<void(const SmallVector& q, SmallMatrix& J)> jacobian;
  std::function<void(const SmallVector& q, const SmallVector& v, SmallVector& c)> bias;
  std::function<double(const SmallVector& q)> potential;
};

enum class Integrator { rk4, euler, heun };

/// A member of a coupled system with an integrator of fixed steps of its own.
class Member final {
 public:
  Member(MemberModel theModel, SmallVector q0, SmallVector v0)
      : model(std::move(theModel)), q(std::move(q0)), v(std::move(v0)) {}

  MemberModel model;
  SmallVector q, v;
  Integrator integrator = Integrator::rk4;
  int substeps = 4;                      // of a communication step
  std::function<double()> noise;         // added to q and v after each step; may be empty
  std::function<bool(double)> discards;  // whether a step that ends at that time is refused
  double time = 0;

  SmallVector acceleration(double t, const SmallVector& qq, const SmallVector& vv,
                           const SmallVector& F) const;
  void setForces(const ForcePolynomial& polynomial) { forces_ = polynomial; }
  void step(double t, double H);
  void readMotion(std::span<coupling::PortMotion> motions) const;
  void mobility(Matrix& W) const;
  double energy() const;
  void save() { saved_ = {q, v, time}; }
  void restore() { q = saved_.q, v = saved_.v, time = saved_.time; }

 private:
  struct Saved {
    SmallVector q, v;
    double time = 0;
  };
  SmallVector forceAt(double dt) const {
    return forces_.value + forces_.first * dt + forces_.second * (dt * dt / 2);
  }

  ForcePolynomial forces_;
  double stepBegin_ = 0;
  Saved saved_;
};

/// What a member pretends to be able to do.
struct MemberAbilities {
  bool rollback = true, variableStep = true, mobility = true, acceleration = true;
  int forceOrder = 2;
  double declaredNoise = 0;
};

std::unique_ptr<coupling::Subsystem> subsystemOf(Member& member, std::string name,
                                                 const MemberAbilities& abilities = {});

/// Members and how joints tie them; lives as long as the master made from it.
struct Rig {
  std::deque<Member> members;
  std::vector<coupling::Joint> joints;

  CoupledSystem system(const MemberAbilities& abilities = {});
  double energy() const;
};

/// The model problem of Wang, Hou, Modnak, equation (19), with x2 − 2 y1 = 0.
Rig paperRig();
/// Two masses on springs to the ground, tied together: m1 x1'' + k1 x1 = F, m2 x2'' + k2 x2 = F.
Rig twoMasses(double m1, double m2, double k1, double k2, double start = 1);
/// Planar chain of uniform rods with absolute angles from the vertical, cut into pieces.
struct ChainData {
  std::vector<int> pieces;
  double length = 1;
  std::vector<double> masses, angles;
};
Rig cutChain(const ChainData& data);
Rig doublePendulum(double m1 = 1, double m2 = 1);
Rig chainFiveFive();
Rig chainOfTen();
/// Crank 0.4 m and coupler 1 m on one side, rocker 0.8 m on the other, pivots 1.2 m apart.
Rig fourBar();

/// Angles of all rods.
Vector anglesOf(const Rig& rig);
/// Angles of the uncut chain after T by RK4 with small steps.
Vector monolithicAngles(const ChainData& data, double T);

struct RunResult {
  bool completed = true;
  double meanEvaluations = 0;
  int mostEvaluations = 0;
  long failures = 0;
  double largestGap = 0, largestEnergyError = 0;
  double lastGap = 0;
  std::string failure;
};

/// Runs to T with communication step H.
RunResult runMaster(Rig& rig, coupling::Master& master, double H, double T);
RunResult runRig(Rig& rig, const coupling::MasterOptions& options, double H, double T,
                 const MemberAbilities& abilities = {});

}  // namespace trammel::testing

#pragma once

#include <vector>

#include "models/mechanism/euler_parameters.hpp"
#include "models/mechanism/measure_formulas.hpp"
#include "models/mechanism/mechanism_program.hpp"

namespace trammel {

/// Coordinates with the orientations they give, or a direction v of coordinates with the
/// derivatives of the orientations along it.
struct BodyMotion {
  const double* x = nullptr;
  std::vector<PlanarTurn> planar;  // of each planar body, in their order
  std::vector<Matrix3> rigid;      // A of each rigid body
};

/// Pins first … end − 1 of the plans.
struct PinRange {
  std::size_t first = 0, end = 0;
};
/// The rates of all channels along v.
struct PinRates {
  const double* v = nullptr;
  double* rate = nullptr;
};

/// The values of the measures of a program and of what depends on them, for those that are short
/// formulas z(x_1, x_2, …) of vectors that move with bodies. With the forces F_i = Σ μ ∂z/∂x_i of
/// all measures on the vectors, generalised forces and curvatures are gathered for bodies, not for
/// measures.
class Measures {
 public:
  Measures(const MechanismProgram& program, const MeasurePlans& plans);

  void setFrames(const std::vector<Frame>& frames);

  /// z of all channels: that of pins and that of the others.
  void place(const BodyMotion& at, double* z) {
    placePins(at, allPins(), z);
    placeOthers(at, z);
  }
  /// Of some pins, with their rates where these are asked for.
  void placePins(const BodyMotion& at, PinRange range, double* z, PinRates rates = {});
  void placeOthers(const BodyMotion& at, double* z);
  /// W v of all channels. Pre: place(at).
  void rates(const BodyMotion& at, const BodyMotion& along, double* rate) {
    ratePins(allPins(), {along.x, rate});
    rateOthers(at, along, rate);
  }
  void ratePins(PinRange range, PinRates rates) const;
  void rateOthers(const BodyMotion& at, const BodyMotion& along, double* rate);
  PinRange allPins() const { return {0, arms_.size()}; }
  /// W a of a winding. Pre: place().
  double alongWinding(std::size_t winding, const BodyMotion& at, const double* a) const;

  /// r += Σ μ_c W_cᵀ of pins.
  void addPinForces(const double* load, PinRange range, double* r) const;
  /// The same of the others, but for what turns rigid bodies, which goes to `turnings`.
  void addOtherForces(const BodyMotion& at, const double* load, double* r,
                      std::vector<Turning>& turnings);
  /// The parts of Σ μ_c ∂W_c/∂x that belong to one vector: on θ of the planar bodies, and as
  /// turnings of the rigid ones.
  void collectTurnings(const BodyMotion& at, const double* load, std::vector<double>& planar,
                       std::vector<Turning>& turnings);
  /// The other parts, with pairs of vectors.
  void addCurvature(const BodyMotion& at, const double* load, double* K) const;

  /// Entries of W of all channels.
  void rows(const BodyMotion& at, double* W) const;
  /// ∂(W v)/∂x of the channels of which it is used.
  void rowRates(const BodyMotion& at, const double* v, double* R) const;
  /// ∂(W v)/∂x of a winding, in the local coordinates of its kernel.
  void windingRowRate(std::size_t winding, const BodyMotion& at, const double* v,
                      double* local) const;

 private:
  using Vectors = std::vector<Triple<double>>;
  using LocalMatrix = double[kernelWidth][kernelWidth];
  struct Columns;

  std::size_t first(VectorKind kind) const {
    return plans_.firstOfKind[static_cast<std::size_t>(kind)];
  }
  void move(const BodyMotion& at, double share, Vectors& x) const;
  void pull(const double* load);
  void addTorques(const double* load, std::vector<Turning>& turnings) const;
  template <KernelKind kind>
  void placeAll(const std::vector<MeasurePlan>& list, double* z) const;
  template <KernelKind kind>
  void rateAll(const std::vector<MeasurePlan>& list, const double* v, double* rate) const;
  template <KernelKind kind>
  void pullAll(const std::vector<MeasurePlan>& list, const double* load);
  template <KernelKind kind>
  void rowsOf(const std::vector<MeasurePlan>& list, const BodyMotion& at, double* W) const;
  template <KernelKind kind>
  void rowRatesOf(const std::vector<MeasurePlan>& list, const BodyMotion& at, const double* v,
                  double* R) const;
  template <KernelKind kind>
  void rowRate(const MeasurePlan& plan, int row, const BodyMotion& at, const double* v,
               double* local) const;
  template <KernelKind kind>
  void addPairs(const std::vector<MeasurePlan>& list, const BodyMotion& at, const double* load,
                double* K) const;
  Winding<double> windingOf(const MeasurePlan& plan) const;
  Triple<double> rateOf(int vector, const BodyMotion& at, const double* v) const;
  void addTurned(int vector, const BodyMotion& at, const Triple<double>& f, double* W) const;
  void addTurnedRate(int vector, const BodyMotion& at, const double* v, const Triple<double>& f,
                     double* W) const;
  void addPlaced(int vector, const Triple<double>& f, double* W) const;
  void store(int channel, const double* local, double* entries) const;
  Columns columnsOf(int vector, const BodyMotion& at) const;
  Columns columnsOf(const SpinPlan& spin, const BodyMotion& at) const;
  template <bool withRates>
  void placePins(const BodyMotion& at, PinRange range, double* z, PinRates rates);
  void addPinCurvatures(const double* load, std::vector<double>& planar) const;
  void pinRows(double* W) const;
  void rateForms(const BodyMotion& at, const BodyMotion& along, double* rate) const;
  void formRows(const BodyMotion& at, double* W) const;
  void formRowRates(const BodyMotion& at, const double* v, double* R) const;
  void addFormPairs(const BodyMotion& at, const double* load, double* K) const;
  void scatter(const BlockProgram& block, const LocalMatrix& D, double* K) const;

  const MechanismProgram& program_;
  const MeasurePlans& plans_;
  Vectors s_;             // in body axes
  Vectors x_, rate_, F_;  // in space: place or axis, rate, force
  struct Arms {
    double ax = 0, ay = 0, bx = 0, by = 0;
  };
  std::vector<Arms> arms_;       // of the pins, in body axes
  std::vector<Arms> turned_;     // the same in space
  std::vector<double> offsets_;  // of the angles
  std::vector<Winding<double>> windings_;
};

/// ∂x/∂(coordinates of the body) of a vector, column by column; those before `first` are zero.
struct Measures::Columns {
  Triple<double> column[7];
  std::size_t first = 0, end = 0;

  /// D += factor (∂x/∂…)ᵀ ∂y/∂….
  void addOneWay(std::size_t place, const Columns& y, std::size_t placeOfY, double factor,
                 LocalMatrix& D) const {
    for (std::size_t i = first; i < end; ++i)
      for (std::size_t j = y.first; j < y.end; ++j)
        D[place + i][placeOfY + j] += factor * dot(column[i], y.column[j]);
  }
  /// The same and its transpose.
  void addProduct(std::size_t place, const Columns& y, std::size_t placeOfY, double factor,
                  LocalMatrix& D) const {
    for (std::size_t i = first; i < end; ++i) {
      for (std::size_t j = y.first; j < y.end; ++j) {
        const double value = factor * dot(column[i], y.column[j]);
        D[place + i][placeOfY + j] += value;
        D[placeOfY + j][place + i] += value;
      }
    }
  }
};

}  // namespace trammel

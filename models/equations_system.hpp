#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/compiled_model.hpp"
#include "models/input_signals.hpp"
#include "models/model_interface.hpp"
#include "models/same_place.hpp"
#include "models/tape.hpp"
#include "solver/pairs.hpp"

namespace trammel {

/// Places of the nonzeros of a matrix, column by column, rows ascending.
struct SparsePattern {
  Index rows = 0, columns = 0;
  std::vector<int> outer;  // of each column: its first entry; one more at the end
  std::vector<int> inner;  // rows

  std::size_t entryCount() const { return inner.size(); }
  void shape(SparseMatrix& matrix) const;
};

/// A model of kind "equations" with all derivatives, ready to be evaluated: const after
/// compilation.
struct EquationsProgram : ModelInterface {
  std::vector<std::string> coordinateNames, constraintNames;
  std::vector<double> nominal;  // of each coordinate, SI
  SparsePattern M, C, K, G;

  Tape start;  // q, v
  Tape mass;   // diagonal of M
  // These share a storage, at whose beginning are q, v, a and λ:
  Tape place;                   // what the others need of (q, t, u) alone
  Tape forceBalance;            // r
  Tape constraint;              // g
  Tape constraintRate;          // dg/dt
  Tape constraintAcceleration;  // γ
  Tape linearisation;           // entries of M, C, K, G
  Tape massAndGradient;         // entries of M, G
  std::size_t sharedSize = 0;   // of the storage
  Tape outputs;

  Index coordinateCount() const { return static_cast<Index>(coordinateNames.size()); }
  Index constraintCount() const { return static_cast<Index>(constraintNames.size()); }
};

/// The evaluable form of an EquationsProgram, which must outlive it.
class EquationsSystem final : public ModelSystem {
 public:
  explicit EquationsSystem(const EquationsProgram& program);

  Index coordinateCount() const override { return program_.coordinateCount(); }
  Index constraintCount() const override { return program_.constraintCount(); }
  std::string coordinateName(Index i) const override;
  std::string constraintName(Index i) const override;
  double coordinateNominal(Index i) const override;

  void stay() override { stays_ = placed_; }
  void forceBalance(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                    VectorOut r) override;
  void constraint(double t, VectorIn q, VectorOut g) override;
  void residual(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                VectorOut rg) override;
  void constraintRate(double t, VectorIn q, VectorIn v, VectorOut rate) override;
  void constraintAcceleration(double t, VectorIn q, VectorIn v, VectorOut gamma) override;
  void shape(Linearisation& linearisation) const override;
  void linearise(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                 Linearisation& out) override;
  void massAndGradient(double t, VectorIn q, Linearisation& out) override;

  void setParameters(std::span<const double> values) override;
  using ModelSystem::setInputs;
  void setInputs(const InputPolynomials& inputs) override;
  void startValues(VectorOut q, VectorOut v) override;
  void outputs(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
               std::span<double> values) override;

  /// The first coordinate whose start value is not finite or whose mass is not > 0 there, with one
  /// sentence on it.
  struct Defect {
    Index coordinate = -1;  // -1: none
    enum class Place { start, startVelocity, mass } place = Place::mass;
    double value = 0;
  };
  Defect findDefect();
  std::string describe(const Defect& defect) const;

 private:
  struct Stage {
    explicit Stage(const Tape& source) : tape(source), own(source.storageSize()), storage(own) {}
    Stage(const Tape& source, std::vector<double>& shared) : tape(source), storage(shared) {}
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    const Tape& tape;
    std::vector<double> own;
    std::vector<double>& storage;

    void evaluate(const TapeSources& sources) { tape.evaluate(sources, storage.data()); }
    void copy(std::size_t first, std::size_t count, double* values) const {
      tape.copyRoots(storage.data(), first, count, values);
    }
    void evaluate(const TapeSources& sources, double* values) {
      evaluate(sources);
      copy(0, tape.rootCount(), values);
    }
  };

  /// Time and inputs for tapes with a storage of their own, which take q, v, a and λ from there
  /// too; valid until the next call.
  TapeSources& sourcesAt(double t);
  /// The functions of the solver come in groups at the same place: what is there already is kept.
  void goTo(double t, const double* q) {
    if (!std::exchange(stays_, false) && !isPlacedAt(t, q)) placeAt(t, q);
  }
  bool isPlacedAt(double t, const double* q) const {
    return placed_ && placeTime_ == t && isSame(q, shared_.data(), n_);
  }
  void placeAt(double t, const double* q);
  /// Puts q, v, a or λ into the shared storage.
  enum Group { positions, velocities, accelerations, multipliers };
  void put(Group group, const double* from, std::size_t count) {
    double* to = shared_.data() + static_cast<std::size_t>(group) * n_;
    forPairs(static_cast<Index>(count),
             [&]<class Some>(Index i) { store<Some>(load<Some>(from + i), to + i); });
  }
  void putMotion(const double* v, const double* a, const double* lambda) {
    put(velocities, v, n_);
    put(accelerations, a, n_);
    put(multipliers, lambda, m_);
  }
  void prepare();

  const EquationsProgram& program_;
  std::vector<double> parameters_;
  InputSignals inputs_;
  TapeSources sources_;
  std::vector<double> start_, mass_;  // q and v, diagonal of M: scratch of findDefect()
  std::size_t n_, m_;
  double placeTime_ = 0;        // [s], t of the place
  bool placed_ = false;         // there is one
  bool stays_ = false;          // the next function is asked for there
  std::vector<double> shared_;  // storage, from q on
  Stage startStage_, massStage_, place_, forceBalance_, constraint_, constraintRate_,
      constraintAcceleration_, linearisation_, massAndGradient_, outputs_;
};

}  // namespace trammel

#pragma once

#include <string>
#include <vector>

#include "models/compiled_model.hpp"
#include "models/input_signals.hpp"
#include "models/mechanism/measures.hpp"

namespace trammel {

/// The evaluable form of a MechanismProgram, which must outlive it. With the channels' values z,
/// rows W and rates W v, rows E(z,t) of the constraints and forces F(z,z',t) on channels,
///   r = M a − f + Gᵀλ = (inertia of the bodies) + Σ_c W_cᵀ (Σ_r λ_r ∂E_r/∂z_c − F_c).
class MechanismSystem final : public ModelSystem {
 public:
  explicit MechanismSystem(const MechanismProgram& program);

  Index coordinateCount() const override { return program_.coordinateCount(); }
  Index constraintCount() const override { return program_.constraintCount(); }
  std::string coordinateName(Index i) const override;
  std::string constraintName(Index i) const override;
  double coordinateNominal(Index i) const override;

  void stay() override { stays_ = placed_; }
  void forceBalance(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                    VectorOut r) override;
  void constraint(double t, VectorIn q, VectorOut g) override;
  void constraintRate(double t, VectorIn q, VectorIn v, VectorOut rate) override;
  void constraintAcceleration(double t, VectorIn q, VectorIn v, VectorOut gamma) override;
  void shape(Linearisation& linearisation) const override;
  void linearise(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                 Linearisation& out) override;
  void massAndGradient(double t, VectorIn q, Linearisation& out) override;
  Index rootCount() const override;
  void roots(double t, VectorIn q, VectorIn v, VectorOut values) override;

  void setParameters(std::span<const double> values) override;
  void setInputs(const InputPolynomials& inputs) override { inputs_.set(inputs); }
  void startValues(VectorOut q, VectorOut v) override;
  void keptStart(std::vector<bool>& positions, std::vector<bool>& velocities) const override;
  void outputs(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
               std::span<double> values) override;

  /// What is wrong with the numbers of a body, joint or frame, empty: nothing. `line` is set to
  /// its line in the file.
  std::string defect(int& line) const;

  /// Distance of a frame's origin from the centre of mass of its body.
  double localDistance(std::size_t frame) const { return frames_[frame].s.norm(); }
  /// For pictures and reports: place of a frame's origin at coordinates q.
  Vector3 framePosition(std::size_t frame, VectorIn q) const;
  Matrix3 frameAxes(std::size_t frame, VectorIn q) const;  // columns x, y, z in axes of the ground
  const Vector3& gravity() const { return gravity_; }

 private:
  struct Stage {
    explicit Stage(const Tape& source) : tape(source), storage(source.storageSize()) {}
    const Tape& tape;
    std::vector<double> storage;

    void evaluate(const TapeSources& sources) { tape.evaluate(sources, storage.data()); }
    void copy(std::size_t first, std::size_t count, double* values) const {
      tape.copyRoots(storage.data(), first, count, values);
    }
    double root(int i) const { return tape.root(storage.data(), static_cast<std::size_t>(i)); }
  };

  void listParts();
  void prepare();
  void prepareMasses();
  void prepareMassMatrix();
  void prepareBody(std::size_t index);
  void prepareFrame(std::size_t index);
  TapeSources sourcesAt(double t);
  KernelData dataOf(const BlockProgram& block) const;
  bool isAt(VectorIn q);
  void evaluateChannels(VectorIn q);  // z of what the equations of motion depend on
  void placeAt(VectorIn q, PinRates rates);
  void evaluateOutputChannels();  // z of the others, at the same place
  void evaluateRows();            // W, at the same place
  void evaluateKernels(const std::vector<int>& blocks);
  void evaluateRates(VectorIn v);  // z' = W v
  void setDirection(VectorIn v);
  void ratesOf(const std::vector<int>& blocks, VectorIn v, double* rates) const;
  void evaluateBias(VectorIn q, VectorIn v);  // z'' − W a of all channels
  double biasOf(const BlockProgram& block, VectorIn q, VectorIn v, double* bias);
  double coefficient(const RowTerm& term, const Stage& stage) const {
    return term.root < 0 ? 1.0 : stage.root(term.root);
  }
  void collectLoads(const Stage& stage, VectorIn a, VectorIn lambda);  // μ_c
  void addWindingCurvature(VectorIn a, double* K);
  void addRotations(VectorIn q, VectorIn v, VectorIn a, VectorIn lambda, Linearisation& out);
  void addKernelCurvature(const BlockProgram& block, VectorIn q, VectorIn v, double* K);
  void addCouplings(const Stage& stage, Linearisation& out);
  void fillMass(VectorIn q, SparseMatrix& M) const;
  void fillGradient(VectorIn q, const Stage& stage, SparseMatrix& G);
  void evaluateExtras(VectorIn q, VectorIn v, VectorIn lambda);
  void reaction(const JointProgram& joint, VectorIn q, VectorIn lambda, Vector3& force,
                Vector3& torque);

  /// Rows that belong to channels, one after the other.
  struct RowRun {
    int row = 0, channel = 0, count = 0;
  };
  static void extend(std::vector<RowRun>& runs, int row, int channel);
  bool isWhole(const std::vector<RowRun>& runs) const;
  bool countsOnce() const;
  void listLots();
  void copyDirect(const std::vector<double>& channels, VectorOut rows) const;
  /// Entries of W, one after the other, that are entries of G as they are, and their positions.
  struct EntryRun {
    int entry = 0, position = 0, count = 0;
    bool isBefore(int nextEntry, int nextPosition) const {
      return entry + count == nextEntry && position + count == nextPosition;
    }
  };
  struct ExpressionRow {
    int row = 0, root = 0;
  };
  struct RigidBody {
    int body = 0, p = 0;  // p: coordinate of its Euler parameters
    int normRow = 0;
  };
  /// A body whose part of M depends on q, and the first position of this part.
  struct VaryingMass {
    int body = 0;
    std::size_t position = 0;
  };
  /// Planar bodies that are done together so that what belongs to them stays in the nearest cache:
  /// the ends of bodies, of coordinates and of the pins of which both bodies are done then.
  struct PlanarLot {
    std::size_t bodyEnd = 0, coordinateEnd = 0, pinEnd = 0;
  };
  struct PlanarMass {
    double mass = 0, inertia = 0;
  };
  void setInertia(std::size_t first, std::size_t end, const double* a, double* r) const;
  void setPlanarInertia(const PlanarLot& done, const PlanarLot& lot, const double* a,
                        double* r) const;
  /// An angle with the row that gives it its inertia, number `winding` of the dynamics.
  struct WoundAngle {
    int body = 0, channel = 0;
    std::size_t winding = 0;
  };

  const MechanismProgram& program_;
  std::vector<double> parameters_;
  InputSignals inputs_;
  std::vector<double> numbers_;
  std::vector<Inertia> inertias_;
  std::vector<Vector3> centres_;
  std::vector<Frame> frames_;
  Vector3 gravity_ = Vector3::Zero();
  std::vector<RowRun> directRows_;  // that are channels: g = z − offset
  std::vector<double> offsets_;     // of these; none where all are 0
  std::vector<RowRun> unitTerms_;   // ∂(row)/∂z = 1
  std::vector<EntryRun> unitEntries_;
  std::vector<RowTerm> otherTerms_;
  bool gradientIsRows_ = false;       // entries of G are those of W,
  bool ratesAreRows_ = false;         // rows of the constraints are the channels, one by one,
  bool loadsAreMultipliers_ = false;  // and so are their multipliers the loads
  std::vector<ExpressionRow> expressionRows_;
  std::vector<int> planarAngles_;  // coordinate of each planar body
  std::vector<PlanarLot> lots_;
  std::vector<int> turningPlanar_;  // those of which measures need the rates of cosine and sine
  std::vector<RigidBody> rigidBodies_;
  std::vector<WoundAngle> woundAngles_;
  std::vector<double> diagonalMass_, weight_;  // of each coordinate: M and −f of gravity
  std::vector<PlanarMass> planarMasses_;
  std::vector<double> constantMass_;        // values of M but for
  std::vector<VaryingMass> varyingMasses_;  // these
  std::vector<double> evaluatedAt_;         // q that z_ belongs to, where placeKnown_
  BodyMotion at_, along_;                   // there, and in the direction of the last rates
  Measures dynamics_, outputMeasures_;
  std::vector<Turning> turnings_;         // of the rigid bodies
  std::vector<double> planarCurvatures_;  // of the planar bodies
  bool placed_ = false;                   // z_ belongs to a place,
  bool placeKnown_ = false;               // which can be compared,
  bool stays_ = false;                    // and will be that of the next function
  bool rowsThere_ = false;                // and of W_,
  bool outputsThere_ = false;             // and of z_ of outputs
  std::vector<double> z_, rate_, second_, bias_, load_;
  const double* loads_ = nullptr;  // the last ones: load_ or the multipliers themselves
  std::vector<double> W_, R_;      // entries of all channels: W and ∂(W v)/∂x
  std::vector<double> expressions_, extras_;
  Stage numbersStage_, balance_, constraint_, rateStage_, acceleration_, linearisation_, outputs_,
      rootFunctions_;
};

}  // namespace trammel

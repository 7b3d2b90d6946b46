#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/dimensions.hpp"
#include "models/mechanism/element_reader.hpp"
#include "models/mechanism/mechanism_builder.hpp"
#include "models/mechanism/mechanism_system.hpp"
#include "models/model_data.hpp"
#include "models/model_names.hpp"
#include "models/variable_builder.hpp"

namespace trammel {

/// Turns the tables of a mechanism into bodies, frames, measures, rows and forces of a
/// MechanismBuilder, one element after the other, and then into variables.
class MechanismCompiler {
 public:
  MechanismCompiler(const ModelFile& file, const MechanismPart& part, CompiledModel::Data& data);

  void compile();

 private:
  // What a joint or a spring offers to others and to expressions.
  struct Joint {
    int index = -1;  // in the program
    std::string type;
    int frameA = -1, frameB = -1;  // aligned with the joint's axis
    bool turns = false, slides = false;
  };
  // Of an entry of a bushing's matrix: displacement by displacement, mixed, angle by angle.
  using BushingUnits = std::array<std::string_view, 3>;
  // phi or s of a joint, with the units of what belongs to it.
  struct JointCoordinate {
    int channel = -1;
    bool turns = false;

    std::string_view unit() const { return turns ? "rad" : "m"; }
    std::string_view rateUnit() const { return turns ? "rad/s" : "m/s"; }
    std::string_view forceUnit() const { return turns ? "N.m" : "N"; }
    std::string_view stiffnessUnit() const { return turns ? "N.m/rad" : "N/m"; }
    std::string_view dampingUnit() const { return turns ? "N.m.s/rad" : "N.s/m"; }
  };

  // mechanism_compiler.cpp
  void readGravity();
  void buildVariables();
  void addBodyVariables(VariableBuilder& builder, const ValueReferences& ofAccelerations,
                        const ValueReferences& ofMotion);
  void checkStart();
  void setNominal();
  ValueReferences dependencies(std::span<const Expression> expressions,
                               const VariableBuilder& builder, SymbolKinds kinds);

  // compile_bodies.cpp
  void compileBody(const TomlValue::Entry& item);
  void compileFrame(const TomlValue::Entry& item);
  PoseNumbers readPose(const ElementReader& reader, bool planar);
  RotationNumbers readRotation(const ElementReader& reader, bool planar);
  void readKept(const ElementReader& reader, BodyProgram& body);
  int readInertia(const ElementReader& reader, BodyKind kind);

  // compile_joints.cpp
  void compileJoint(const TomlValue::Entry& item);
  void addSpatialRows(const std::string& type, const ElementReader& reader, Joint& joint);
  void addPlanarRows(const std::string& type, const ElementReader& reader, Joint& joint);
  void compileDistance(const ElementReader& reader, Joint& joint);
  void compilePointOnCurve(const ElementReader& reader, Joint& joint);
  void compileScrew(const ElementReader& reader, Joint& joint);
  void compileRelation(const TomlValue::Entry& item);
  void compileConstraint(const TomlValue::Entry& item);
  int jointPhi(const std::string& name);
  int jointPhiOf(const Joint& joint, const std::string& name);
  int jointS(const std::string& name);
  JointCoordinate jointCoordinate(const ElementReader& reader, std::string_view key,
                                  std::string_view preferred = "");
  int alignment(int frameA, int frameB, int axisA, int axisB);
  int projection(int frameA, int axis, int frameB);

  // compile_forces.cpp, compile_contacts.cpp
  void compileForce(const TomlValue::Entry& item);
  void compileSpring(const ElementReader& reader);
  void compileTorsion(const ElementReader& reader);
  void compileApplied(const ElementReader& reader, bool torque);
  void compileActuator(const ElementReader& reader);
  void compileBushing(const ElementReader& reader);
  void compileBeam(const ElementReader& reader);
  void compileStop(const ElementReader& reader);
  void compileContact(const ElementReader& reader);
  void addContactFriction(const ElementReader& reader, const std::vector<int>& slips, Expression N);
  void compileFriction(const ElementReader& reader);
  std::pair<Expression, Expression> addBristle(const std::string& name, Expression s,
                                               Expression speed, Expression sigma0, Expression g);
  std::vector<int> deformation(const ElementReader& reader);
  void addStiffness(const std::vector<int>& channels, const std::vector<Expression>& K,
                    const std::vector<Expression>& C, const std::vector<Expression>& rest);
  std::vector<Expression> readSixBySix(const ElementReader& reader, std::string_view key,
                                       std::size_t size, const BushingUnits& units);
  Expression springForce(const ElementReader& reader, int channel, std::string_view length,
                         std::string_view stiffnessUnit, std::string_view dampingUnit);
  Expression tableOf(const ElementReader& reader, Expression x);

  // compile_outputs.cpp
  void compileMeasure(const TomlValue::Entry& item);
  void compileOutput(const TomlValue::Entry& item);
  void compilePort(const TomlValue::Entry& item);
  void addOutput(const std::string& name, const std::string& unit, const std::string& description,
                 int line, Expression value);
  std::vector<Expression> frameQuantity(const ElementReader& reader, const std::string& quantity,
                                        std::string& unit);
  Expression newInput(const std::string& name, const std::string& unit,
                      const std::string& description, int line);
  void resolveNames(std::string_view text);
  bool resolveName(const std::string& name);
  bool resolveFrameName(const std::string& name, int frame, std::string_view leaf);
  bool resolveJointName(const std::string& name, const std::string& joint, std::string_view leaf);

  // Reading values.
  Expression constant(double value) { return graph_.constant(value); }
  Expression formula(const Formula& value, const TableReader& reader, std::string_view key,
                     std::string_view unit, SymbolKinds allowed);
  void checkDimension(Expression expression, int line, const TableReader& reader,
                      std::string_view key, std::string_view unit);
  Expression quantity(const ElementReader& reader, std::string_view key, std::string_view unit,
                      SymbolKinds allowed);
  Expression quantityOr(const ElementReader& reader, std::string_view key, std::string_view unit,
                        double otherwise);
  int numbersOf(const ElementReader& reader, std::string_view key, std::size_t count,
                std::string_view unit);
  std::pair<Expression, Expression> planeVector(const ElementReader& reader, std::string_view key);
  int numberOf(const ElementReader& reader, std::string_view key, std::string_view unit);
  int frameOf(const ElementReader& reader, std::string_view key);
  int frameOr(const ElementReader& reader, std::string_view key, int otherwise);
  /// "a", the ground if it is not given, and "b"; throws where both are on one body.
  std::pair<int, int> twoFrames(const ElementReader& reader);
  int inlineFrame(const ElementReader& reader, std::string_view key, const TomlValue& value);
  const Joint& jointOf(const ElementReader& reader, std::string_view key, std::string& name);
  bool inPlane(int frame) const;
  /// Throws where the frame is on a point, which has no axes.
  void requireAxes(const ElementReader& reader, int frame, std::string_view expected) const;

  Expression add(Expression x, Expression y) { return graph_.add(x, y); }
  Expression subtract(Expression x, Expression y) { return graph_.subtract(x, y); }
  Expression multiply(Expression x, Expression y) { return graph_.multiply(x, y); }
  Expression divide(Expression x, Expression y) { return graph_.divide(x, y); }
  Expression positivePart(Expression x) { return graph_.apply(Operation::max, x, constant(0)); }

  const ModelFile& file_;
  const MechanismPart& part_;
  CompiledModel::Data& data_;
  MechanismProgram& program_;
  ExpressionGraph graph_;
  ModelNames names_;
  MechanismBuilder builder_;
  bool planar_ = false;
  std::map<std::string, int, std::less<>> frames_;
  std::map<std::string, Joint, std::less<>> joints_;
  Expression potential_;  // of springs
  std::vector<InputEntry> portInputs_;
  struct Output {
    NamedEntry entry;
    std::optional<Located<double>> nominal;
    Expression value;
  };
  std::vector<Output> outputs_;
  std::vector<Expression> laws_;  // of all rows and forces, for dependencies
  std::vector<Expression> rowsWithInputs_;
};

constexpr SymbolKinds inNumber = only(SymbolKind::parameter);
constexpr SymbolKinds inRow =
    anyOf(SymbolKind::parameter, SymbolKind::position, SymbolKind::time, SymbolKind::input);
constexpr SymbolKinds inLaw = static_cast<SymbolKinds>(inRow | only(SymbolKind::velocity));
constexpr SymbolKinds inMechanismOutput = static_cast<SymbolKinds>(
    inLaw | anyOf(SymbolKind::acceleration, SymbolKind::multiplier, SymbolKind::derived));

}  // namespace trammel

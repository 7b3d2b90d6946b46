#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coupling/fmu_port.hpp"
#include "coupling/master.hpp"
#include "models/model_file.hpp"

namespace trammel::fmi {

/// A variable or port of a component, written `component.name`.
struct ComponentPart {
  std::string component;  // empty: the ground
  std::string name;
  int line = 0;
};

/// Variables of an FMU that make up a port, for FMUs without ports of our convention.
struct PortEntry {
  std::string name;
  int line = 0;
  coupling::FmuPortNames names;
};

struct ComponentEntry {
  std::string name;
  int line = 0;
  Located<std::string> file;  // FMU, model file, or name in the catalogue
  std::optional<int> fmi;     // version of the FMU that a model is run as; none: in this process
  std::optional<double> tolerance;
  bool process = false;   // runs in a process of its own
  double timeLimit = 60;  // [s], of every call where it does
  std::vector<std::pair<std::string, double>> parameters;
  std::vector<PortEntry> ports;
};

struct ConnectionEntry {
  ComponentPart from, to;
  std::optional<double> factor{}, offset{};  // neither: from the units of both ends
};

/// A joint in words; the library's joints are made from it where the components are known.
struct JointEntry {
  std::string name;
  int line = 0;
  std::string type;
  std::vector<ComponentPart> sides;
  Eigen::Vector3d axisA = Eigen::Vector3d::UnitZ(), axisB = Eigen::Vector3d::UnitZ();
  std::optional<Eigen::Vector3d> position;  // of the ground
  double ratio = 1, radius = 1, constant = 0;
  std::vector<std::vector<double>> coefficients;  // rows of a linear joint
  std::vector<double> constants;
};

/// Plain data of a file that describes a coupled system.
struct SystemFile {
  std::string source;  // name used in messages
  std::string name;
  double startTime = 0, stopTime = 1, step = 0.01;  // [s]
  coupling::MasterOptions options;
  std::vector<ComponentEntry> components;
  std::vector<ConnectionEntry> connections;
  std::vector<JointEntry> joints;
  std::vector<ComponentPart> record;  // empty: all outputs
  /// Variables of a container FMU: `component.variable`, `component.group` or `component.*`.
  std::vector<Located<std::string>> expose;
};

/// Throws ModelError (file:line: what, got, expected). What is known already, components above all,
/// is in `known`; the text adds to it.
SystemFile parseSystem(std::string_view text, const std::string& source, SystemFile known = {});
SystemFile readSystemFile(const std::filesystem::path& path);

/// "PV1", "B2", "PC2", "A1", "explicit" or "explicit_hold"; nullopt: none of them.
std::optional<coupling::Scheme> schemeOfWord(std::string_view word);

}  // namespace trammel::fmi

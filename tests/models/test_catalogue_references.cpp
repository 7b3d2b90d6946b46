#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "simulation.hpp"

namespace trammel {
namespace {

/// A file of models/catalogue/reference: the first column is the time.
struct ReferenceTable {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
};

std::vector<std::string> cellsOf(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

ReferenceTable readReference(const std::string& name) {
  std::ifstream file(std::string(TRAMMEL_SOURCE_DIR) + "/models/catalogue/reference/" + name +
                     ".csv");
  INFO(name);
  REQUIRE(file.good());
  ReferenceTable table;
  std::string line;
  std::getline(file, line);
  table.columns = cellsOf(line);
  while (std::getline(file, line)) {
    table.rows.emplace_back();
    for (const std::string& cell : cellsOf(line)) table.rows.back().push_back(std::stod(cell));
    REQUIRE(table.rows.back().size() == table.columns.size());
  }
  REQUIRE(table.columns.front() == "time");
  REQUIRE_FALSE(table.rows.empty());
  return table;
}

/// A coordinate or an output of the present motion.
double valueOf(Simulation& simulation, const std::string& name) {
  const Variable* variable = simulation.model.variables().find(name);
  REQUIRE(variable != nullptr);
  if (variable->quantity == Quantity::position)
    return simulation.motion.q[static_cast<Index>(variable->index)];
  return simulation[name];
}

/// Largest difference from the reference in a column, relative to the largest value in it.
double deviation(const std::string& name) {
  const ReferenceTable table = readReference(name);
  CompiledModel model = compileCatalogue(name);
  const double tolerance = model.defaultExperiment().tolerance;
  CHECK(table.rows.back().front() <= model.defaultExperiment().stopTime);
  Simulation simulation(std::move(model), tolerance);
  std::vector<double> size(table.columns.size(), 0.0), difference = size;
  for (const std::vector<double>& row : table.rows) {
    if (row.front() > 0) simulation.run(row.front());
    for (std::size_t i = 1; i < row.size(); ++i) {
      size[i] = std::max(size[i], std::abs(row[i]));
      difference[i] =
          std::max(difference[i], std::abs(valueOf(simulation, table.columns[i]) - row[i]));
    }
  }
  double largest = 0;
  for (std::size_t i = 1; i < size.size(); ++i)
    largest = std::max(largest, difference[i] / size[i]);
  return largest;
}

/// Limits of the deviation at the tolerance of each experiment, up to ten times the deviation of
/// the present solver; prescribed motions are exact to rounding.
const std::map<std::string, double> allowed{
    {"andrews", 2e-06},
    {"andrews_mechanism", 2e-07},
    {"bottasso_pendulum", 1e-05},
    {"bouncing_ball", 0.0003},
    {"cantilever", 3e-05},
    {"car_axis", 0.0003},
    {"chain", 1e-06},
    {"crane", 2e-05},
    {"double_pendulum", 5e-05},
    {"four_bar", 1e-12},
    {"n_four_bar", 0.001},
    {"pendulum", 0.0003},
    {"quarter_car", 1e-05},
    {"robot_arm", 1e-12},
    {"slider_crank", 1e-05},
    {"spatial_slider_crank", 4e-05},
    {"spherical_pendulum", 3e-05},
    {"spinning_top", 0.0002},
    {"stewart_platform", 0.0001},
    {"trammel_of_archimedes", 5e-05},
    {"wang_hou", 2e-06},
    {"wang_hou_x", 1e-06},
    {"wang_hou_y", 1e-06},
    {"yen_petzold_bushing", 2e-05},
    {"yen_petzold_point_mass", 0.0001},
    {"yen_petzold_spring", 1e-05},
};

}  // namespace

TEST_CASE("Andrews' mechanism of bodies arrives at the published solution with six digits") {
  // Test Set for IVP Solvers, t = 0.03 s; β … ε, each relative to itself.
  const ReferenceTable table = readReference("andrews_mechanism");
  Simulation simulation(compileCatalogue("andrews_mechanism"), 1e-8);
  simulation.run(0.03);
  for (std::size_t i = 1; i < table.columns.size(); ++i) {
    INFO(table.columns[i]);
    CHECK(valueOf(simulation, table.columns[i]) == Approx(table.rows[0][i]).epsilon(1e-6));
  }
}

TEST_CASE("Every model of the catalogue moves as its reference says") {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TRAMMEL_SOURCE_DIR) + "/models/catalogue")) {
    if (entry.path().extension() != ".toml") continue;
    const std::string name = entry.path().stem().string();
    INFO(name);
    REQUIRE(allowed.count(name) == 1);
    CHECK(deviation(name) <= allowed.at(name));
  }
}

}  // namespace trammel

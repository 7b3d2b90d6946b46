#include <algorithm>

#include "models/model_reader.hpp"
#include "models/text.hpp"

namespace trammel {
namespace {

using Row = std::vector<Formula>;

std::string textOf(const Formula& formula) {
  if (const auto* text = std::get_if<std::string>(&formula.value)) return "(" + *text + ")";
  const double number = std::get<double>(formula.value);
  return number < 0 ? "(" + numberText(number) + ")" : numberText(number);
}

bool isZero(const Formula& formula) {
  const auto* number = std::get_if<double>(&formula.value);
  return number != nullptr && *number == 0;
}

/// kind = "linear": A x'' + E x' + C x + Dᵀ λ = r + H u,   D x'' = d.
class LinearReader {
 public:
  explicit LinearReader(const TableReader& root) : root_(root) {}

  EquationsPart read(const std::vector<InputEntry>& inputs) {
    readNames();
    const std::size_t n = part_.coordinates.size();
    const std::vector<Row> A = matrix("A", n, n), C = matrix("C", n, n, true),
                           E = matrix("E", n, n, true), H = matrix("H", n, inputs.size(), true);
    const Row r = vector("r", n);
    for (std::size_t i = 0; i < n; ++i) {
      CoordinateEntry& entry = part_.coordinates[i];
      entry.mass = A[i][i];
      std::string force = textOf(r[i]);
      for (std::size_t j = 0; j < n; ++j) {
        const std::string& x = part_.coordinates[j].name;
        if (!isZero(C[i][j])) force += " - " + textOf(C[i][j]) + "*" + x;
        if (!isZero(E[i][j])) force += " - " + textOf(E[i][j]) + "*der(" + x + ")";
      }
      for (std::size_t k = 0; k < inputs.size(); ++k)
        if (!isZero(H[i][k])) force += " + " + textOf(H[i][k]) + "*" + inputs[k].name;
      entry.force = {force, r[i].line};
      addMass(A, i);
    }
    readStart();
    readConstraints();
    return std::move(part_);
  }

 private:
  [[noreturn]] void fail(const TomlValue::Entry* entry, const std::string& message) const {
    root_.fail(entry == nullptr ? 1 : entry->line, message);
  }

  void readNames() {
    const TomlValue::Entry* entry = root_.find("coordinates");
    const auto* array =
        entry == nullptr ? nullptr : std::get_if<TomlValue::Array>(&entry->value.value);
    if (array == nullptr || array->empty())
      fail(entry, "coordinates must be an array of names such as [\"x1\", \"x2\"]");
    part_.line = entry->line;
    for (const TomlValue& value : *array) {
      const auto* name = std::get_if<std::string>(&value.value);
      if (name == nullptr)
        fail(entry, "coordinates must be an array of names, contains " + value.typeName());
      TomlValue::Entry item;
      item.key = *name;
      item.line = value.line;
      checkName(item, root_.source(), "coordinate " + inQuotes(*name));
      CoordinateEntry coordinate;
      coordinate.name = *name;
      coordinate.line = value.line;
      coordinate.start = coordinate.startVelocity = {0.0, value.line};
      part_.coordinates.push_back(std::move(coordinate));
    }
  }

  Row row(const TomlValue& value, const std::string& key, std::size_t columns) const {
    const auto* array = std::get_if<TomlValue::Array>(&value.value);
    if (array == nullptr || array->size() != columns) {
      const std::string got = array == nullptr ? value.typeName() : std::to_string(array->size());
      root_.fail(value.line, key + " must have " + std::to_string(columns) +
                                 (columns == 1 ? " number" : " numbers") + " in each row, has " +
                                 got);
    }
    Row result;
    for (const TomlValue& element : *array)
      result.push_back(readFormula(root_.source(), key, element));
    return result;
  }

  /// Rows of a matrix; zeros where it is optional and not given.
  std::vector<Row> matrix(const std::string& key, std::size_t rows, std::size_t columns,
                          bool optional = false) const {
    const TomlValue::Entry* entry = root_.find(key);
    if (entry == nullptr && optional)
      return std::vector<Row>(rows, Row(columns, Formula{0.0, part_.line}));
    const auto* array =
        entry == nullptr ? nullptr : std::get_if<TomlValue::Array>(&entry->value.value);
    if (array == nullptr || array->size() != rows) {
      fail(entry, key + " must be a matrix of " + std::to_string(rows) + " rows and " +
                      std::to_string(columns) + " columns" +
                      (entry == nullptr ? ", is missing" : ""));
    }
    std::vector<Row> result;
    for (const TomlValue& value : *array) result.push_back(row(value, key, columns));
    return result;
  }

  /// Numbers of a vector; zeros where it is not given.
  Row vector(const std::string& key, std::size_t size) const {
    const TomlValue::Entry* entry = root_.find(key);
    if (entry == nullptr) return Row(size, Formula{0.0, part_.line});
    return row(entry->value, key, size);
  }

  void addMass(const std::vector<Row>& A, std::size_t i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (A[i][j].value != A[j][i].value) {
        root_.fail(A[i][j].line, "A must be symmetric, is " + textOf(A[j][i]) + " and " +
                                     textOf(A[i][j]) + " in rows " + std::to_string(j + 1) +
                                     " and " + std::to_string(i + 1));
      }
      if (isZero(A[i][j])) continue;
      MassEntry entry;
      entry.row = part_.coordinates[j].name;
      entry.column = part_.coordinates[i].name;
      entry.line = A[i][j].line;
      entry.expression = A[i][j];
      part_.massMatrix.push_back(std::move(entry));
    }
  }

  void readStart() {
    const Row start = vector("start", part_.coordinates.size()),
              velocity = vector("start_velocity", part_.coordinates.size());
    for (std::size_t i = 0; i < start.size(); ++i) {
      part_.coordinates[i].start = start[i];
      part_.coordinates[i].startVelocity = velocity[i];
    }
  }

  /// D x'' = d from consistent start values x0, v0: D (x − x0 − v0 t) − d t²/2 = 0.
  void readConstraints() {
    const TomlValue::Entry* entry = root_.find("D");
    if (entry == nullptr) return;
    const auto* array = std::get_if<TomlValue::Array>(&entry->value.value);
    const std::size_t m = array == nullptr ? 0 : array->size();
    const std::size_t n = part_.coordinates.size();
    const std::vector<Row> D = matrix("D", m, n);
    const Row d = vector("d", m);
    checkMultiplierMatrix(D);
    for (std::size_t k = 0; k < m; ++k) {
      std::string g = "0";
      for (std::size_t i = 0; i < n; ++i) {
        if (isZero(D[k][i])) continue;
        const CoordinateEntry& x = part_.coordinates[i];
        g += " + " + textOf(D[k][i]) + "*(" + x.name;
        if (!isZero(x.start)) g += " - " + textOf(x.start);
        if (!isZero(x.startVelocity)) g += " - " + textOf(x.startVelocity) + "*time";
        g += ")";
      }
      if (!isZero(d[k])) g += " - " + textOf(d[k]) + "*time^2/2";
      ConstraintEntry constraint;
      constraint.name = m == 1 ? "constraint" : "constraint" + std::to_string(k + 1);
      constraint.line = entry->line;
      constraint.expression = {g, D[k].empty() ? entry->line : D[k].front().line};
      part_.constraints.push_back(std::move(constraint));
    }
  }

  /// B of the literature must be Dᵀ: constraint forces do no work.
  void checkMultiplierMatrix(const std::vector<Row>& D) const {
    const TomlValue::Entry* entry = root_.find("B");
    if (entry == nullptr) return;
    const std::vector<Row> B = matrix("B", part_.coordinates.size(), D.size());
    for (std::size_t i = 0; i < B.size(); ++i)
      for (std::size_t k = 0; k < D.size(); ++k)
        if (B[i][k].value != D[k][i].value)
          root_.fail(B[i][k].line, "B must be the transpose of D, is " + textOf(B[i][k]) +
                                       " where D has " + textOf(D[k][i]));
  }

  const TableReader& root_;
  EquationsPart part_;
};

}  // namespace

EquationsPart readLinearPart(const TableReader& root, const std::vector<InputEntry>& inputs) {
  return LinearReader(root).read(inputs);
}

}  // namespace trammel

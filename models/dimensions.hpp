#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "models/expression.hpp"
#include "models/units.hpp"

namespace trammel {

/// Exponents of kg, m, s, A, K, mol, cd; angles are numbers.
using Dimension = std::array<int, 7>;

Dimension dimensionOf(const Unit& unit);
/// "kg.m2/s2"; "1" for a number.
std::string dimensionText(const Dimension& dimension);

/// What is known of the dimension of an expression. Constants fit everywhere in a sum, being in SI;
/// nothing is known of a product with one, because it may stand for a quantity.
struct Dimensioned {
  enum class State { unknown, constant, known } state = State::unknown;
  Dimension dimension{};
};

/// The dimension of an expression; `of` gives that of a symbol, nullopt: not declared. Where
/// quantities of different dimensions are added or compared, or a function gets something that is
/// no number, `conflict` says so.
Dimensioned inferDimension(ExpressionGraph& graph, Expression expression,
                           const std::function<std::optional<Dimension>(const Symbol&)>& of,
                           std::string& conflict);

}  // namespace trammel

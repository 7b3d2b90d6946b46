#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "models/expression.hpp"

namespace trammel {

/// What a name in an expression means.
struct NameMeaning {
  Expression expression;  // the symbol itself, or what a definition stands for
  std::string word;       // "parameter", "coordinate", "definition" …
};

using NameTable = std::map<std::string, NameMeaning, std::less<>>;

/// Where an expression stands and what it may contain.
struct ExpressionPlace {
  std::string file;
  int line = 0;
  std::string what;  // begins the message: force of coordinate "x"
  SymbolKinds allowed = 0;
  std::size_t element = 0;  // what `i` means: the number of an element; 0: nothing
};

/// Numbers, + - * / ^, parentheses, functions, `time`, `pi`, names, elements x[i-1], der(x),
/// der(x,2), sum(n, term of i). Throws ModelError with line and column.
Expression parseExpression(std::string_view text, ExpressionGraph& graph, const NameTable& names,
                           const ExpressionPlace& place);

/// True for `time`, `pi`, `der` and the names of functions: nothing in a model can be called so.
bool isReservedName(std::string_view name);

}  // namespace trammel

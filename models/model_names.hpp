#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/expression_parser.hpp"
#include "models/model_file.hpp"

namespace trammel {

/// The one space of names of a model, and the reading of formulas in it.
class ModelNames {
 public:
  ModelNames(const std::string& source, ExpressionGraph& graph) : source_(source), graph_(graph) {}

  /// The parameters and inputs of a file.
  void declareInterface(const ModelFile& file);
  /// Takes a name; throws where something else has it.
  void claim(const std::string& name, const std::string& word, int line);
  /// Takes a name that may stand in expressions.
  void declare(const std::string& name, const std::string& word, int line, Expression expression);
  /// Gives a meaning to a name that is taken or needs no owner.
  void define(const std::string& name, const std::string& word, Expression expression);
  bool isTaken(const std::string& name) const { return owners_.count(name) != 0; }
  bool hasMeaning(const std::string& name) const { return names_.count(name) != 0; }

  /// A number is in the unit of `unitOf`, an expression in SI. `i` means the number of an element.
  Expression parse(const Formula& formula, const std::string& what, SymbolKinds allowed,
                   const NamedEntry* unitOf = nullptr, std::size_t element = 0);

  const NameTable& table() const { return names_; }

 private:
  const std::string& source_;
  ExpressionGraph& graph_;
  NameTable names_;
  std::map<std::string, std::pair<std::string, int>> owners_;  // of every name: what, and its line
};

}  // namespace trammel

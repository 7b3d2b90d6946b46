#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/expression.hpp"
#include "models/tape_code.hpp"

namespace trammel {

/// Where the symbols of a tape get their values from; pointers to kinds a tape does not contain may
/// be null.
struct TapeSources {
  double time = 0;  // [s]
  const double* parameters = nullptr;
  const double* inputs = nullptr;
  const double* q = nullptr;
  const double* v = nullptr;
  const double* a = nullptr;
  const double* lambda = nullptr;
  const double* inputRates = nullptr;
  const double* inputSecondRates = nullptr;
  const double* derived = nullptr;

  const double* of(SymbolKind kind) const {
    static constexpr std::array<const double * TapeSources::*, symbolKindCount> tables{
        nullptr,
        &TapeSources::parameters,
        &TapeSources::inputs,
        &TapeSources::q,
        &TapeSources::v,
        &TapeSources::a,
        &TapeSources::lambda,
        &TapeSources::inputRates,
        &TapeSources::inputSecondRates,
        &TapeSources::derived};
    return kind == SymbolKind::time ? &time : this->*tables[static_cast<std::size_t>(kind)];
  }
};

/// Storage that several tapes share: behind the numbers of a first one, which the others use, each
/// has its own. Needed while the tapes are built.
struct SharedStorage {
  std::vector<std::uint32_t> slotOf;  // of each node of the graph that the first tape computes
  std::size_t size = 0;
  bool begun = false;  // there is a first tape

  static constexpr std::uint32_t notThere = std::numeric_limits<std::uint32_t>::max();
  /// Of each kind the first symbol's slot; symbols of a kind without one are loaded by the tapes.
  std::array<std::uint32_t, symbolKindCount> firstOf = [] {
    std::array<std::uint32_t, symbolKindCount> none{};
    none.fill(notThere);
    return none;
  }();

  /// Sets the next slots apart for symbols of a kind, which their owner puts there. To be called
  /// before the tapes are built.
  void reserve(SymbolKind kind, std::size_t count) {
    firstOf[static_cast<std::size_t>(kind)] = static_cast<std::uint32_t>(size);
    size += count;
  }
  std::uint32_t slotOfSymbol(const Symbol& symbol) const {
    const std::uint32_t first = firstOf[static_cast<std::size_t>(symbol.kind)];
    return first == notThere ? notThere : first + symbol.index;
  }
};

/// Expressions (roots) as a flat list of instructions, each subexpression once. The tape is const
/// and can be shared; the numbers live in storage of the caller. Parts that depend on parameters
/// only are evaluated by prepare(). Instructions stand in runs of the same operation, which the
/// processor foresees.
class Tape {
 public:
  Tape() = default;
  Tape(ExpressionGraph& graph, std::span<const Expression> roots);
  /// The first tape of a shared storage, or one of those that use its numbers.
  Tape(ExpressionGraph& graph, std::span<const Expression> roots, SharedStorage& shared);

  std::size_t storageSize() const { return offset_ + ownSize_; }
  std::size_t rootCount() const { return roots_.size(); }
  /// Numbers that one evaluate() loads and computes.
  std::size_t instructionCount() const { return instructionCount_; }

  /// Fills the parts of the storage that do not change until the parameters do.
  void prepare(const double* parameters, double* storage) const;
  /// Computes all roots. Pre: prepare().
  void evaluate(const TapeSources& sources, double* storage) const {
    if (instructionCount_ == 0) return;  // others may have what the roots need
    const Progress end = calculate({instructions_.data(), storage + first_}, sources, storage);
    if (end.next->code != TapeCode::end) call(end, sources, storage);
  }
  double root(const double* storage, std::size_t i) const { return storage[roots_[i]]; }
  /// Copies `count` roots from root `first` on.
  void copyRoots(const double* storage, std::size_t first, std::size_t count,
                 double* values) const {
    const std::uint32_t* slot = roots_.data() + first;
    for (std::size_t k = 0; k < count; ++k) values[k] = storage[slot[k]];
  }

 private:
  struct Instruction {
    std::uint32_t a = 0, b = 0, c = 0;  // slots; of a load kind, first symbol and count > 0
    TapeCode code = TapeCode::end;
    Operation operation = Operation::constant;  // of a function
  };
  class Writer;

  /// The next instruction and where its result goes.
  struct Progress {
    const Instruction* next;
    double* slot;
  };

  static Progress calculate(Progress from, const TapeSources& sources, double* storage);
  static void call(Progress at, const TapeSources& sources, double* storage);

  // Storage: constants, parameters, operations on these; time, inputs, states; operations.
  std::vector<double> constants_;
  std::vector<std::uint32_t> parameters_;
  std::vector<Instruction> preparation_;
  std::vector<Instruction> instructions_ = {{}};  // loads, operations, an end
  std::vector<std::uint32_t> roots_;              // slots
  std::size_t offset_ = 0, ownSize_ = 0;          // of its own part of the storage
  std::size_t first_ = 0;                         // slot of the first instruction
  std::size_t instructionCount_ = 0;
};

}  // namespace trammel

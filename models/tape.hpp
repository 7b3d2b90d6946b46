#pragma once

#include <array>
#include <cstdint>
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
    static constexpr std::array<const double * TapeSources::*, 10> tables{
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
};

/// Expressions (roots) as a flat list of instructions, each subexpression once. The tape is const
/// and can be shared; the numbers live in storage of the caller. Parts that depend on parameters
/// only are evaluated by prepare(). Instructions stand in runs of the same operation, so that an
/// evaluation decides once for each run what to do.
class Tape {
 public:
  Tape() = default;
  Tape(ExpressionGraph& graph, std::span<const Expression> roots);
  /// The first tape of a shared storage, or one of those that use its numbers.
  Tape(ExpressionGraph& graph, std::span<const Expression> roots, SharedStorage& shared);

  std::size_t storageSize() const { return offset_ + ownSize_; }
  std::size_t rootCount() const { return roots_.size(); }
  std::size_t instructionCount() const {
    return loadCount_ + operations_.size() - 1;
  }  // of one evaluate()

  /// Fills the parts of the storage that do not change until the parameters do.
  void prepare(const double* parameters, double* storage) const;
  /// Computes all roots. Pre: prepare().
  void evaluate(const TapeSources& sources, double* storage) const {
    if (instructionCount() > 0) run(sources, storage);  // others may have what the roots need
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
    std::uint32_t a = 0, b = 0, c = 0;  // slots
    TapeCode code = TapeCode::end;
  };
  struct LoadRun {  // of symbols one after the other
    SymbolKind kind = SymbolKind::time;
    std::uint32_t first = 0, count = 0;  // count > 0
  };
  class Writer;

  void run(const TapeSources& sources, double* storage) const;

  // Storage: constants, parameters, operations on these; time, inputs, states; operations.
  std::vector<double> constants_;
  std::vector<std::uint32_t> parameters_;
  std::vector<Instruction> preparation_;
  std::vector<LoadRun> loadRuns_;
  std::vector<Instruction> operations_ = {{}};  // with an end
  std::vector<std::uint32_t> roots_;            // slots
  std::size_t offset_ = 0, ownSize_ = 0;        // of its own part of the storage
  std::size_t firstLoad_ = 0, loadCount_ = 0;   // slots
};

}  // namespace trammel

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/types.hpp"

namespace trammel {

/// Writes a state, visited member by member, as plain numbers. Integers and flags are exact as
/// doubles (below 2⁵³). Over numbers of the same size it only copies; `out` has its final size when
/// the writer is gone.
class StateWriter {
 public:
  explicit StateWriter(std::vector<double>& out)
      : out_(out), next_(out.data()), end_(out.data() + out.size()) {}
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;
  ~StateWriter() { out_.resize(size()); }  // never larger than it is

  template <class... Items>
  void operator()(const Items&... items) {
    const std::size_t count = (countOf(items) + ...);
    if (static_cast<std::size_t>(end_ - next_) < count) grow(count);
    (write(items), ...);
  }

 private:
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number>
  static constexpr std::size_t countOf(Number) { return 1; }
  template <std::size_t count>
  static constexpr std::size_t countOf(const std::array<double, count>&) {
    return count;
  }
  template <class Derived>
  static std::size_t countOf(const Eigen::PlainObjectBase<Derived>& values) {
    return static_cast<std::size_t>(values.size());
  }
  static std::size_t countOf(const SparseMatrix& matrix) {
    return static_cast<std::size_t>(matrix.nonZeros());
  }

  template <class Number>
  requires std::integral<Number> || std::floating_point<Number>
  void write(Number value) { *next_++ = static_cast<double>(value); }
  template <std::size_t count>
  void write(const std::array<double, count>& values) {
    next_ = std::copy_n(values.data(), count, next_);
  }
  template <class Derived>
  void write(const Eigen::PlainObjectBase<Derived>& values) {
    next_ = std::copy_n(values.data(), values.size(), next_);
  }
  void write(const SparseMatrix& matrix) {
    next_ = std::copy_n(matrix.valuePtr(), matrix.nonZeros(), next_);
  }
  void grow(std::size_t more);
  std::size_t size() const { return static_cast<std::size_t>(next_ - out_.data()); }

  std::vector<double>& out_;
  double* next_;
  double* end_;
};

/// Reads what StateWriter wrote, in the same order, and notes whether a value differs from the one
/// it replaces. Pre: the caller has checked the total size.
class StateReader {
 public:
  explicit StateReader(std::span<const double> in) : in_(in) {}

  template <class... Items>
  void operator()(Items&... items) {
    (read(items), ...);
  }

  bool changed() const { return changed_; }
  void forgetChanges() { changed_ = false; }

 private:
  void copyTo(double* values, std::size_t size) {
    assert(next_ + size <= in_.size());
    for (std::size_t i = 0; i < size; ++i, ++next_) {
      if (std::bit_cast<std::uint64_t>(values[i]) != std::bit_cast<std::uint64_t>(in_[next_]))
        changed_ = true;
      values[i] = in_[next_];
    }
  }
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number>
  void read(Number& value) {
    double number = static_cast<double>(value);
    copyTo(&number, 1);
    value = static_cast<Number>(number);
  }
  template <std::size_t size>
  void read(std::array<double, size>& values) {
    copyTo(values.data(), size);
  }
  template <class Derived>
  void read(Eigen::PlainObjectBase<Derived>& values) {
    copyTo(values.data(), static_cast<std::size_t>(values.size()));
  }
  void read(SparseMatrix& matrix) {
    copyTo(matrix.valuePtr(), static_cast<std::size_t>(matrix.nonZeros()));
  }

  std::span<const double> in_;
  std::size_t next_ = 0;
  bool changed_ = false;
};

}  // namespace trammel

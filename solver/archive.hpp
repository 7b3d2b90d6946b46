#pragma once

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
/// doubles (below 2⁵³).
class StateWriter {
 public:
  explicit StateWriter(std::vector<double>& out) : out_(out) { out_.clear(); }

  template <class... Items>
  void operator()(const Items&... items) {
    (write(items), ...);
  }

 private:
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number>
  void write(Number value) { out_.push_back(static_cast<double>(value)); }
  template <std::size_t size>
  void write(const std::array<double, size>& values) {
    out_.insert(out_.end(), values.begin(), values.end());
  }
  template <class Derived>
  void write(const Eigen::PlainObjectBase<Derived>& values) {
    out_.insert(out_.end(), values.data(), values.data() + values.size());
  }
  void write(const SparseMatrix& matrix) {
    out_.insert(out_.end(), matrix.valuePtr(), matrix.valuePtr() + matrix.nonZeros());
  }

  std::vector<double>& out_;
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

#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "coupling/fmu_error.hpp"
#include "solver/types.hpp"

namespace trammel::coupling {

/// Values one after another as bytes, written and read in the same order by two processes of one
/// machine. What is read beyond the end throws FmuError.
class Message final {
 public:
  template <class Value>
  void put(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    append(&value, sizeof value);
  }
  void putText(const std::string& text) {
    put(text.size());
    append(text.data(), text.size());
  }
  void putNumbers(const double* values, Index size) {
    put(size);
    append(values, static_cast<std::size_t>(size) * sizeof(double));
  }
  void putNumbers(VectorIn values) { putNumbers(values.data(), values.size()); }

  template <class Value>
  Value get() {
    Value value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string getText() {
    const auto size = get<std::size_t>();
    return {take(size), size};
  }
  Vector getNumbers() {
    const auto size = get<Index>();
    if (size < 0 || static_cast<std::size_t>(size) > bytes_.size() / sizeof(double)) fail();
    Vector values(size);
    const std::size_t count = static_cast<std::size_t>(size) * sizeof(double);
    if (count > 0) std::memcpy(values.data(), take(count), count);
    return values;
  }

  std::vector<char>& bytes() { return bytes_; }
  void clear() {
    bytes_.clear();
    read_ = 0;
  }

 private:
  void append(const void* data, std::size_t size) {
    if (size == 0) return;
    const std::size_t end = bytes_.size();
    bytes_.resize(end + size);
    std::memcpy(bytes_.data() + end, data, size);
  }
  const char* take(std::size_t size) {
    if (size > bytes_.size() - read_) fail();
    const char* place = bytes_.data() + read_;
    read_ += size;
    return place;
  }
  [[noreturn]] static void fail() { throw FmuError("a message of a process is cut short"); }

  std::vector<char> bytes_;
  std::size_t read_ = 0;
};

}  // namespace trammel::coupling

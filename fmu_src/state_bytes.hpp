#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fmu_src/status.hpp"

// States as position-independent bytes: magic, version, token, content, checksum.
namespace trammel::fmi {

inline constexpr std::size_t wordSize = 8;

/// What the bytes of a kind of state begin with.
struct StateFormat {
  std::array<char, 8> magic;
  std::uint64_t version;
};

/// 64-bit FNV-1a.
inline std::uint64_t stateChecksum(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::byte b : bytes)
    hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3U;
  return hash;
}

/// Everything is a 64-bit little-endian word, besides the magic and the token's characters.
class StateWriter {
 public:
  StateWriter(const StateFormat& format, const std::string& token) {
    characters(format.magic);
    word(format.version);
    text(token);
  }
  void word(std::uint64_t value) {
    for (std::size_t i = 0; i < wordSize; ++i)
      bytes_.push_back(static_cast<std::byte>((value >> (8U * i)) & 0xffU));
  }
  void number(double value) { word(std::bit_cast<std::uint64_t>(value)); }
  void characters(std::span<const char> text) {
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
  }
  void text(const std::string& value) {
    word(value.size());
    characters(value);
  }
  void block(std::span<const std::byte> bytes) {
    word(bytes.size());
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void numbers(const std::vector<double>& values) {
    for (const double value : values) number(value);
  }
  void part(double value) { number(value); }
  void part(const std::vector<double>& values) { numbers(values); }
  void flags(const std::vector<std::uint8_t>& values) {
    for (const std::uint8_t value : values) word(value);
  }
  std::vector<std::byte> finish() {
    word(stateChecksum(bytes_));
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
};

class StateReader {
 public:
  explicit StateReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t word() {
    const auto raw = take(wordSize);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < wordSize; ++i)
      value |= std::to_integer<std::uint64_t>(raw[i]) << (8U * i);
    return value;
  }
  double number() { return std::bit_cast<double>(word()); }
  std::string characters(std::uint64_t count) {
    std::string text;
    for (const std::byte b : take(count)) text += static_cast<char>(b);
    return text;
  }
  std::string text() { return characters(word()); }
  std::span<const std::byte> block() { return take(word()); }
  std::vector<double> numbers(std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = number();
    return values;
  }
  void part(double& value) { value = number(); }
  void part(std::vector<double>& values) { values = numbers(values.size()); }
  std::vector<std::uint8_t> flags(std::size_t count) {
    std::vector<std::uint8_t> values(count);
    for (std::uint8_t& value : values) value = flag() ? 1 : 0;
    return values;
  }
  bool flag() {
    const std::uint64_t value = word();
    if (value > 1)
      throw Error("serialized state: a flag is " + std::to_string(value) + ", expected 0 or 1");
    return value == 1;
  }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > bytes_.size())
      throw Error("serialized state: ends early, " + std::to_string(count) +
                  " more bytes expected, " + std::to_string(bytes_.size()) + " there");
    const auto part = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(static_cast<std::size_t>(count));
    return part;
  }

  std::span<const std::byte> bytes_;
};

/// Pre-checks the bytes: what is read from it then are whole bytes of this format and token. Throws
/// Error naming what is wrong.
StateReader openState(std::span<const std::byte> bytes, const StateFormat& format,
                      const std::string& token);

}  // namespace trammel::fmi

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "packaging/check/binary_file.hpp"

namespace trammel::fmi::check {

/// Little-endian numbers and texts of a binary at offsets that are checked.
class ByteView final {
 public:
  explicit ByteView(std::string_view bytes) : bytes_(bytes) {}

  std::size_t size() const { return bytes_.size(); }
  std::uint64_t number(std::uint64_t at, std::size_t length) const {
    if (at > bytes_.size() || length > bytes_.size() - at)
      throw BinaryError("a header points beyond the end of the file");
    std::uint64_t value = 0;
    for (std::size_t i = length; i-- > 0;)
      value = value << 8U | static_cast<unsigned char>(bytes_[at + i]);
    return value;
  }
  std::uint64_t u16(std::uint64_t at) const { return number(at, 2); }
  std::uint64_t u32(std::uint64_t at) const { return number(at, 4); }
  std::uint64_t u64(std::uint64_t at) const { return number(at, 8); }
  /// Up to the terminating zero.
  std::string text(std::uint64_t at) const {
    constexpr std::size_t longest = 4096;
    if (at >= bytes_.size()) throw BinaryError("a name lies beyond the end of the file");
    const std::string_view rest = bytes_.substr(at, longest);
    return std::string(rest.substr(0, rest.find('\0')));
  }
  ByteView part(std::uint64_t at, std::uint64_t length) const {
    if (at > bytes_.size() || length > bytes_.size() - at)
      throw BinaryError("a part reaches beyond the end of the file");
    return ByteView(bytes_.substr(at, length));
  }
  bool startsWith(std::string_view text) const { return bytes_.starts_with(text); }

 private:
  std::string_view bytes_;
};

void readElf(const ByteView& bytes, BinaryFile& binary);
void readPortableExecutable(const ByteView& bytes, BinaryFile& binary);
void readMachO(const ByteView& bytes, BinaryFile& binary);

}  // namespace trammel::fmi::check

// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

#include "single.hpp"

/// \file
/// Bits of numbers as integers: with -ffinite-math-only a compiler evaluates std::isnan(x) to false without reading x.
namespace flags {

[[nodiscard]] inline std::uint32_t bits_of(float x) noexcept { return std::bit_cast<std::uint32_t>(x); }
[[nodiscard]] inline std::uint32_t bits_of(single x) noexcept { return bits_of(x.value); }
template <class T>
[[nodiscard]] bool is_finite(T x) noexcept {
  return (bits_of(x) >> 23 & 0xFF) != 0xFF;
}
template <class T>
[[nodiscard]] bool is_nan(T x) noexcept {
  return !is_finite(x) && (bits_of(x) & 0x7FFFFF) != 0;
}
/// Returns the value with these bits. The compiler never sees it as a constant, which it could fold as its flags
/// allow.
template <class T>
[[nodiscard]] T from_bits(std::uint32_t bits) noexcept {
  volatile std::uint32_t hidden = bits;
  const std::uint32_t loaded = hidden;
  return std::bit_cast<T>(loaded);
}

/// FNV-1a hash of all bits added, folded to 52 bits, which a double holds exactly.
class digest {
 public:
  template <class Values>
  void add(const Values& values) noexcept {
    for (const auto& x : values) add_word(bits_of(x));
  }
  [[nodiscard]] double bits() const noexcept { return static_cast<double>((hash_ >> 52 ^ hash_) & 0xFFFFFFFFFFFFF); }

 private:
  void add_word(std::uint32_t word) noexcept {
    for (int byte = 0; byte < 4; ++byte, word >>= 8) hash_ = (hash_ ^ (word & 0xFF)) * 0x100000001B3;
  }
  std::uint64_t hash_ = 0xCBF29CE484222325;
};

}  // namespace flags

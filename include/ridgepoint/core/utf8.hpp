// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A character of Unicode and the bytes of UTF-8 it takes.
struct code_point {
  char32_t value = 0;
  std::size_t bytes = 0;  // 0: there is none
};

/// The one that a text begins with, if it begins with one in its shortest form that is no surrogate.
[[nodiscard]] constexpr code_point first_code_point(std::string_view text) noexcept {
  const auto byte = [&](std::size_t k) -> std::uint32_t {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0;
  };
  const std::uint32_t lead = byte(0);
  const std::size_t more = lead < 0x80 ? 0 : lead >> 5 == 6 ? 1 : lead >> 4 == 14 ? 2 : lead >> 3 == 30 ? 3 : 4;
  if (more == 4 || text.empty()) return {};
  std::uint32_t point = more == 0 ? lead : lead & (0x3FU >> more);
  for (std::size_t k = 1; k <= more; ++k) {
    if (byte(k) >> 6 != 2) return {};
    point = point << 6 | (byte(k) & 0x3F);
  }
  constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  if (point < least[more] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return {};
  return {.value = point, .bytes = more + 1};
}

/// Calls take(character) for each until one is not UTF-8; returns how many bytes are.
template <class Take>
constexpr std::size_t for_each_code_point(std::string_view text, Take&& take) {
  std::size_t bytes = 0;
  for (code_point next; (next = first_code_point(text.substr(bytes))).bytes != 0; bytes += next.bytes) take(next.value);
  return bytes;
}
/// How many bytes of a text are UTF-8 until one is not.
[[nodiscard]] constexpr std::size_t utf8_bytes(std::string_view text) noexcept {
  return for_each_code_point(text, [](char32_t) {});
}
[[nodiscard]] constexpr bool valid_utf8(std::string_view text) noexcept { return utf8_bytes(text) == text.size(); }

/// Requires: `point` is a character.
constexpr void append_utf8(std::string& text, char32_t point) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
  const auto put_rest = [&](int shift) { put(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) return put(point);
  if (point < 0x800) put(0xC0 | point >> 6);
  else if (point < 0x10000) put(0xE0 | point >> 12);
  else put(0xF0 | point >> 18);
  if (point >= 0x10000) put_rest(12);
  if (point >= 0x800) put_rest(6);
  put_rest(0);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

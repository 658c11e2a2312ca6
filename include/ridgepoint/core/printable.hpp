// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A Unicode character and its number of UTF-8 bytes.
struct code_point {
  char32_t value = 0;
  std::size_t bytes = 0;  // 0: invalid
};

/// Decodes the first character of a text; invalid for an overlong form or a surrogate.
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

/// Calls take(character) for each up to the first invalid byte. Returns the number of valid bytes.
template <class Take>
constexpr std::size_t for_each_code_point(std::string_view text, Take&& take) {
  std::size_t bytes = 0;
  for (code_point next; (next = first_code_point(text.substr(bytes))).bytes != 0; bytes += next.bytes) take(next.value);
  return bytes;
}
/// Returns the number of valid UTF-8 bytes at the start of a text.
[[nodiscard]] constexpr std::size_t utf8_bytes(std::string_view text) noexcept {
  return for_each_code_point(text, [](char32_t) {});
}
[[nodiscard]] constexpr bool valid_utf8(std::string_view text) noexcept { return utf8_bytes(text) == text.size(); }

/// Appends a character. Requires: `point` is a valid character.
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

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Returns true if a terminal, or a reader, may mistake the character for something other than text: control
/// characters, line and paragraph separators, marks that change the direction of text, and zero-width characters.
[[nodiscard]] constexpr bool is_deceptive(char32_t point) noexcept {
  constexpr char32_t ranges[][2] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},      {0x61C, 0x61C},
                                    {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F},
                                    {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF}};
  for (const auto& [first, last] : ranges)
    if (point >= first && point <= last) return true;
  return false;
}

/// Appends "\n", "\t", "\r", or the value in 2 ("\x1b"), 4 ("\u202e") or 8 hexadecimal digits ("\U000e0041").
inline void append_escape(std::string& to, char32_t value, int count) {
  constexpr std::string_view digits = "0123456789abcdef", letters = "tn..r";
  if (value >= '\t' && value <= '\r' && letters[value - '\t'] != '.') {
    to += '\\';
    to += letters[value - '\t'];
    return;
  }
  to += count == 8 ? "\\U" : count == 4 ? "\\u" : "\\x";
  for (int shift = 4 * (count - 1); shift >= 0; shift -= 4) to += digits[value >> shift & 15];
}

}  // namespace detail

/// Escapes external text, such as the name of a file, an option or a variable, so that a terminal shows one line as it
/// is: control characters, bytes that are not UTF-8 and misleading characters become C++ escapes.
/// A text without them, and so a text that is printable already, is returned unchanged. `kept`: control characters that
/// stay, for multi-line text.
/// Example: rp::printable("a\x1b[31m\n\xff") == "a\\x1b[31m\\n\\xff"
[[nodiscard]] inline std::string printable(std::string_view text, std::string_view kept = {}) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const detail::code_point next = detail::first_code_point(text);
    const bool stays = next.bytes == 1 && kept.find(text[0]) != kept.npos;
    if (next.bytes == 0) detail::append_escape(safe, static_cast<unsigned char>(text[0]), 2);
    else if (detail::is_deceptive(next.value) && !stays)
      detail::append_escape(safe, next.value, next.value > 0xFFFF ? 8 : next.value > 0x7F ? 4 : 2);
    else safe += text.substr(0, next.bytes);
    text.remove_prefix(next.bytes == 0 ? 1 : next.bytes);
  }
  return safe;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

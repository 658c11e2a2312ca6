// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <ridgepoint/core/utf8.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Whether a terminal, or a reader, may take the character for something else than text: control characters, line and
/// paragraph separators, marks that turn the direction of text, and what has no width.
[[nodiscard]] constexpr bool is_deceptive(char32_t point) noexcept {
  constexpr char32_t ranges[][2] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},      {0x61C, 0x61C},
                                    {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F},
                                    {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF}};
  for (const auto& [first, last] : ranges)
    if (point >= first && point <= last) return true;
  return false;
}

/// "\n", "\t", "\r", or the value in 2 ("\x1b"), 4 ("\u202e") or 8 hexadecimal digits ("\U000e0041").
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

/// A text from outside, such as the name of a file, an option or a variable, as one line that a terminal shows as it
/// is: control characters, bytes that are not UTF-8 and characters that mislead a reader are escaped as C++ does.
/// A text without them, and so a text that is printable already, comes back unchanged. `kept`: control characters that
/// stay, for what may have several lines.
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

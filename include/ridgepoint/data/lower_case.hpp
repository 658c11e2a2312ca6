// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/utf8.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The small letter of a capital one of the Latin, Greek or Cyrillic alphabet (A–Z, À–Þ, Α–Ϋ, Ѐ–Я); any other
/// character as it is.
[[nodiscard]] constexpr char32_t lower_case(char32_t letter) noexcept {
  struct alphabet {
    char32_t first, last, distance;
  };
  constexpr alphabet capitals[] = {{U'A', U'Z', 32},   {0xC0, 0xD6, 32},   {0xD8, 0xDE, 32},  {0x391, 0x3A1, 32},
                                   {0x3A3, 0x3AB, 32}, {0x400, 0x40F, 80}, {0x410, 0x42F, 32}};
  for (const alphabet& a : capitals)
    if (letter >= a.first && letter <= a.last) return letter + a.distance;
  return letter;
}
/// The same of every letter of a text. Throws: value_error unless it is UTF-8.
/// Example: rp::lower_case("Über") == "über"
[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string lower;
  lower.reserve(text.size());  // a letter takes as many bytes as its capital
  const std::size_t end =
      detail::for_each_code_point(text, [&](char32_t letter) { detail::append_utf8(lower, lower_case(letter)); });
  require<value_error>(end == text.size(), "lower_case: the text is not UTF-8 from byte ", end, " on; must be");
  return lower;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

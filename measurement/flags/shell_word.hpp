// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace measurement {

/// Returns true if a text has only letters, digits and characters of `more`.
inline bool is_made_of_letters_digits_and(std::string_view more, std::string_view text) {
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           more.find(c) != std::string_view::npos;
  });
}

/// Returns a word for a shell, quoted if necessary.
inline std::string shell_word(std::string_view text) {
  if (!text.empty() && is_made_of_letters_digits_and("+,-./:=@_%", text)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace measurement

// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string_view>

namespace measurement {

/// Parses a decimal number; empty for any other text. Rejects hexadecimal and octal numbers, a leading + or 0, other
/// characters before or after the digits, nan, inf, and numbers that T cannot hold: users mean different numbers by
/// 010.
/// Example: decimal<int>("12") == 12, !decimal<int>("012"), decimal<double>("1.5e3") == 1500
template <class T>
  requires std::integral<T> || std::floating_point<T>
[[nodiscard]] std::optional<T> decimal(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  const bool padded = digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (padded || failure != std::errc{} || stop != end) return std::nullopt;
  if constexpr (std::floating_point<T>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

}  // namespace measurement

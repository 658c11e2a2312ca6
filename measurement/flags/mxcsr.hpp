// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace measurement {

/// Control bits of MXCSR, without the status bits.
inline constexpr std::uint32_t mxcsr_control = 0xFFC0, mxcsr_ftz = 1 << 15, mxcsr_daz = 1 << 6;

/// Returns the control bits of "0x1fa5": 0x1f80. Empty if the text is not such a number.
inline std::optional<std::uint32_t> mxcsr_of(std::string_view printed) {
  std::uint32_t word = 0;
  if (!printed.starts_with("0x")) return std::nullopt;
  const char* const end = printed.data() + printed.size();
  const auto [stop, failure] = std::from_chars(printed.data() + 2, end, word, 16);
  return failure == std::errc() && stop == end ? std::optional(word & mxcsr_control) : std::nullopt;
}

}  // namespace measurement

// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace measurement {

/// The bits of MXCSR that say how to reckon, not what happened.
inline constexpr std::uint32_t mxcsr_control = 0xFFC0, mxcsr_ftz = 1 << 15, mxcsr_daz = 1 << 6;

/// The control bits of "0x1fa5": 0x1f80. Nothing of what is no such number.
inline std::optional<std::uint32_t> mxcsr_of(std::string_view told) {
  std::uint32_t word = 0;
  if (!told.starts_with("0x")) return std::nullopt;
  const char* const end = told.data() + told.size();
  const auto [stop, failure] = std::from_chars(told.data() + 2, end, word, 16);
  return failure == std::errc() && stop == end ? std::optional(word & mxcsr_control) : std::nullopt;
}

}  // namespace measurement

// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// CRC-32 as zlib and PNG have it (polynomial 0xEDB88320), a byte at a time.
[[nodiscard]] inline std::uint32_t crc32(std::span<const std::byte> bytes) noexcept {
  static const std::array<std::uint32_t, 256> table = [] {  // at run time: the compiler takes 70 ms for it
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      t[i] = i;
      for (int bit = 0; bit < 8; ++bit) t[i] = (t[i] >> 1) ^ ((t[i] & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    return t;
  }();
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const std::byte b : bytes) crc = (crc >> 8) ^ table[(crc ^ static_cast<std::uint32_t>(b)) & 0xFFU];
  return ~crc;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

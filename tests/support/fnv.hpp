// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

/// FNV-1a, 64 bits, of bytes that follow the bytes hashed in `before`.
[[nodiscard]] inline std::uint64_t fnv(std::span<const std::uint8_t> bytes,
                                       std::uint64_t before = 0xcbf29ce484222325) noexcept {
  for (const std::uint8_t byte : bytes) before = (before ^ byte) * 0x100000001b3;
  return before;
}

// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A workspace that is handed out piece by piece, at multiples of 256 bytes, as in a rehearsal, which has none: so that
/// the plans of products, which know how their operands are aligned, are found again. Of none the pieces lie at
/// addresses that nobody reads: how many bytes they take is then what is asked for.
class pieces {
 public:
  explicit pieces(void* workspace) noexcept
      : at_(workspace == nullptr ? alignment : aligned(std::bit_cast<std::uintptr_t>(workspace))), start_(at_) {}

  /// Room for so many values.
  template <class T>
  [[nodiscard]] T* take(index_t count) noexcept {
    const std::uintptr_t here = at_;
    at_ += aligned(static_cast<std::uintptr_t>(count) * sizeof(T));
    return std::bit_cast<T*>(here);
  }
  /// Of a workspace that may begin anywhere.
  [[nodiscard]] std::size_t bytes() const noexcept { return at_ == start_ ? 0 : at_ - start_ + alignment; }

 private:
  static constexpr std::uintptr_t alignment = 256;
  [[nodiscard]] static constexpr std::uintptr_t aligned(std::uintptr_t bytes) noexcept {
    return (bytes + alignment - 1) / alignment * alignment;
  }
  std::uintptr_t at_, start_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

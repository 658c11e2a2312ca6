// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A workspace that is divided into pieces at multiples of 256 bytes. A rehearsal, which has no workspace, aligns
/// pieces the same way, so that it finds the same plans of products, which depend on alignment. Without a workspace,
/// pieces have placeholder addresses: only their total size is used.
class pieces {
 public:
  explicit pieces(void* workspace) noexcept
      : at_(workspace == nullptr ? alignment : aligned(std::bit_cast<std::uintptr_t>(workspace))), start_(at_) {}

  /// Returns memory for `count` values.
  template <class T>
  [[nodiscard]] T* take(index_t count) noexcept {
    const std::uintptr_t here = at_;
    at_ += aligned(static_cast<std::uintptr_t>(count) * sizeof(T));
    return std::bit_cast<T*>(here);
  }
  /// Returns the size of a workspace that may begin at any address.
  [[nodiscard]] std::size_t bytes() const noexcept { return at_ == start_ ? 0 : at_ - start_ + alignment; }

 private:
  static constexpr std::uintptr_t alignment = 256;
  [[nodiscard]] static constexpr std::uintptr_t aligned(std::uintptr_t bytes) noexcept {
    return (bytes + alignment - 1) / alignment * alignment;
  }
  std::uintptr_t at_, start_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

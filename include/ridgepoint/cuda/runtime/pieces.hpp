// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A workspace that is handed out piece by piece. Of none the pieces lie at addresses that nobody reads: how many bytes
/// they take is then what is asked for.
class pieces {
 public:
  explicit pieces(void* workspace) noexcept
      : at_(workspace == nullptr ? alignment : std::bit_cast<std::uintptr_t>(workspace)), start_(at_) {}

  /// Room for so many values.
  template <class T>
  [[nodiscard]] T* take(index_t count) noexcept {
    const std::uintptr_t here = at_, bytes = static_cast<std::uintptr_t>(count) * sizeof(T);
    at_ += (bytes + alignment - 1) / alignment * alignment;
    return std::bit_cast<T*>(here);
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return at_ - start_; }

 private:
  static constexpr std::uintptr_t alignment = 256;
  std::uintptr_t at_, start_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

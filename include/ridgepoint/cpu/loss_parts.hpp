// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/cpu/in_floats.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The N sums of a loss that compares element with element, in parallel, and its gradient if a.dy is not null:
/// part(y, target, dy, n) gives those of n elements, in the type that T computes in.
template <std::size_t N, class T, class Part>
[[nodiscard]] std::array<double, N> sum_loss(const native_cpu& on, const T* y, const T* target, T* dy, index_t size,
                                             const Part& part) noexcept {
  return sum_parts<N>(on, size, part_elements, [&](index_t begin, index_t end) {
    if constexpr (std::same_as<T, bfloat16>) {
      std::array<double, N> total{};
      for_stretches<2>({target, y}, dy, begin, end, [&](auto& x, index_t n) {
        const std::array<double, N> sums = part(x[1], x[0], dy == nullptr ? nullptr : x[1], n);
        for (std::size_t s = 0; s < N; ++s) total[s] += sums[s];
      });
      return total;
    } else {
      return part(y + begin, target + begin, dy == nullptr ? nullptr : dy + begin, end - begin);
    }
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

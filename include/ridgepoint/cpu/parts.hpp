// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/cpu/cpu_backend.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Elements of one part of an element-wise op: 64 KiB of float, so that a part outweighs its share of starting a team
/// and threads write to separate pages.
inline constexpr index_t part_elements = 16384;

/// body(begin, end) for consecutive parts of [0, size), in parallel. The cut depends on size alone.
template <cpu_backend On, class Body>
void for_parts(const On& on, index_t size, Body&& body) noexcept {
  parallel_for(size > part_elements ? on.thread_count() : 1, ceil_div(size, part_elements),
               [&](index_t part) { body(part * part_elements, (std::min)(size, (part + 1) * part_elements)); });
}

/// Σ over parts of body(begin, end), an array of N sums, in the order of the parts whatever thread made them.
/// `quantum` is the least worth cutting: parts are multiples of it, at most 256 of them.
template <std::size_t N, cpu_backend On, class Body>
std::array<double, N> sum_parts(const On& on, index_t size, index_t quantum, Body&& body) noexcept {
  constexpr index_t max_parts = 256;
  const index_t part_size = round_up(std::max<index_t>(ceil_div(size, max_parts), 1), quantum),
                parts = ceil_div(size, part_size);
  std::array<std::array<double, N>, max_parts> partial;
  parallel_for(parts > 1 ? on.thread_count() : 1, parts, [&](index_t part) {
    partial[static_cast<std::size_t>(part)] = body(part * part_size, (std::min)(size, (part + 1) * part_size));
  });
  std::array<double, N> total{};
  for (index_t part = 0; part < parts; ++part)
    for (std::size_t s = 0; s < N; ++s) total[s] += partial[static_cast<std::size_t>(part)][s];
  return total;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

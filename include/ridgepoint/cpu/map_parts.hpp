// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/cacheable.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/map.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// out(i) ← formula(in(i)…) for all elements, in parallel; out may be one of the inputs.
template <std::floating_point T, std::size_t Ins, class Formula>
void map_parts(const native_cpu& on, const std::array<const T*, Ins>& in, T* out, index_t size,
               const Formula& formula) noexcept {
  const kernels::stores how = detail::stores_of_map(in, out, size);
  for_parts(on, size, [&](index_t begin, index_t end) {
    std::array<const T*, Ins> from = in;
    for (const T*& p : from) p += begin;
    kernels::map_to(from, out + begin, end - begin, how, formula);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

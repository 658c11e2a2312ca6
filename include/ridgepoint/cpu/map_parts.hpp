// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/cpu/past_caches.hpp>
#include <ridgepoint/kernels/map/map.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// out(i) ← formula(in(i)…) for all elements, in parallel; out may be one of the inputs.
///
/// Arrays that the caches can not hold are written past them: a store through a cache reads the line first, which for
/// one input and one output is a third of the traffic. The results are the same bits.
template <std::floating_point T, std::size_t Ins, class Formula>
void map_parts(const native_cpu& on, const std::array<const T*, Ins>& in, T* out, index_t size,
               const Formula& formula) noexcept {
  const auto run = [&]<kernels::stores Stores>() {
    for_parts(on, size, [&](index_t begin, index_t end) {
      std::array<const T*, Ins> from = in;
      for (const T*& p : from) p += begin;
      kernels::map<T, Ins, 1, Stores>(from, {out + begin}, end - begin, formula);
    });
  };
  const bool apart = std::find(in.begin(), in.end(), out) == in.end();
  if (apart) detail::with_stores(static_cast<std::size_t>(size) * sizeof(T) * (Ins + 1), out, run);
  else run.template operator()<kernels::stores::cached>();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <utility>

#include <ridgepoint/kernels/recurrent/lines.hpp>
#include <ridgepoint/simd/lanes.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// out(i, j)… ← formula(in(i, j)…) for i < rows and j < width: a register at a time along each row, the last in part.
///
/// formula takes one simd::batch per input and returns an array of one per output, or of more, the last of which are
/// left. All inputs of a register are read before its outputs are written, in their order: an output may be an input,
/// and two may be the same memory.
template <class T, std::size_t Ins, std::size_t Outs, class Formula>
RIDGEPOINT_INLINE void map_rows(index_t rows, index_t width, std::array<lines<const T>, Ins> in,
                                std::array<lines<T>, Outs> out, const Formula& formula) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  const auto apply = [&](auto load) RIDGEPOINT_INLINE_LAMBDA {
    return [&]<std::size_t... Input>(std::index_sequence<Input...>) RIDGEPOINT_INLINE_LAMBDA {
      return formula(load(in[Input].data)...);
    }
    (std::make_index_sequence<Ins>{});
  };
  for (index_t i = 0; i < rows; ++i) {
    index_t j = 0;
    for (; j + lanes <= width; j += lanes) {
      const auto result = apply([j](const T* row) RIDGEPOINT_INLINE_LAMBDA { return simd::load(row + j); });
      RIDGEPOINT_UNROLL
      for (std::size_t o = 0; o < Outs; ++o) simd::store(out[o].data + j, result[o]);
    }
    if (j < width) {
      const index_t n = width - j;
      const auto result =
          apply([j, n](const T* row) RIDGEPOINT_INLINE_LAMBDA { return simd::load_partial(row + j, n); });
      RIDGEPOINT_UNROLL
      for (std::size_t o = 0; o < Outs; ++o) simd::store_partial(out[o].data + j, result[o], n);
    }
    for (auto& row : in) row.data += row.ld;
    for (auto& row : out) row.data += row.ld;
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

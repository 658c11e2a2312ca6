// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <functional>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/map/convert_kernels.hpp>
#include <ridgepoint/simd/batch.hpp>

/// \file
/// Kernels on elements stored in bfloat16: converts a chunk of the operands that fits L1, or some rows of a matrix, to
/// floats, runs the f32 kernel on it, and rounds the results back.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// y(i) ← f(x(i)), where one of x, y is float and the other bfloat16; f takes a batch of floats.
template <class To, class From, class F = std::identity>
void convert(const From* x, To* y, index_t size, const F& f = {}) noexcept {
  constexpr index_t lanes = simd::lanes<float>, unroll = 4;
  index_t i = 0;
  for (; i + unroll * lanes <= size; i += unroll * lanes) {
    RIDGEPOINT_UNROLL
    for (index_t u = 0; u < unroll; ++u) simd::store(y + i + u * lanes, f(simd::load(x + i + u * lanes)));
  }
  for (; i < size; i += lanes) {
    const index_t n = size - i < lanes ? size - i : lanes;
    simd::store_partial(y + i, f(simd::load_partial(x + i, n)), n);
  }
}

template <class To, class From>
void convert_chunk<To, From>::run(const convert_args<To, From>& a, index_t begin, index_t end) noexcept {
  using batch = simd::batch<float>;
  const From* const x = a.x + begin;
  To* const y = a.y + begin;
  if (a.scale_state == nullptr) return kernels::convert(x, y, end - begin);
  const float factor = ridgepoint::detail::conversion_factor(a);
  kernels::convert(x, y, end - begin, [factor](const batch& value) { return value * batch(factor); });
}

/// Ins chunks of floats, adjacent in L1.
template <std::size_t Ins>
struct float_stretches {
  static constexpr index_t most = 1024;  // two of them are 8 KiB
  alignas(alignment_bytes) float values[Ins][most];
};

/// Calls run(values, n) for consecutive chunks [i, i + n) of [begin, end); values[k] holds in[k] as floats. The last of
/// `values` is stored to out, unless out is null.
template <std::size_t Ins, class Run>
void for_stretches(const std::array<const bfloat16*, Ins>& in, bfloat16* out, index_t begin, index_t end,
                   const Run& run) noexcept {
  using stretches = float_stretches<Ins>;
  stretches floats;
  for (index_t i = begin; i < end; i += stretches::most) {
    const index_t n = (std::min)(stretches::most, end - i);
    for (std::size_t k = 0; k < Ins; ++k) kernels::convert(in[k] + i, floats.values[k], n);
    run(floats.values, n);
    if (out != nullptr) kernels::convert(floats.values[Ins - 1], out + i, n);
  }
}

/// Converts rows [begin, end) to floats at `memory`, row after row. Requires: rows contiguous.
[[nodiscard]] inline matrix_view<float> rows_as_floats(const matrix_view<const bfloat16>& x, index_t begin, index_t end,
                                                       float* memory) noexcept {
  const matrix_view<float> to(memory, end - begin, x.cols);
  for (index_t i = 0; i < to.rows; ++i) kernels::convert(&x(begin + i, 0), &to(i, 0), x.cols);
  return to;
}
/// Stores `rows` to the rows of y from `begin` on. Requires: rows contiguous.
inline void store_rows(const matrix_view<const float>& rows, const matrix_view<bfloat16>& y, index_t begin) noexcept {
  for (index_t i = 0; i < rows.rows; ++i) kernels::convert(&rows(i, 0), &y(begin + i, 0), rows.cols);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

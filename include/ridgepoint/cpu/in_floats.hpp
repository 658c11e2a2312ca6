// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/core/view.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/convert.hpp>

/// \file
/// Ops on elements stored in bfloat16 as the same ops on floats: a stretch of the operands that stays in L1, or some
/// rows of a matrix, becomes floats, the kernel of f32 runs on it, and what it makes is rounded on the way back.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Ins stretches of floats, beside each other in L1.
template <std::size_t Ins>
struct float_stretches {
  static constexpr index_t most = 1024;  // two of them are 8 KiB
  alignas(alignment_bytes) float values[Ins][most];
};

/// run(values, n) for consecutive stretches [i, i + n) of [begin, end), with values[k] those of in[k] as floats; the
/// last is what out becomes, unless that is null.
template <std::size_t Ins, class Run>
void for_stretches(const std::array<const bfloat16*, Ins>& in, bfloat16* out, index_t begin, index_t end,
                   const Run& run) noexcept {
  using stretches = float_stretches<Ins>;
  stretches floats;
  for (index_t i = begin; i < end; i += stretches::most) {
    const index_t n = std::min(stretches::most, end - i);
    for (std::size_t k = 0; k < Ins; ++k) kernels::convert(in[k] + i, floats.values[k], n);
    run(floats.values, n);
    if (out != nullptr) kernels::convert(floats.values[Ins - 1], out + i, n);
  }
}
/// The same for all elements, in parallel.
template <std::size_t Ins, class Run>
void in_floats(const native_cpu& on, const std::array<const bfloat16*, Ins>& in, bfloat16* out, index_t size,
               const Run& run) noexcept {
  for_parts(on, size, [&](index_t begin, index_t end) { for_stretches(in, out, begin, end, run); });
}

/// Rows [begin, end) as floats, row after row, until the thread's next call. Requires: rows contiguous.
[[nodiscard]] inline matrix_view<float> rows_as_floats(const matrix_view<const bfloat16>& x, index_t begin,
                                                       index_t end) {
  struct tag;
  const index_t rows = end - begin, cols = x.cols;
  const matrix_view<float> to(thread_scratch_of<tag, float>(rows * cols), rows, cols);
  for (index_t i = 0; i < rows; ++i) kernels::convert(&x(begin + i, 0), &to(i, 0), cols);
  return to;
}
/// The rows of y from `begin` on ← these. Requires: rows contiguous.
inline void store_rows(const matrix_view<const float>& rows, const matrix_view<bfloat16>& y, index_t begin) noexcept {
  for (index_t i = 0; i < rows.rows; ++i) kernels::convert(&rows(i, 0), &y(begin + i, 0), rows.cols);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/ops/prepare.hpp>
#include <ridgepoint/ops/sequence_mask.hpp>

/// \file
/// Steps of a sequence as rows of one matrix, sample after sample of each step, and what else the passes of recurrent
/// layers share.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Whether all rows of a sequence are at one distance, row_step(), in the order of steps and then samples. One that
/// goes backwards is not.
template <class T>
[[nodiscard]] constexpr bool is_one_matrix(const sequence_view<T>& v) noexcept {
  return v.step_stride >= 0 && (v.batch == 1 || v.steps == 1 || v.step_stride == v.batch * v.sample_stride);
}
template <class T>
[[nodiscard]] constexpr index_t row_step(const sequence_view<T>& v) noexcept {
  return v.batch == 1 ? v.step_stride : v.sample_stride;
}
/// All rows of such a sequence.
template <class T>
[[nodiscard]] constexpr matrix_view<T> all_rows(const sequence_view<T>& v) noexcept {
  return {v.data, v.steps * v.batch, v.width, row_step(v)};
}

/// Whether register tiles read `chunk` steps of `part` samples where they are: several as one matrix; one, if its rows
/// do not evict each other from L1.
template <class T>
[[nodiscard]] constexpr bool reads_input_in_place(const sequence_view<T>& x, index_t chunk, index_t part) noexcept {
  if (chunk > 1) return is_one_matrix(x) && part == x.batch;
  return part <= 8 || x.sample_stride * static_cast<index_t>(sizeof(T)) % 4096 != 0;
}

/// Samples [row, row + rows) of steps [first, first + count) as the rows of a matrix: where they are, or, if ld is not
/// 0, copied to `copy` at that distance.
template <class T>
[[nodiscard]] matrix_view<const T> input_rows(const sequence_view<const T>& x, index_t first, index_t count,
                                              index_t row, index_t rows, index_t ld, T* copy) noexcept {
  if (ld == 0) return {&x(first, row, 0), count * rows, x.width, count == 1 ? x.sample_stride : row_step(x)};
  T* to = copy;
  for (index_t t = first; t < first + count; ++t)
    for (index_t i = 0; i < rows; ++i, to += ld) std::copy_n(&x(t, row + i, 0), x.width, to);
  return {copy, count * rows, x.width, ld};
}

/// to ← samples [row, row + rows) of a dense state; zeros where none is given.
template <class T>
void load_state(const T* from, index_t row, index_t rows, index_t width, T* to, index_t ld) noexcept {
  for (index_t i = 0; i < rows; ++i) {
    if (from == nullptr) std::fill_n(to + i * ld, width, T(0));
    else std::copy_n(from + (row + i) * width, width, to + i * ld);
  }
}
/// Samples [row, row + rows) of a dense state, where one is wanted, ← from.
template <class T>
void store_state(const T* from, index_t ld, index_t row, index_t rows, index_t width, T* to) noexcept {
  for (index_t i = 0; to != nullptr && i < rows; ++i) std::copy_n(from + i * ld, width, to + (row + i) * width);
}

/// step(some) and skip(some) for the samples of a cell_place: adjacent ones together, as the mask has step at.t count.
template <class Place, class Step, class Skip>
void for_masked_samples(const sequence_mask& mask, const Place& at, const Step& step, const Skip& skip) noexcept {
  if (mask.data == nullptr) return step(at);
  for (index_t first = 0, end = 0; first < at.rows; first = end) {
    const bool skips = is_skipped(mask, at.t, at.row + first);
    end = first + 1;
    while (end < at.rows && is_skipped(mask, at.t, at.row + end) == skips) ++end;
    if (skips) skip(at.of_rows(first, end - first));
    else step(at.of_rows(first, end - first));
  }
}

/// Rows of samples that skip step t ← those of `from`, at one distance.
template <class T>
void keep_skipped(const sequence_mask& mask, index_t t, index_t row, index_t rows, index_t width, const T* from, T* to,
                  index_t ld) noexcept {
  for (index_t i = 0; mask.data != nullptr && i < rows; ++i)
    if (is_skipped(mask, t, row + i)) std::copy_n(from + i * ld, width, to + i * ld);
}

/// Whether `count` values lie in memory that changes only when constants are made anew.
template <class T>
[[nodiscard]] bool is_constant(const T* values, index_t count, const prepare_options& options) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(values), all = reinterpret_cast<std::uintptr_t>(options.constant);
  return all != 0 && first >= all &&
         first - all + static_cast<std::size_t>(count) * sizeof(T) <= options.constant_bytes;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

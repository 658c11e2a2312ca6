// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/gru.hpp>
#include <ridgepoint/ops/lstm.hpp>
#include <ridgepoint/ops/recurrent.hpp>
#include <ridgepoint/ops/rnn.hpp>

/// \file
/// Kernels of recurrent layers: products of some rows with packed weights, the packing, and the cells.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Rows that a cell reads or writes: row i at data + i·ld. ld = 0 uses one row for all.
template <class T>
struct lines {
  T* data = nullptr;
  index_t ld = 0;
  /// Returns the rows from column j on.
  [[nodiscard]] constexpr lines from(index_t j) const noexcept { return {data + j, ld}; }
  /// Returns the rows from row i on.
  [[nodiscard]] constexpr lines below(index_t i) const noexcept { return {data + i * ld, ld}; }
  constexpr operator lines<const T>() const noexcept requires(!std::is_const_v<T>) { return {data, ld}; }
};

template <class T>
void fill_rows(index_t rows, index_t width, const lines<T>& out, T value) noexcept {
  for (index_t i = 0; i < rows; ++i) std::fill_n(out.data + i * out.ld, width, value);
}
template <class T>
void copy_rows(index_t rows, index_t width, const lines<const T>& from, const lines<T>& to) noexcept {
  for (index_t i = 0; i < rows; ++i) std::copy_n(from.data + i * from.ld, width, to.data + i * to.ld);
}

/// Samples [row, row + rows) and units [unit, unit + width) that a cell computes in one step.
template <class T>
struct cell_place {
  index_t phase = 0, t = 0, row = 0, rows = 0, unit = 0, width = 0;
  std::array<lines<const T>, 4> sums = {};  // of the gates, in order; then the state's, if separate
  lines<const T> h = {};                    // h(t − 1)
  lines<T> next = {};                       // h(t)
  lines<T> other = {};                      // the state of phase 1
  lines<T> kept = {};                       // from step to step; initially the cell's initial values

  /// Returns the place of `count` samples from number `first` on.
  [[nodiscard]] cell_place of_rows(index_t first, index_t count) const noexcept {
    cell_place some = *this;
    some.row += first, some.rows = count;
    for (auto& sum : some.sums) sum = sum.below(first);
    some.h = h.below(first), some.next = next.below(first), some.other = other.below(first);
    some.kept = kept.below(first);
    return some;
  }
  /// Returns the rows of y or, if y is missing, of h(t).
  [[nodiscard]] lines<T> rows_or_next(const sequence_view<T>& y) const noexcept {
    return y.data == nullptr ? next : lines<T>{&y(t, row, unit), y.sample_stride};
  }
};

/// Samples [row, row + rows), all units, whose gradients a cell computes in one step.
template <class T>
struct cell_place_back {
  index_t phase = 0, t = 0, row = 0, rows = 0;
  lines<const T> zeros = {}, dy = {}, h = {};  // h(t − 1)
  lines<T> dh = {}, da = {};                   // da: gate after gate
  lines<T> kept = {};                          // from step to step; initially the cell's initial values, or zeros
  lines<T> other = {};                         // phase 1: the gradient of r∘h
  lines<T> reset = {};                         // r∘h of this step, for dwh

  /// Returns the place of `count` samples from number `first` on.
  [[nodiscard]] cell_place_back of_rows(index_t first, index_t count) const noexcept {
    cell_place_back some = *this;
    some.row += first, some.rows = count;
    some.dy = dy.below(first), some.h = h.below(first), some.dh = dh.below(first), some.da = da.below(first);
    some.kept = kept.below(first), some.other = other.below(first), some.reset = reset.below(first);
    return some;
  }
  /// Returns the rows of an optional operand: zeros if it is missing.
  [[nodiscard]] lines<const T> rows_of(const T* values, index_t ld) const noexcept {
    return values == nullptr ? zeros : lines<const T>{values + row * ld, ld};
  }
};

/// Product of rows and weights in panels. Each panel of units has `gates` panels of weights, of c and of the bias, gate
/// after gate.
template <class T>
struct panel_product {
  matrix_view<const T> a = {};     // rows are contiguous
  const T* packed_a = nullptr;     // a from pack_rows, for instruction sets whose tiles do not read rows
  const T* weights = nullptr;      // of the first panel
  index_t panel = 0;               // elements from one panel of weights to the next
  index_t gates = 1, columns = 0;  // units
  T* c = nullptr;
  index_t ldc = 0;
  T beta = T(0);
  const T* bias = nullptr;
};

/// c ← a·weights + β·c + bias.
template <class T>
struct times_panels {
  static constexpr auto id = kernel_id<T>("times_panels");
  static void run(const panel_product<T>& p) noexcept;
};
/// Packs rows in the order of register tiles.
template <class T>
struct pack_rows {
  static constexpr auto id = kernel_id<T>("pack_rows");
  static void run(const matrix_view<const T>& a, T* to) noexcept;
};
/// Packs rows of the weights of adjacent gates, (rows, gates·units), for times_panels: `panel` elements from one panel
/// to the next.
template <class T>
struct pack_gates {
  static constexpr auto id = kernel_id<T>("pack_gates");
  static void run(const matrix_view<const T>& weights, index_t gates, index_t panel, T* to) noexcept;
};
/// Adds biases, gates·units gate after gate, to the biases of panels of `width` units, whose gates are adjacent.
template <class T>
struct add_gate_biases {
  static constexpr auto id = kernel_id<T>("add_gate_biases");
  static void run(const T* bias, index_t gates, index_t units, index_t width, T* to) noexcept;
};
/// Sets both `to` and `copy`, which may be the same rows, to a + b.
template <class T>
struct add_rows {
  static constexpr auto id = kernel_id<T>("add_rows");
  static void run(index_t rows, index_t width, const lines<const T>& a, const lines<const T>& b, const lines<T>& to,
                  const lines<T>& copy) noexcept;
};

// Kernels of gru(): h(t) of some units from their gates' sums, in two phases if the reset is before, with z kept
// between them. Backward: da of some samples, and the part of the previous state's gradient that bypasses the
// products.

template <class T>
struct gru_step {
  static constexpr auto id = kernel_id<T>("gru_step");
  static void run(const gru_args<T>& a, const cell_place<T>& at) noexcept;
};
template <class T>
struct gru_step_back {
  static constexpr auto id = kernel_id<T>("gru_step_back");
  static void run(const gru_backward_args<T>& a, const cell_place_back<T>& at) noexcept;
};

// Kernels of lstm(): c and h of some units from their gates' sums; c(t − 1) is read from saved or kept memory.
// Backward: da of some samples; dc is kept.

template <class T>
struct lstm_step {
  static constexpr auto id = kernel_id<T>("lstm_step");
  static void run(const lstm_args<T>& a, const cell_place<T>& at) noexcept;
};
template <class T>
struct lstm_step_back {
  static constexpr auto id = kernel_id<T>("lstm_step_back");
  static void run(const lstm_backward_args<T>& a, const cell_place_back<T>& at) noexcept;
};

// Kernels of rnn(): h(t) of some units from their sums; and da ← f'(h(t))·dh of some samples.

template <class T>
struct rnn_step {
  static constexpr auto id = kernel_id<T>("rnn_step");
  static void run(const rnn_args<T>& a, const cell_place<T>& at) noexcept;
};
template <class T>
struct rnn_step_back {
  static constexpr auto id = kernel_id<T>("rnn_step_back");
  static void run(const rnn_backward_args<T>& a, const cell_place_back<T>& at) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/recurrent/recurrent.hpp>
#endif

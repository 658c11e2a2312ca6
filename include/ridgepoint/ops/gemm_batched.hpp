// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// `count` GEMMs of one shape. Problem q has its operands q steps after the first's, or, where an array of pointers is
/// given, at the q-th pointer. A step of 0 shares an operand of A or B among all problems.
template <scalar T>
struct gemm_batched_args {
  gemm_args<T> first;                                          // shapes, strides, options; operands of problem 0
  index_t count = 0;
  index_t a_step = 0, b_step = 0, c_step = 0;                  // elements
  const T* const* a_at = nullptr;                              // host arrays of `count` pointers, or none
  const T* const* b_at = nullptr;
  T* const* c_at = nullptr;

  /// Problem q.
  [[nodiscard]] constexpr gemm_args<T> operator[](index_t q) const noexcept {
    gemm_args<T> g = first;
    g.a.data = a_at != nullptr ? a_at[q] : first.a.data + q * a_step;
    g.b.data = b_at != nullptr ? b_at[q] : first.b.data + q * b_step;
    g.c.data = c_at != nullptr ? c_at[q] : first.c.data + q * c_step;
    return g;
  }
};

/// Receipt: `count` times gemm_work, a shared operand's bytes once.
template <scalar T>
[[nodiscard]] constexpr work receipt(const gemm_batched_args<T>& g) noexcept {
  const auto count = static_cast<std::uint64_t>(g.count);
  const work one = gemm_work<T>(g.first.c.rows, g.first.c.cols, g.first.a.cols, g.first.options);
  work total{.flop = one.flop * count, .matrix_flop = one.matrix_flop * count, .special = one.special * count,
             .bytes = {one.bytes.inputs * count, one.bytes.weights * count, one.bytes.outputs * count}};
  if (count < 2) return total;
  constexpr std::uint64_t bytes = scalar_traits<T>::bytes;
  const auto shared = [&](const auto& view, bool is) {
    return is ? bytes * (count - 1) * static_cast<std::uint64_t>(view.rows * view.cols) : 0U;
  };
  total.bytes.inputs -= shared(g.first.a, g.a_at == nullptr && g.a_step == 0);
  total.bytes.weights -= shared(g.first.b, g.b_at == nullptr && g.b_step == 0);
  if (g.first.options.bias != nullptr)
    total.bytes.weights -= bytes * (count - 1) * static_cast<std::uint64_t>(g.first.c.cols);
  return total;
}

/// Throws: shape_error where gemm_batched() does.
template <scalar T>
void check(const gemm_batched_args<T>& g) {
  require<shape_error>(g.count >= 0, "gemm_batched: count is ", g.count, "; must be >= 0");
  static_cast<void>(checked_mul(g.count, checked_mul(g.first.c.rows, g.first.c.cols)));
  if (g.a_at != nullptr || g.b_at != nullptr || g.c_at != nullptr) {
    for (index_t q = 0; q < g.count; ++q) check(g[q]);
    return;
  }
  if (g.count == 0) return;
  check(g.first);
  const auto& c = g.first.c;
  const index_t rows_apart = c.row_stride < 0 ? -c.row_stride : c.row_stride,
                cols_apart = c.col_stride < 0 ? -c.col_stride : c.col_stride;
  const index_t reach = c.rows * c.cols == 0 ? 0 : (c.rows - 1) * rows_apart + (c.cols - 1) * cols_apart + 1;
  require<shape_error>(g.count < 2 || (g.c_step < 0 ? -g.c_step : g.c_step) >= reach, "gemm_batched: c_step is ",
                       g.c_step, "; problems of ", c, " need at least ", reach);
}

/// C_q ← f(α·A_q·B_q + β·C_q + bias) for q = 0 … count − 1, shapes and options shared.
///
/// Small problems run one to a thread; a shared B with A and C stacked becomes one tall GEMM.
/// Work: receipt(args). Throws: shape_error where gemm() does, or if two C_q could share elements; nothing is written
/// then.
/// Example:
///   rp::gemm_batched(on, rp::gemm_batched_args<float>{.first = {.a = a, .b = b, .c = c}, .count = 64,
///                                                     .a_step = m * k, .b_step = k * n, .c_step = m * n});
template <scalar T, backend Backend>
  requires executes<Backend, gemm_batched_args<T>>
work gemm_batched(const Backend& on, const gemm_batched_args<T>& args) {
  check(args);
  execute(on, args);
  return receipt(args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include <ridgepoint/cpu/gemm_bfloat16.hpp>
#include <ridgepoint/cpu/gemm_prepare.hpp>
#include <ridgepoint/kernels/map/column_sum_kernels.hpp>
#include <ridgepoint/ops/dense.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Returns the product of a pass of dense().
template <class T>
[[nodiscard]] gemm_args<T> product_of(const dense_args<T>& d) noexcept {
  return {.a = d.x, .b = d.w, .c = d.y, .options = {.bias = d.bias, .act = d.act}};
}
template <class T>
[[nodiscard]] gemm_args<T> product_of(const dense_backward_data_args<T>& d) noexcept {
  return {.a = d.dy, .b = d.w.transposed(), .c = d.dx};
}
template <class T>
[[nodiscard]] gemm_args<T> product_of(const dense_backward_weights_args<T>& d) noexcept {
  return {.a = d.x.transposed(), .b = d.dy, .c = d.dw};
}

/// sums(j) ← Σ_i a(i, j).
template <cpu_backend On, class T>
void sum_columns(const On& on, const matrix_view<const T>& a, T* sums) noexcept {
  constexpr index_t part_cols = 128;  // a part reads whole cache lines of every row
  const bool worth_a_team = a.rows * a.cols > 65536;
  parallel_for(worth_a_team ? on.thread_count() : 1, ceil_div(a.cols, part_cols), [&](index_t part) {
    on.template call<kernels::column_sum<T>>(a, sums, part * part_cols, (std::min)(a.cols, (part + 1) * part_cols));
  });
}

/// Runs the rest of the pass, after the product.
template <cpu_backend On, class Args>
void after_product(const On&, const Args&) noexcept {}
template <cpu_backend On, class T>
void after_product(const On& on, const dense_backward_weights_args<T>& d) noexcept {
  if (d.db != nullptr) sum_columns(on, d.dy, d.db);
}

}  // namespace detail

/// dense() and its passes: one product each, and the gradient of the bias.
template <class Args>
concept dense_pass = requires(const Args& d) {
  detail::product_of(d);
};

template <cpu_backend On, dense_pass Args>
void execute(const On& on, const Args& d) {
  execute(on, detail::product_of(d));
  detail::after_product(on, d);
}
template <cpu_backend On, dense_pass Args>
  requires(prepares<On, decltype(detail::product_of(std::declval<const Args&>()))>)
[[nodiscard]] auto prepare(const On& on, const Args& d, const prepare_options& options = {}) {
  auto made = prepare(on, detail::product_of(d), options);
  const work product = receipt(detail::product_of(d));
  work whole = receipt(d);
  whole.flop += made.info.executed.flop - product.flop;
  whole.matrix_flop += made.info.executed.matrix_flop - product.matrix_flop;
  made.info.executed = whole;
  return made;
}
template <cpu_backend On, dense_pass Args, class T>
void make_constants(const On& on, const gemm_prepared<T>& made, const Args& d, void* to) {
  make_constants(on, made, detail::product_of(d), to);
}
template <cpu_backend On, dense_pass Args, class T>
void execute(const On& on, const gemm_prepared<T>& made, const Args& d, const call_memory& memory) {
  execute(on, made, detail::product_of(d), memory);
  detail::after_product(on, d);
}
template <dense_pass Args>
auto kernels_of(const Args& d) -> decltype(kernels_of(detail::product_of(d)));
template <class T>
auto kernels_of(const dense_backward_weights_args<T>& d)
    -> decltype(kernels_of(detail::product_of(d)) + type_list<kernels::column_sum<T>>{});

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

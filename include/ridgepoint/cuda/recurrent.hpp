// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <ridgepoint/cuda/gemm.hpp>
#include <ridgepoint/cuda/gemm_with_sums.hpp>
#include <ridgepoint/cuda/runtime/pieces.hpp>
#include <ridgepoint/ops/recurrent.hpp>

/// \file
/// What recurrent layers on a GPU share. The products of all inputs are one product with as many rows as there are
/// steps of samples; then each step is a product with the state before it and a kernel of the cell's own. Backwards the
/// same in the other order: the gradients of the sums of all steps stay in the workspace, and those of the weights are
/// one product again.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Whether samples lie outermost in memory, and whether steps go backwards there.
template <class T>
[[nodiscard]] constexpr bool samples_outermost(const sequence_view<T>& v) noexcept {
  return v.steps > 1 && v.batch > 1 && (v.step_stride < 0 ? -v.step_stride : v.step_stride) < v.sample_stride;
}
template <class T>
[[nodiscard]] constexpr bool goes_backwards(const sequence_view<T>& v) noexcept {
  return v.steps > 1 && v.step_stride < 0;
}
/// The steps of all samples as rows of one matrix, as they lie in memory; nothing where they lie unevenly.
template <class T>
[[nodiscard]] constexpr std::optional<matrix_view<T>> steps_as_rows(const sequence_view<T>& v) noexcept {
  const sequence_view<T> up = goes_backwards(v) ? v.reversed() : v;
  const index_t rows = v.steps * v.batch;
  if (v.steps == 1 || up.step_stride == v.batch * up.sample_stride)
    return matrix_view<T>{up.data, rows, v.width, up.sample_stride};
  if (v.batch == 1 || up.sample_stride == v.steps * up.step_stride)
    return matrix_view<T>{up.data, rows, v.width, up.step_stride};
  return std::nullopt;
}
/// A dense sequence of another width, whose rows lie in the order of those of x.
template <class T, class X>
[[nodiscard]] constexpr sequence_view<T> beside(const sequence_view<X>& x, T* data, index_t width) noexcept {
  const auto v = samples_outermost(x) ? sequence_view<T>::sample_major(data, x.steps, x.batch, width)
                                      : sequence_view<T>::time_major(data, x.steps, x.batch, width);
  return goes_backwards(x) ? v.reversed() : v;
}
/// call(rows of a, rows of b, 0) of all rows where they lie alike, else step by step, t being the last argument.
template <class A, class B, class Call>
void each_rows(const sequence_view<A>& a, const sequence_view<B>& b, const Call& call) {
  const auto of_a = steps_as_rows(a);
  const auto of_b = steps_as_rows(b);
  if (of_a && of_b && samples_outermost(a) == samples_outermost(b) && goes_backwards(a) == goes_backwards(b))
    return call(*of_a, *of_b, index_t{0});
  for (index_t t = 0; t < a.steps; ++t) call(a.step(t), b.step(t), t);
}

/// Where the mask of step t begins; null without one.
[[nodiscard]] constexpr const std::int32_t* mask_at(const sequence_mask& mask, index_t t) noexcept {
  return mask.data == nullptr ? nullptr : mask.data + t * mask.step_stride;
}
/// Where step t of a sequence begins; null if it is not there.
template <class T>
[[nodiscard]] constexpr T* step_at(const sequence_view<T>& v, index_t t) noexcept {
  return v.data == nullptr ? nullptr : v.data + t * v.step_stride;
}

/// The state behind each step: in y, or where that is not wanted in memory for one.
template <class T>
class recurrent_states {
 public:
  recurrent_states(const recurrent<T>& a, const recurrent_geometry& g, pieces& from)
      : h0_(a.h0, g.n, g.width()),
        y_(a.y),
        own_(y_.data != nullptr ? nullptr : from.take<T>(g.n * g.width()), g.n, g.width()) {}

  [[nodiscard]] matrix_view<T> after(index_t t) const noexcept { return y_.data != nullptr ? y_.step(t) : own_; }
  /// Without data: zeros.
  [[nodiscard]] matrix_view<const T> before(index_t t) const noexcept { return t == 0 ? h0_ : after(t - 1); }

 private:
  matrix_view<const T> h0_;
  sequence_view<T> y_;
  matrix_view<T> own_;
};
/// The same of a backward pass.
template <class T>
[[nodiscard]] matrix_view<const T> state_before(const recurrent_backward<T>& a, const recurrent_geometry& g,
                                                index_t t) noexcept {
  return t == 0 ? matrix_view<const T>(a.h0, g.n, g.width()) : a.y.step(t - 1);
}

/// What every cell has of its workspace: the sums of all steps, and the state.
template <class T>
struct cell_memory {
  pieces from;
  recurrent_geometry g;
  sequence_view<T> z;
  recurrent_states<T> states;

  cell_memory(const recurrent<T>& a, const recurrent_geometry& of, void* workspace)
      : from(workspace),
        g(of),
        z(beside(a.x, from.take<T>(g.steps * g.n * g.columns()), g.columns())),
        states(a, g, from) {}
};
/// Of its workspace backwards: the gradients of the sums of all steps, the states before them, the gradient of h, which
/// goes back from step to step, and what the sums of columns need.
template <class T>
struct cell_backward_memory {
  pieces from;
  recurrent_geometry g;
  sequence_view<T> da, before;
  T* dh;
  void* sums;

  cell_backward_memory(const cuda_context& on, const recurrent_backward<T>& a, const recurrent_geometry& of,
                       void* workspace)
      : from(workspace),
        g(of),
        da(beside(a.x, from.take<T>(g.steps * g.n * g.columns()), g.columns())),
        before(beside(a.x, from.take<T>(g.states()), g.width())),
        dh(a.dh0 != nullptr ? a.dh0 : from.take<T>(g.n * g.width())),
        sums(from.take<std::byte>(static_cast<index_t>(column_sums_bytes<T>(on, g.steps * g.n, g.columns())))) {}
};

/// z ← x·wx, of all steps.
template <class T>
void input_products(cuda_context& on, const recurrent<T>& a, const recurrent_geometry& g, const sequence_view<T>& z) {
  each_rows(a.x, z, [&](const auto& x, const auto& sums, index_t) {
    execute(on, gemm_args<T>{.a = x, .b = {a.wx, g.in, g.columns()}, .c = sums}, nullptr);
  });
}
/// sums ← beta·sums + state·w; a state of zeros adds nothing.
template <class T>
void state_product(cuda_context& on, const matrix_view<const T>& state, const matrix_view<const T>& w,
                   const matrix_view<T>& sums, T beta) {
  if (state.data != nullptr)
    execute(on, gemm_args<T>{.a = state, .b = w, .c = sums, .options = {.beta = beta}}, nullptr);
}
/// dw ← Σ aᵀ·da over the steps of all samples.
template <class T>
void weight_gradient(cuda_context& on, const sequence_view<const T>& a, const sequence_view<const T>& da,
                     const matrix_view<T>& dw) {
  each_rows(a, da, [&](const auto& rows, const auto& d, index_t t) {
    execute(on, gemm_args<T>{.a = rows.transposed(), .b = d, .c = dw, .options = {.beta = t == 0 ? T(0) : T(1)}},
            nullptr);
  });
}
/// sums ← those of the columns of a dense sequence, unless null.
template <class T>
void sum_columns(cuda_context& on, const sequence_view<const T>& da, T* sums, void* workspace) {
  column_sums(on, *steps_as_rows(da), sums, workspace);
}
/// dwx ← xᵀ·da, db ← column sums of da, dx ← da·wxᵀ.
template <class T>
void input_gradients(cuda_context& on, const recurrent_backward<T>& a, const recurrent_geometry& g,
                     const sequence_view<const T>& da, void* workspace) {
  weight_gradient(on, a.x, da, {a.dwx, g.in, g.columns()});
  sum_columns(on, da, a.db, workspace);
  if (a.dx.data == nullptr) return;
  const matrix_view<const T> wx(a.wx, g.in, g.columns());
  each_rows(a.dx, da, [&](const auto& dx, const auto& d, index_t) {
    execute(on, gemm_args<T>{.a = d, .b = wx.transposed(), .c = dx}, nullptr);
  });
}
/// to ← the state before each step, times a factor (lines of one step's samples after the other's) unless that is null.
template <class T>
void gather_states(cuda_context& on, const recurrent_backward<T>& a, const recurrent_geometry& g, const T* factor,
                   index_t factor_stride, const sequence_view<T>& to) {
  if (g.states() != 0)
    on.launch(recurrent_kernels<T>::states_before, on.loop(g.states()), g.steps, g.n, g.width(), a.y.data,
              a.y.step_stride, a.y.sample_stride, a.h0, factor, factor_stride, to.data, to.step_stride,
              to.sample_stride);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

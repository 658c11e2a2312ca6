// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/mxu/dense.hpp>
#include <ridgepoint/ops/recurrent.hpp>
#include <ridgepoint/reference/activation.hpp>

/// \file
/// What rnn, lstm, projected_lstm and gru share on the TPU: their products go through the array, one of x(t) and one of
/// the state for each step; what the cell does with its gates is the vector unit's, in fp32.
namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// Memory of the calling thread as a matrix.
template <class Tag>
[[nodiscard]] matrix_view<float> scratch_matrix(index_t rows, index_t cols) {
  return {thread_scratch_of<Tag, float>(rows * cols), rows, cols};
}
/// to ← from, a dense matrix of the same extents; null: zeros.
inline void load(const float* from, matrix_view<float> to) noexcept {
  if (from == nullptr) std::fill_n(to.data, to.rows * to.cols, 0.0F);
  else std::copy_n(from, to.rows * to.cols, to.data);
}
inline void copy_rows(matrix_view<const float> from, matrix_view<float> to) noexcept {
  for (index_t i = 0; i < from.rows; ++i)
    for (index_t j = 0; j < from.cols; ++j) to(i, j) = from(i, j);
}

/// f(x) of one value, rounded once.
[[nodiscard]] inline float activated(activation f, float x) {
  return static_cast<float>(apply(f, static_cast<double>(x)));
}

/// c ← a·b + β·c + bias.
template <backend Host>
void multiply(const mxu<Host>& on, matrix_view<const float> a, matrix_view<const float> b, matrix_view<float> c,
              const gemm_options<float>& options = {}) {
  execute(on, gemm_args<float>{.a = a, .b = b, .c = c, .options = options});
}

/// Runs cell(t, z, h) step after step with z = x(t)·wx + bias; it turns the state h (n × width) into the next one, but
/// for rows of samples that skip the step.
template <backend Host, class Cell>
void for_each_step(const mxu<Host>& on, const recurrent<float>& a, const recurrent_geometry& g, Cell&& cell) {
  if (g.cells() == 0) return;
  const index_t columns = g.columns();
  const auto z = scratch_matrix<struct gates_tag>(g.n, columns), h = scratch_matrix<struct state_tag>(g.n, g.width());
  load(a.h0, h);
  for (index_t t = 0; t < g.steps; ++t) {
    multiply(on, a.x.step(t), {a.wx, g.in, columns}, z, {.bias = a.bias});
    cell(t, z, h);
    if (a.y.data != nullptr) copy_rows(h, a.y.step(t));
  }
  if (a.last != nullptr) std::copy_n(h.data, g.n * g.width(), a.last);
}

/// Runs cell(t, h, dh, da) from the last step to the first: from the state h before the step and the gradient dh of the
/// one after it, it makes the gradient da of x(t)·wx, and dh that of h. dwx, db, dx and dh0 follow from these. Where a
/// sample skips the step dh is zero meanwhile.
template <backend Host, class Cell>
void for_each_step_back(const mxu<Host>& on, const recurrent_backward<float>& a, const recurrent_geometry& g,
                        Cell&& cell) {
  const index_t columns = g.columns(), width = g.width();
  const matrix_view<float> dwx(a.dwx, g.in, columns);
  load(nullptr, dwx);
  if (a.db != nullptr) std::fill_n(a.db, columns, 0.0F);
  const auto dh = scratch_matrix<struct gradient_tag>(g.n, width), held = scratch_matrix<struct held_tag>(g.n, width),
             h = scratch_matrix<struct before_tag>(g.n, width),
             da = scratch_matrix<struct gates_gradient_tag>(g.n, columns);
  load(a.dlast, dh);
  for (index_t t = g.cells() == 0 ? 0 : g.steps; t-- > 0;) {
    if (a.dy.data != nullptr)
      for (index_t i = 0; i < g.n; ++i)
        for (index_t j = 0; j < width; ++j) dh(i, j) += a.dy(t, i, j);
    if (t > 0) copy_rows(a.y.step(t - 1), h);
    else load(a.h0, h);
    copy_rows(dh, held);
    for (index_t i = 0; i < g.n; ++i)
      if (is_skipped(a.mask, t, i)) std::fill_n(&dh(i, 0), width, 0.0F);
    cell(t, matrix_view<const float>(h), dh, da);
    for (index_t i = 0; i < g.n; ++i)
      if (is_skipped(a.mask, t, i)) std::copy_n(&held(i, 0), width, &dh(i, 0));
    multiply(on, matrix_view<const float>(a.x.step(t)).transposed(), da, dwx, {.beta = 1});
    for (index_t i = 0; a.db != nullptr && i < g.n; ++i)
      for (index_t j = 0; j < columns; ++j) a.db[j] += da(i, j);
    if (a.dx.data != nullptr)
      multiply(on, da, matrix_view<const float>(a.wx, g.in, columns).transposed(), a.dx.step(t));
  }
  if (a.dh0 != nullptr) std::copy_n(dh.data, g.n * width, a.dh0);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/library_recurrent.hpp>
#include <ridgepoint/cuda/recurrent.hpp>
#include <ridgepoint/ops/lstm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// c behind step t: kept for the backward pass, or where that is not wanted in memory for one.
template <class T>
[[nodiscard]] constexpr T* cells_after(T* kept, T* own, const recurrent_geometry& g, index_t t) noexcept {
  return kept != nullptr ? kept + t * g.n * g.units : own;
}

/// What every cell has, and c.
template <class T>
struct lstm_memory : cell_memory<T> {
  T* c;

  lstm_memory(const lstm_args<T>& a, void* workspace)
      : cell_memory<T>(a.operands, a.operands.geometry(lstm_gates), workspace),
        c(a.c != nullptr ? nullptr : this->from.template take<T>(this->g.n * this->g.units)) {}
};
template <class T>
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const lstm_args<T>& a) {
  if (const auto bytes = library_workspace_bytes(on, a)) return *bytes;
  return lstm_memory<T>(a, nullptr).from.bytes();
}

/// The kernel of step t: from the sums z(t) and the state before to h. Args: lstm_args or projected_lstm_args.
template <class T, class Args>
void launch_lstm_step(cuda_context& on, const Args& a, const recurrent_geometry& g, index_t t, const matrix_view<T>& z,
                      T* own_c, const matrix_view<const T>& before, const matrix_view<T>& h, T* last) {
  const recurrent<T>& o = a.operands;
  on.launch(recurrent_kernels<T>::lstm_step, on.loop(g.n * g.units), g.n, g.units, a.gate, z.data, z.row_stride, o.bias,
            mask_at(o.mask, t), o.mask.sample_stride, t == 0 ? a.c0 : cells_after(a.c, own_c, g, t - 1), before.data,
            before.row_stride, cells_after(a.c, own_c, g, t),
            a.gates == nullptr ? nullptr : a.gates + t * g.n * g.columns(), h.data, h.row_stride, last,
            t == g.steps - 1 ? a.last_c : nullptr);
}
/// By cuDNN; or z(t) ← x(t)·wx of all steps, then step by step z(t) += h(t − 1)·wh, and c(t) and h(t) from it.
template <class T>
void execute(cuda_context& on, const lstm_args<T>& a, void* workspace) {
  if (is_run_by_library(on, a, workspace)) return;
  const lstm_memory<T> memory(a, workspace);
  const recurrent_geometry& g = memory.g;
  const recurrent<T>& o = a.operands;
  if (g.n == 0) return;
  input_products(on, o, g, memory.z);
  for (index_t t = 0; t < g.steps; ++t) {
    const matrix_view<const T> before = memory.states.before(t);
    const matrix_view<T> z = memory.z.step(t);
    state_product(on, before, {o.wh, g.units, g.columns()}, z, T(1));
    launch_lstm_step<T>(on, a, g, t, z, memory.c, before, memory.states.after(t), t == g.steps - 1 ? o.last : nullptr);
  }
}

/// What every cell has, and the gradient of c, which goes back from step to step, too.
template <class T>
struct lstm_backward_memory : cell_backward_memory<T> {
  T* dc;

  template <class Args>
  lstm_backward_memory(const cuda_context& on, const Args& a, const recurrent_geometry& of, void* workspace)
      : cell_backward_memory<T>(on, a.operands, of, workspace),
        dc(a.dc0 != nullptr ? a.dc0 : this->from.template take<T>(this->g.n * this->g.units)) {}
};
template <class T>
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const lstm_backward_args<T>& a) {
  if (const auto bytes = library_workspace_bytes(on, a)) return *bytes;
  return lstm_backward_memory<T>(on, a, a.operands.geometry(lstm_gates), nullptr).from.bytes();
}
/// The kernel of step t: from dh + dy, those of h, to da, dc and, unless null, what is held where the step is skipped.
template <class T, class Args>
void launch_lstm_step_back(cuda_context& on, const Args& a, const recurrent_geometry& g, index_t t, const T* dh,
                           const T* dy, index_t dy_stride, T* dc, const matrix_view<T>& da, T* held) {
  const index_t cells = g.n * g.units;
  const sequence_mask& mask = a.operands.mask;
  on.launch(recurrent_kernels<T>::lstm_step_back, on.loop(cells), g.n, g.units, a.gate, mask_at(mask, t),
            mask.sample_stride, a.gates + t * g.n * g.columns(), a.c + t * cells, t == 0 ? a.c0 : a.c + (t - 1) * cells,
            dh, dy, dy_stride, t == g.steps - 1 ? a.dlast_c : dc, dc, da.data, da.row_stride, held);
}
/// By cuDNN; or from the last step: da(t) and dc(t − 1) from dh(t) and dc(t), dh(t − 1) ← da(t)·whᵀ; then dwx, dwh, db
/// and dx from all of them.
template <class T>
void execute(cuda_context& on, const lstm_backward_args<T>& a, void* workspace) {
  if (is_run_by_library(on, a, workspace)) return;
  const lstm_backward_memory<T> memory(on, a, a.operands.geometry(lstm_gates), workspace);
  const recurrent_geometry& g = memory.g;
  const recurrent_backward<T>& o = a.operands;
  const matrix_view<const T> wh(o.wh, g.units, g.columns());
  const bool masked = o.mask.data != nullptr;
  for (index_t t = g.steps; g.n != 0 && t-- > 0;) {
    const matrix_view<T> da = memory.da.step(t);
    launch_lstm_step_back<T>(on, a, g, t, t == g.steps - 1 ? o.dlast : memory.dh, step_at(o.dy, t), o.dy.sample_stride,
                             memory.dc, da, masked ? memory.dh : nullptr);
    if (t > 0 || o.dh0 != nullptr)
      state_product<T>(on, da, wh.transposed(), {memory.dh, g.n, g.units}, masked ? T(1) : T(0));
  }
  gather_states<T>(on, o, g, nullptr, 0, memory.before);
  weight_gradient<T>(on, memory.before, memory.da, {o.dwh, g.units, g.columns()});
  input_gradients<T>(on, o, g, memory.da, memory.sums);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

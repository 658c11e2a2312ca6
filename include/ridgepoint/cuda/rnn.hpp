// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/library_recurrent.hpp>
#include <ridgepoint/cuda/recurrent.hpp>
#include <ridgepoint/ops/rnn.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <class T>
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const rnn_args<T>& a) {
  if (const auto bytes = library_workspace_bytes(on, a)) return *bytes;
  return cell_memory<T>(a.operands, a.operands.geometry(rnn_gates), nullptr).from.bytes();
}
/// By cuDNN; or z(t) ← x(t)·wx of all steps, then step by step z(t) += h(t − 1)·wh, h(t) ← f(z(t) + bias).
template <class T>
void execute(cuda_context& on, const rnn_args<T>& a, void* workspace) {
  if (is_run_by_library(on, a, workspace)) return;
  const cell_memory<T> memory(a.operands, a.operands.geometry(rnn_gates), workspace);
  const recurrent_geometry& g = memory.g;
  const recurrent<T>& o = a.operands;
  if (g.n == 0) return;
  input_products(on, o, g, memory.z);
  for (index_t t = 0; t < g.steps; ++t) {
    const matrix_view<const T> before = memory.states.before(t);
    const matrix_view<T> z = memory.z.step(t), h = memory.states.after(t);
    state_product(on, before, {o.wh, g.units, g.units}, z, T(1));
    on.launch(recurrent_kernels<T>::rnn_step, on.loop(g.n * g.units), g.n, g.units, a.act, z.data, z.row_stride, o.bias,
              mask_at(o.mask, t), o.mask.sample_stride, before.data, before.row_stride, h.data, h.row_stride,
              t == g.steps - 1 ? o.last : nullptr);
  }
}

template <class T>
[[nodiscard]] const char* algorithm_of(cuda_context&, const rnn_backward_args<T>&) {
  return "own";
}
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const rnn_backward_args<T>& a) {
  return cell_backward_memory<T>(on, a.operands, a.operands.geometry(rnn_gates), nullptr).from.bytes();
}
/// From the last step: da(t) ← f'·dh(t), dh(t − 1) ← da(t)·whᵀ; then dwx, dwh, db and dx from all of them.
template <class T>
void execute(cuda_context& on, const rnn_backward_args<T>& a, void* workspace) {
  const cell_backward_memory<T> memory(on, a.operands, a.operands.geometry(rnn_gates), workspace);
  const recurrent_geometry& g = memory.g;
  const recurrent_backward<T>& o = a.operands;
  const matrix_view<const T> wh(o.wh, g.units, g.units);
  const bool masked = o.mask.data != nullptr;
  for (index_t t = g.steps; g.n != 0 && t-- > 0;) {
    const matrix_view<T> da = memory.da.step(t);
    on.launch(recurrent_kernels<T>::rnn_step_back, on.loop(g.n * g.units), g.n, g.units, a.act, step_at(o.y, t),
              o.y.sample_stride, mask_at(o.mask, t), o.mask.sample_stride, t == g.steps - 1 ? o.dlast : memory.dh,
              step_at(o.dy, t), o.dy.sample_stride, da.data, da.row_stride, masked ? memory.dh : nullptr);
    if (t > 0 || o.dh0 != nullptr)
      state_product<T>(on, da, wh.transposed(), {memory.dh, g.n, g.units}, masked ? T(1) : T(0));
  }
  gather_states<T>(on, o, g, nullptr, 0, memory.before);
  weight_gradient<T>(on, memory.before, memory.da, {o.dwh, g.units, g.units});
  input_gradients<T>(on, o, g, memory.da, memory.sums);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

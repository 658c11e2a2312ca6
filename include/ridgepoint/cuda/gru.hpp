// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/library_recurrent.hpp>
#include <ridgepoint/cuda/recurrent.hpp>
#include <ridgepoint/ops/gru.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The columns of r and z, or those of n, of a matrix of a GRU's three gates.
template <class T>
[[nodiscard]] constexpr matrix_view<T> gates_r_z(const matrix_view<T>& all, index_t units) noexcept {
  return {all.data, all.rows, 2 * units, all.row_stride};
}
template <class T>
[[nodiscard]] constexpr matrix_view<T> gate_n(const matrix_view<T>& all, index_t units) noexcept {
  return {all.data + 2 * units, all.rows, units, all.row_stride};
}

/// What every cell has, and of one step the product with the state or, reset before, r∘h.
template <class T>
struct gru_memory : cell_memory<T> {
  T* product;

  gru_memory(const gru_args<T>& a, void* workspace)
      : cell_memory<T>(a.operands, a.operands.geometry(gru_gates), workspace),
        product(this->from.template take<T>(this->g.n *
                                            (a.reset == gru_reset::after ? this->g.columns() : this->g.units))) {}
};
template <class T>
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const gru_args<T>& a) {
  if (const auto bytes = library_workspace_bytes(on, a)) return *bytes;
  return gru_memory<T>(a, nullptr).from.bytes();
}
/// By cuDNN; or x(t)·wx of all steps, then step by step, reset after: h(t − 1)·wh and one kernel; reset before: r and z
/// by a product and a kernel, n and h(t) by another of each.
template <class T>
void execute(cuda_context& on, const gru_args<T>& a, void* workspace) {
  if (is_run_by_library(on, a, workspace)) return;
  const gru_memory<T> memory(a, workspace);
  const recurrent_geometry& g = memory.g;
  const recurrent<T>& o = a.operands;
  if (g.n == 0) return;
  input_products(on, o, g, memory.z);
  const matrix_view<const T> wh(o.wh, g.units, g.columns());
  const launch_shape shape = on.loop(g.n * g.units);
  for (index_t t = 0; t < g.steps; ++t) {
    const matrix_view<const T> before = memory.states.before(t);
    const matrix_view<T> z = memory.z.step(t), h = memory.states.after(t);
    T* const gates = a.gates == nullptr ? nullptr : a.gates + t * g.n * a.saved(a.reset) * g.units;
    T* const last = t == g.steps - 1 ? o.last : nullptr;
    if (a.reset == gru_reset::after) {
      state_product<T>(on, before, wh, {memory.product, g.n, g.columns()}, T(0));
      on.launch(gru_kernels<T>::step_after, shape, g.n, g.units, a.gate, z.data, z.row_stride,
                before.data == nullptr ? nullptr : memory.product, o.bias, a.recurrent_bias, mask_at(o.mask, t),
                o.mask.sample_stride, before.data, before.row_stride, gates, h.data, h.row_stride, last);
      continue;
    }
    state_product<T>(on, before, gates_r_z(wh, g.units), gates_r_z(z, g.units), T(1));
    on.launch(gru_kernels<T>::reset_state, shape, g.n, g.units, a.gate, z.data, z.row_stride, o.bias, before.data,
              before.row_stride, memory.product);
    const matrix_view<const T> reset(before.data == nullptr ? nullptr : memory.product, g.n, g.units);
    state_product<T>(on, reset, gate_n(wh, g.units), gate_n(z, g.units), T(1));
    on.launch(gru_kernels<T>::step_before, shape, g.n, g.units, z.data, z.row_stride, o.bias, mask_at(o.mask, t),
              o.mask.sample_stride, before.data, before.row_stride, gates, h.data, h.row_stride, last);
  }
}

/// What every cell has; reset after the gradients of the products with the states, too, reset before of one step that
/// of r∘h.
template <class T>
struct gru_backward_memory : cell_backward_memory<T> {
  sequence_view<T> drecurrent;
  T* dreset;

  gru_backward_memory(const cuda_context& on, const gru_backward_args<T>& a, void* workspace)
      : cell_backward_memory<T>(on, a.operands, a.operands.geometry(gru_gates), workspace),
        drecurrent(a.reset == gru_reset::before
                       ? this->da
                       : beside(a.operands.x,
                                this->from.template take<T>(this->g.steps * this->g.n * this->g.columns()),
                                this->g.columns())),
        dreset(a.reset == gru_reset::before ? this->from.template take<T>(this->g.n * this->g.units) : nullptr) {}
};
template <class T>
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const gru_backward_args<T>& a) {
  if (const auto bytes = library_workspace_bytes(on, a)) return *bytes;
  return gru_backward_memory<T>(on, a, nullptr).from.bytes();
}
/// The columns of a dense sequence of gates, as a sequence of its own.
template <class T>
[[nodiscard]] constexpr sequence_view<const T> columns_of_gates(const sequence_view<T>& all, index_t first,
                                                                index_t width) noexcept {
  return {all.data + first, all.steps, all.batch, width, all.step_stride, all.sample_stride};
}
/// By cuDNN; or from the last step: da(t) from dh(t), dh(t − 1) from what comes back through wh; then dwh, dwx, the
/// gradients of the biases and dx from all of them.
template <class T>
void execute(cuda_context& on, const gru_backward_args<T>& a, void* workspace) {
  if (is_run_by_library(on, a, workspace)) return;
  const gru_backward_memory<T> memory(on, a, workspace);
  const recurrent_geometry& g = memory.g;
  const recurrent_backward<T>& o = a.operands;
  const bool resets_after = a.reset == gru_reset::after;
  const index_t u = g.units, saved = gru_args<T>::saved(a.reset) * u;
  const matrix_view<const T> wh(o.wh, u, g.columns());
  const matrix_view<T> dh(memory.dh, g.n, u), dwh(o.dwh, u, g.columns());
  const launch_shape shape = on.loop(g.n * u);
  for (index_t t = g.steps; g.n != 0 && t-- > 0;) {
    const bool goes_on = t > 0 || o.dh0 != nullptr;
    const matrix_view<T> da = memory.da.step(t), drecurrent = memory.drecurrent.step(t);
    const matrix_view<const T> before = state_before(o, g, t);
    const T* const gates = a.gates + t * g.n * saved;
    on.launch(gru_kernels<T>::step_back, shape, g.n, u, a.gate, mask_at(o.mask, t), o.mask.sample_stride, gates,
              before.data, before.row_stride, t == g.steps - 1 ? o.dlast : memory.dh, step_at(o.dy, t),
              o.dy.sample_stride, da.data, resets_after ? drecurrent.data : nullptr, da.row_stride, memory.dh);
    if (resets_after) {
      if (goes_on) state_product<T>(on, drecurrent, wh.transposed(), dh, T(1));
      continue;
    }
    state_product<T>(on, gate_n(da, u), gate_n(wh, u).transposed(), {memory.dreset, g.n, u}, T(0));
    on.launch(gru_kernels<T>::reset_back, shape, g.n, u, a.gate, gates, before.data, before.row_stride, memory.dreset,
              da.data, da.row_stride, memory.dh);
    if (goes_on) state_product<T>(on, gates_r_z(da, u), gates_r_z(wh, u).transposed(), dh, T(1));
  }
  gather_states<T>(on, o, g, nullptr, 0, memory.before);
  if (resets_after) {
    weight_gradient<T>(on, memory.before, memory.drecurrent, dwh);
  } else {
    weight_gradient<T>(on, memory.before, columns_of_gates(memory.da, 0, 2 * u), gates_r_z(dwh, u));
    gather_states<T>(on, o, g, a.gates, saved, memory.before);
    weight_gradient<T>(on, memory.before, columns_of_gates(memory.da, 2 * u, u), gate_n(dwh, u));
  }
  sum_columns<T>(on, memory.drecurrent, a.drecurrent_bias, memory.sums);
  input_gradients<T>(on, o, g, memory.da, memory.sums);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/lstm.hpp>
#include <ridgepoint/ops/projected_lstm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The sums of all steps, h, c, and the state: of two steps where y is not wanted, for one is made from the other.
template <class T>
struct projected_memory {
  pieces from;
  recurrent_geometry g;
  sequence_view<T> z, states;
  T *h, *c;

  projected_memory(const projected_lstm_args<T>& a, void* workspace)
      : from(workspace),
        g(a.geometry()),
        z(beside(a.operands.x, from.take<T>(g.steps * g.n * g.columns()), g.columns())),
        states(a.operands.y.data != nullptr
                   ? a.operands.y
                   : sequence_view<T>::time_major(from.take<T>(2 * g.n * g.projected), 2, g.n, g.projected)),
        h(a.h != nullptr ? nullptr : from.take<T>(g.n * g.units)),
        c(a.c != nullptr ? nullptr : from.take<T>(g.n * g.units)) {}
};
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context&, const projected_lstm_args<T>& a) {
  return projected_memory<T>(a, nullptr).from.bytes();
}
/// As of lstm(), with h(t) in memory of its own, 0 where a step is skipped, and the state r(t) ← h(t)·wp, which is then
/// held there.
template <class T>
void execute(cuda_context& on, const projected_lstm_args<T>& a, void* workspace) {
  const projected_memory<T> memory(a, workspace);
  const recurrent_geometry& g = memory.g;
  const recurrent<T>& o = a.operands;
  if (g.n == 0) return;
  input_products(on, o, g, memory.z);
  matrix_view<const T> before(o.h0, g.n, g.projected);
  for (index_t t = 0; t < g.steps; ++t) {
    const matrix_view<T> z = memory.z.step(t), r = memory.states.step(o.y.data != nullptr ? t : t % 2),
                         h(cells_after(a.h, memory.h, g, t), g.n, g.units);
    state_product(on, before, {o.wh, g.projected, g.columns()}, z, T(1));
    launch_lstm_step<T>(on, a, g, t, z, memory.c, {nullptr, g.n, g.units}, h, nullptr);
    state_product<T>(on, h, {a.wp, g.units, g.projected}, r, T(0));
    T* const last = t == g.steps - 1 ? o.last : nullptr;
    if (o.mask.data != nullptr || last != nullptr)
      on.launch(recurrent_kernels<T>::hold_state, on.loop(g.n * g.projected), g.n, g.projected, mask_at(o.mask, t),
                o.mask.sample_stride, before.data, before.row_stride, r.data, r.row_stride, last);
    before = r;
  }
}

/// What lstm_backward() has, and the gradients of the states of all steps and of one step's h.
template <class T>
struct projected_lstm_backward_memory : lstm_backward_memory<T> {
  T *dr, *dh_of_step;

  projected_lstm_backward_memory(const cuda_context& on, const projected_lstm_backward_args<T>& a, void* workspace)
      : lstm_backward_memory<T>(on, a, a.geometry(), workspace),
        dr(this->from.template take<T>(this->g.states())),
        dh_of_step(this->from.template take<T>(this->g.n * this->g.units)) {}
};
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const projected_lstm_backward_args<T>& a) {
  return projected_lstm_backward_memory<T>(on, a, nullptr).from.bytes();
}
/// From the last step: dh(t) ← dr(t)·wpᵀ, da(t) and dc(t − 1) from it, dr(t − 1) ← da(t)·whᵀ; then dwp ← hᵀ·dr and the
/// rest as of lstm_backward().
template <class T>
void execute(cuda_context& on, const projected_lstm_backward_args<T>& a, void* workspace) {
  const projected_lstm_backward_memory<T> memory(on, a, workspace);
  const recurrent_geometry& g = memory.g;
  const recurrent_backward<T>& o = a.operands;
  const matrix_view<const T> wh(o.wh, g.projected, g.columns()), wp(a.wp, g.units, g.projected);
  const bool masked = o.mask.data != nullptr;
  const index_t states = g.n * g.projected;
  for (index_t t = g.steps; g.n != 0 && t-- > 0;) {
    const matrix_view<T> da = memory.da.step(t), dr(memory.dr + t * states, g.n, g.projected);
    on.launch(recurrent_kernels<T>::state_gradient, on.loop(states), g.n, g.projected, mask_at(o.mask, t),
              o.mask.sample_stride, t == g.steps - 1 ? o.dlast : memory.dh, step_at(o.dy, t), o.dy.sample_stride,
              dr.data, masked ? memory.dh : nullptr);
    state_product<T>(on, dr, wp.transposed(), {memory.dh_of_step, g.n, g.units}, T(0));
    launch_lstm_step_back<T>(on, a, g, t, memory.dh_of_step, nullptr, 0, memory.dc, da, nullptr);
    if (t > 0 || o.dh0 != nullptr)
      state_product<T>(on, da, wh.transposed(), {memory.dh, g.n, g.projected}, masked ? T(1) : T(0));
  }
  weight_gradient<T>(on, sequence_view<const T>::time_major(a.h, g.steps, g.n, g.units),
                     sequence_view<const T>::time_major(memory.dr, g.steps, g.n, g.projected),
                     {a.dwp, g.units, g.projected});
  gather_states<T>(on, o, g, nullptr, 0, memory.before);
  weight_gradient<T>(on, memory.before, memory.da, {o.dwh, g.projected, g.columns()});
  input_gradients<T>(on, o, g, memory.da, memory.sums);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <ridgepoint/cuda/gemm.hpp>
#include <ridgepoint/cuda/library_recurrent.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>
#include <ridgepoint/ops/gru.hpp>
#include <ridgepoint/ops/lstm.hpp>
#include <ridgepoint/ops/projected_lstm.hpp>
#include <ridgepoint/ops/recurrent.hpp>
#include <ridgepoint/ops/rnn.hpp>

/// \file
/// The recurrent layers rnn, lstm, projected_lstm and gru on a GPU, and their shared parts. The inputs of all steps are
/// one product, whose rows are the steps of all samples; then each step is a product with the previous state and the
/// cell's own kernel. The backward pass reverses this order: the gradients of the sums of all steps stay in the
/// workspace, and the gradients of the weights are one product.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Returns whether samples are outermost in memory; goes_backwards() returns whether steps are in descending order
/// there.
template <class T>
[[nodiscard]] constexpr bool samples_outermost(const sequence_view<T>& v) noexcept {
  return v.steps > 1 && v.batch > 1 && (v.step_stride < 0 ? -v.step_stride : v.step_stride) < v.sample_stride;
}
template <class T>
[[nodiscard]] constexpr bool goes_backwards(const sequence_view<T>& v) noexcept {
  return v.steps > 1 && v.step_stride < 0;
}
/// Returns the steps of all samples as the rows of one matrix, in memory order; nothing if the rows are not evenly
/// spaced.
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
/// Returns a dense sequence of another width, with rows in the order of the rows of x.
template <class T, class X>
[[nodiscard]] constexpr sequence_view<T> sequence_like(const sequence_view<X>& x, T* data, index_t width) noexcept {
  const auto v = samples_outermost(x) ? sequence_view<T>::sample_major(data, x.steps, x.batch, width)
                                      : sequence_view<T>::time_major(data, x.steps, x.batch, width);
  return goes_backwards(x) ? v.reversed() : v;
}
/// Calls call(rows of a, rows of b, 0) once for all rows if a and b have the same layout, otherwise call(…, …, t) step
/// by step.
template <class A, class B, class Call>
void each_rows(const sequence_view<A>& a, const sequence_view<B>& b, const Call& call) {
  const auto of_a = steps_as_rows(a);
  const auto of_b = steps_as_rows(b);
  if (of_a && of_b && samples_outermost(a) == samples_outermost(b) && goes_backwards(a) == goes_backwards(b))
    return call(*of_a, *of_b, index_t{0});
  for (index_t t = 0; t < a.steps; ++t) call(a.step(t), b.step(t), t);
}

/// Returns the mask of step t; null without a mask.
[[nodiscard]] constexpr const std::int32_t* mask_at(const sequence_mask& mask, index_t t) noexcept {
  return mask.data == nullptr ? nullptr : mask.data + t * mask.step_stride;
}
/// Returns the address of step t of a sequence; null if the sequence is null.
template <class T>
[[nodiscard]] constexpr T* step_at(const sequence_view<T>& v, index_t t) noexcept {
  return v.data == nullptr ? nullptr : v.data + t * v.step_stride;
}

/// The state after each step: in y, or if y is null in memory for one state.
template <class T>
class recurrent_states {
 public:
  recurrent_states(const recurrent<T>& a, const recurrent_geometry& g, pieces& from)
      : h0_(a.h0, g.n, g.width()),
        y_(a.y),
        own_(y_.data != nullptr ? nullptr : from.take<T>(g.n * g.width()), g.n, g.width()) {}

  [[nodiscard]] matrix_view<T> after(index_t t) const noexcept { return y_.data != nullptr ? y_.step(t) : own_; }
  /// Zeros if it has no data.
  [[nodiscard]] matrix_view<const T> before(index_t t) const noexcept { return t == 0 ? h0_ : after(t - 1); }

 private:
  matrix_view<const T> h0_;
  sequence_view<T> y_;
  matrix_view<T> own_;
};
/// Returns the state before step t of a backward pass.
template <class T>
[[nodiscard]] matrix_view<const T> state_before(const recurrent_backward<T>& a, const recurrent_geometry& g,
                                                index_t t) noexcept {
  return t == 0 ? matrix_view<const T>(a.h0, g.n, g.width()) : a.y.step(t - 1);
}

/// Workspace of every cell: the sums of all steps, and the state.
template <class T>
struct cell_memory {
  pieces from;
  recurrent_geometry g;
  sequence_view<T> z;
  recurrent_states<T> states;

  cell_memory(const recurrent<T>& a, const recurrent_geometry& of, void* workspace)
      : from(workspace),
        g(of),
        z(sequence_like(a.x, from.take<T>(g.steps * g.n * g.columns()), g.columns())),
        states(a, g, from) {}
};
/// Workspace of every cell's backward pass: the gradients of the sums of all steps, the states before the steps, the
/// gradient of h, which flows back from step to step, and the memory for sums of columns.
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
        da(sequence_like(a.x, from.take<T>(g.steps * g.n * g.columns()), g.columns())),
        before(sequence_like(a.x, from.take<T>(g.states()), g.width())),
        dh(a.dh0 != nullptr ? a.dh0 : from.take<T>(g.n * g.width())),
        sums(from.take<std::byte>(static_cast<index_t>(column_sums_bytes<T>(on, g.steps * g.n, g.columns())))) {}
};

/// z ← x·wx for all steps.
template <class T>
void input_products(cuda_context& on, const recurrent<T>& a, const recurrent_geometry& g, const sequence_view<T>& z) {
  each_rows(a.x, z, [&](const auto& x, const auto& sums, index_t) {
    execute(on, gemm_args<T>{.a = x, .b = {a.wx, g.in, g.columns()}, .c = sums}, nullptr);
  });
}
/// sums ← beta·sums + state·w; a state of zeros (no data) adds nothing.
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
/// sums ← the column sums of a dense sequence, unless null.
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
/// to ← the state before each step, times a factor unless null (lines of the samples, step after step).
template <class T>
void gather_states(cuda_context& on, const recurrent_backward<T>& a, const recurrent_geometry& g, const T* factor,
                   index_t factor_stride, const sequence_view<T>& to) {
  if (g.states() != 0)
    on.launch(recurrent_kernels<T>::states_before, on.loop(g.states()), g.steps, g.n, g.width(), a.y.data,
              a.y.step_stride, a.y.sample_stride, a.h0, factor, factor_stride, to.data, to.step_stride,
              to.sample_stride);
}

/// Returns the columns of r and z of a matrix of a GRU's three gates; gate_n() returns those for n.
template <class T>
[[nodiscard]] constexpr matrix_view<T> gates_r_z(const matrix_view<T>& all, index_t units) noexcept {
  return {all.data, all.rows, 2 * units, all.row_stride};
}
template <class T>
[[nodiscard]] constexpr matrix_view<T> gate_n(const matrix_view<T>& all, index_t units) noexcept {
  return {all.data + 2 * units, all.rows, units, all.row_stride};
}

/// Memory of every cell and, for one step, the product with the state (reset after) or r∘h (reset before).
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
/// Runs the layer by cuDNN if it has a plan. Otherwise computes x(t)·wx of all steps, then step by step: with reset
/// after, h(t − 1)·wh and one kernel; with reset before, r and z by a product and a kernel, then n and h(t) by another
/// of each.
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

/// Memory of every cell; with reset after, also the gradients of the products with the states; with reset before, also
/// the gradient of r∘h of one step.
template <class T>
struct gru_backward_memory : cell_backward_memory<T> {
  sequence_view<T> drecurrent;
  T* dreset;

  gru_backward_memory(const cuda_context& on, const gru_backward_args<T>& a, void* workspace)
      : cell_backward_memory<T>(on, a.operands, a.operands.geometry(gru_gates), workspace),
        drecurrent(a.reset == gru_reset::before
                       ? this->da
                       : sequence_like(a.operands.x,
                                       this->from.template take<T>(this->g.steps * this->g.n * this->g.columns()),
                                       this->g.columns())),
        dreset(a.reset == gru_reset::before ? this->from.template take<T>(this->g.n * this->g.units) : nullptr) {}
};
template <class T>
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const gru_backward_args<T>& a) {
  if (const auto bytes = library_workspace_bytes(on, a)) return *bytes;
  return gru_backward_memory<T>(on, a, nullptr).from.bytes();
}
/// Returns some columns of a dense sequence of gates as a sequence.
template <class T>
[[nodiscard]] constexpr sequence_view<const T> columns_of_gates(const sequence_view<T>& all, index_t first,
                                                                index_t width) noexcept {
  return {all.data + first, all.steps, all.batch, width, all.step_stride, all.sample_stride};
}
/// Runs the pass by cuDNN if it has a plan. Otherwise, from the last step: da(t) from dh(t), and dh(t − 1) from the
/// gradient through wh; then dwh, dwx, the gradients of the biases and dx from all steps.
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

/// Returns c after step t: saved for the backward pass, or if that is null in memory for one step.
template <class T>
[[nodiscard]] constexpr T* cells_after(T* kept, T* own, const recurrent_geometry& g, index_t t) noexcept {
  return kept != nullptr ? kept + t * g.n * g.units : own;
}

/// Memory of every cell, and c.
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

/// Launches the kernel of step t: from the sums z(t) and the previous state to h. Args: lstm_args or
/// projected_lstm_args.
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
/// Runs the layer by cuDNN if it has a plan. Otherwise z(t) ← x(t)·wx of all steps, then step by step z(t) += h(t −
/// 1)·wh, and c(t) and h(t) from it.
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

/// Memory of every cell, and the gradient of c, which also flows back from step to step.
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
/// Launches the kernel of step t: from dh + dy, the gradient of h, to da, dc and, unless null, the gradient held where
/// the step is skipped.
template <class T, class Args>
void launch_lstm_step_back(cuda_context& on, const Args& a, const recurrent_geometry& g, index_t t, const T* dh,
                           const T* dy, index_t dy_stride, T* dc, const matrix_view<T>& da, T* held) {
  const index_t cells = g.n * g.units;
  const sequence_mask& mask = a.operands.mask;
  on.launch(recurrent_kernels<T>::lstm_step_back, on.loop(cells), g.n, g.units, a.gate, mask_at(mask, t),
            mask.sample_stride, a.gates + t * g.n * g.columns(), a.c + t * cells, t == 0 ? a.c0 : a.c + (t - 1) * cells,
            dh, dy, dy_stride, t == g.steps - 1 ? a.dlast_c : dc, dc, da.data, da.row_stride, held);
}
/// Runs the pass by cuDNN if it has a plan. Otherwise, from the last step: da(t) and dc(t − 1) from dh(t) and dc(t),
/// dh(t − 1) ← da(t)·whᵀ; then dwx, dwh, db and dx from all steps.
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

template <class T>
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const rnn_args<T>& a) {
  if (const auto bytes = library_workspace_bytes(on, a)) return *bytes;
  return cell_memory<T>(a.operands, a.operands.geometry(rnn_gates), nullptr).from.bytes();
}
/// Runs the layer by cuDNN if it has a plan. Otherwise z(t) ← x(t)·wx of all steps, then step by step z(t) += h(t −
/// 1)·wh, h(t) ← f(z(t) + bias).
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
/// From the last step: da(t) ← f'·dh(t), dh(t − 1) ← da(t)·whᵀ; then dwx, dwh, db and dx from all steps.
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

/// The sums of all steps, h, c, and the states: if y is null, of two steps only, because each depends on the previous
/// one.
template <class T>
struct projected_memory {
  pieces from;
  recurrent_geometry g;
  sequence_view<T> z, states;
  T *h, *c;

  projected_memory(const projected_lstm_args<T>& a, void* workspace)
      : from(workspace),
        g(a.geometry()),
        z(sequence_like(a.operands.x, from.take<T>(g.steps * g.n * g.columns()), g.columns())),
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
/// Computes steps like lstm(), with h(t) in separate memory, 0 where a step is skipped, and the state r(t) ← h(t)·wp,
/// which is held at skipped steps.
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

/// Memory of lstm_backward(), and the gradients of the states of all steps and of one step's h.
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
/// other gradients as in lstm_backward().
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

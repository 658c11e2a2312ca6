// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/cpu/recurrent.hpp>
#include <ridgepoint/cpu/recurrent_back_schedule.hpp>

/// \file
/// The backward pass that rnn, lstm and gru share: step by step a cell makes da, the gradient of its gates' sums, and a
/// product with whᵀ that of the state before; then dwx, dwh, dx and db come from the da of all steps at once.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

template <class T>
struct any_cell_back {
  const void *on = nullptr, *cell = nullptr;
  void (*step)(const any_cell_back& self, const kernels::cell_place_back<T>&) noexcept = nullptr;
  template <cpu_backend On, class Cell>
  any_cell_back(const On& backend, const Cell& of) noexcept
      : on(&backend), cell(&of), step([](const any_cell_back& self, const kernels::cell_place_back<T>& at) noexcept {
          static_cast<const Cell*>(self.cell)->step(*static_cast<const On*>(self.on), at);
        }) {}
};
/// What a cell is asked for beside the gradients that all have.
template <class T>
struct cell_gradients {
  T* kept = nullptr;              // (n, units), what is in `kept` in the end
  const T* first_kept = nullptr;  // (n, units), what is in it at first; null: zeros
  T* recurrent_bias = nullptr;    // gates·units, of the state's products
};

/// All steps of some samples, back from the last.
template <cpu_backend On, class T>
class recurrent_back_part {
 public:
  recurrent_back_part(const On& on, const recurrent_back_prepared& made, const recurrent_backward<T>& a,
                      const any_cell_back<T>& cell, const recurrent_back_memory<T>& shared, std::byte* memory,
                      index_t part) noexcept
      : on_(on),
        s_(made.schedule),
        a_(a),
        cell_(cell),
        shared_(shared),
        m_(on.vectors(), s_, memory),
        products_{s_, a, shared.da, shared.x, shared.h, shared.dx, shared.reset},
        row_(part * s_.part),
        rows_((std::min)(s_.part, s_.g.n - row_)) {}

  void run(const cell_gradients<T>& asked) {
    const index_t u = s_.g.units;
    load_state(a_.dlast, row_, rows_, u, m_.dh, s_.h_ld);
    load_state(asked.first_kept, row_, rows_, u, m_.kept, u);
    for (index_t t = s_.g.steps; t-- > 0;) {
      if (s_.layout.states > 1) run_cell(0, t), multiply(1, t, m_.other), run_cell(1, t);
      else run_cell(0, t);
      if (t > 0 || a_.dh0 != nullptr) multiply(0, t, m_.dh), give_back(t);
    }
    store_state(m_.dh, s_.h_ld, row_, rows_, u, a_.dh0);
    store_state(m_.kept, u, row_, rows_, u, asked.kept);
  }

 private:
  void run_cell(index_t phase, index_t t) const noexcept {
    const index_t u = s_.g.units, row = t * s_.g.n + row_;
    kernels::cell_place_back<T> at{.phase = phase,
                                   .t = t,
                                   .row = row_,
                                   .rows = rows_,
                                   .zeros = {shared_.zeros, 0},
                                   .dh = {m_.dh, s_.h_ld},
                                   .da = {shared_.da + row * s_.da_ld, s_.da_ld},
                                   .kept = {m_.kept, u},
                                   .other = {m_.other, s_.h_ld}};
    if (s_.layout.states > 1) at.reset = {shared_.reset + row * u, u};
    at.dy = a_.dy.data == nullptr ? at.zeros : kernels::lines<const T>{&a_.dy(t, row_, 0), a_.dy.sample_stride};
    at.h = t == 0 ? at.rows_of(a_.h0, u) : kernels::lines<const T>{&a_.y(t - 1, row_, 0), a_.y.sample_stride};
    for_masked_samples(
        a_.mask, at, [&](const auto& some) { cell_.step(cell_, some); }, [&](const auto& some) { skip(some); });
  }
  /// da ← 0; the gradient of h(t − 1) is that of h(t), kept where the product with da leaves it alone.
  void skip(const kernels::cell_place_back<T>& at) const noexcept {
    const index_t u = s_.g.units;
    if (at.reset.data != nullptr) kernels::fill_rows(at.rows, u, at.reset, T(0));
    if (at.phase > 0) return;
    kernels::fill_rows(at.rows, s_.layout.columns * u, at.da, T(0));
    const kernels::lines<T>& to = s_.layout.adds ? at.dh : at.other;
    on_.template call<kernels::add_rows<T>>(at.rows, u, at.dh, at.dy, to, to);
  }
  /// dh ← what skip() has kept.
  void give_back(index_t t) const noexcept {
    if (!s_.layout.adds) keep_skipped(a_.mask, t, row_, rows_, s_.g.units, m_.other, m_.dh, s_.h_ld);
  }
  /// to ← da·whᵀ, or what is there and that.
  void multiply(index_t state, index_t t, T* to) const {
    const gemm_args<T> product = products_.back(state, t * s_.g.n + row_, rows_, to);
    const auto& planned = s_.back[static_cast<std::size_t>(state)];
    if (s_.in_place) return detail::run(on_, planned, product, shared_.gemm);
    const gate_columns& some = s_.layout.state[static_cast<std::size_t>(state)];
    constexpr index_t kc = 512;
    const index_t u = s_.g.units, nr = kernels::panel_width<T>(on_.vectors());
    kernels::panel_product<T> p{.weights = shared_.packed + some.weight * u * nr,
                                .panel = nr * s_.g.gates * u,
                                .columns = u,
                                .c = to,
                                .ldc = s_.h_ld,
                                .beta = product.options.beta};
    for (index_t first = 0; first < product.a.cols; first += kc) {  // of da, which stays in L2 for all panels
      p.a = product.a.block(0, first, rows_, (std::min)(kc, product.a.cols - first));
      p.packed_a = m_.packed_da;
      if (m_.packed_da != nullptr) on_.template call<kernels::pack_rows<T>>(p.a, m_.packed_da);
      on_.template call<kernels::times_panels<T>>(p);
      p.weights += kc * nr;
      p.beta = T(1);
    }
  }

  const On& on_;
  const recurrent_back_schedule& s_;
  const recurrent_backward<T>& a_;
  const any_cell_back<T>& cell_;
  const recurrent_back_memory<T>& shared_;
  recurrent_back_worker<T> m_;
  recurrent_back_products<T> products_;
  index_t row_, rows_;
};

/// The states before step t as rows of a matrix.
template <class T>
void copy_states(const recurrent_backward<T>& a, index_t t, index_t width, T* to) noexcept {
  for (index_t i = 0; i < a.x.batch; ++i, to += width) {
    if (t > 0) std::copy_n(&a.y(t - 1, i, 0), width, to);
    else if (a.h0 != nullptr) std::copy_n(a.h0 + i * width, width, to);
    else std::fill_n(to, width, T(0));
  }
}

/// dwx, dwh, dx and db from the da of all steps.
template <cpu_backend On, class T>
void run_gradients(const On& on, const recurrent_back_schedule& s, const recurrent_backward<T>& a,
                   const recurrent_back_memory<T>& m, T* recurrent_bias) {
  const recurrent_back_products<T> products{s, a, m.da, m.x, m.h, m.dx, m.reset};
  const recurrent_geometry& g = s.g;
  if (s.copies_x || s.copies_h)
    parallel_for(on.thread_count(), g.steps, [&](index_t t) {
      if (s.copies_x) static_cast<void>(input_rows(a.x, t, 1, 0, g.n, g.in, m.x + t * g.n * g.in));
      if (s.copies_h) copy_states(a, t, g.width(), m.h + t * g.n * g.width());
    });
  for (std::size_t i = 0; i < s.dwx.size(); ++i) {
    const auto part = static_cast<index_t>(i);
    if (part < s.layout.inputs) {
      const gate_columns& some = s.layout.input[i];
      run(on, s.dwx[i], products.dwx(part), m.gemm);
      if (a.dx.data != nullptr) run(on, s.dx[i], products.dx(part), m.gemm);
      if (a.db != nullptr)
        sum_columns(on, matrix_view<const T>(products.da_of(some, 0, s.rows())), a.db + some.weight * g.units);
    }
    if (part < s.layout.states) {
      run(on, s.dwh[i], products.dwh(part), m.gemm);
      const gate_columns& some = s.layout.state[i];
      if (recurrent_bias != nullptr)
        sum_columns(on, matrix_view<const T>(products.da_of(some, 0, s.rows())),
                    recurrent_bias + some.weight * g.units);
    }
  }
  if (!s.copies_dx) return;
  parallel_for(on.thread_count(), g.steps, [&](index_t t) {
    const T* from = m.dx + t * g.n * g.in;
    for (index_t i = 0; i < g.n; ++i, from += g.in) std::copy_n(from, g.in, &a.dx(t, i, 0));
  });
}

/// The backward pass of a cell on its schedule. Subnormal numbers are zeros in it.
template <cpu_backend On, class T>
void run_recurrent_back(const On& on, const recurrent_back_prepared& made, const recurrent_backward<T>& a,
                        const any_cell_back<T>& cell, const call_memory& memory, const cell_gradients<T>& asked) {
  const flush_subnormals here(on.subnormals);
  const recurrent_back_schedule& s = made.schedule;
  const recurrent_back_memory<T> m(s, static_cast<std::byte*>(memory.workspace));
  std::fill_n(m.zeros, s.g.units, T(0));
  if (!s.in_place) pack_panels(on, matrix_view<const T>(a.wh, s.g.units, s.g.columns()).transposed(), m.packed);
  const auto run_part = [&](const auto& each, index_t part, index_t worker) {
    std::byte* const piece = m.workers + static_cast<std::size_t>(worker) * s.worker_bytes;
    recurrent_back_part(each, made, a, cell, m, piece, part).run(asked);
  };
  const auto one = on.on_one_thread();
  if (s.in_place && s.g.n > 0) run_part(on, 0, 0);
  else parallel_for(on.thread_count(), s.parts(), [&](index_t part, index_t worker) { run_part(one, part, worker); });
  run_gradients(on, s, a, m, asked.recurrent_bias);
}

/// Kernels of backward passes.
template <class T>
using recurrent_back_kernels = decltype(
    gemm_kernels<T>{} +
    type_list<kernels::times_panels<T>, kernels::pack_rows<T>, kernels::add_rows<T>, kernels::column_sum<T>>{});

}  // namespace detail

/// Their gradients: recurrent_cell_of(args) has a layout().
template <class Args>
concept recurrent_back_pass = requires(const Args& a) {
  recurrent_cell_of(a).layout();
};

/// Schedules the gradient of a recurrent layer: step by step da from what the forward pass saved, and dh ← da·whᵀ, wh
/// packed or "in place"; then dwx, dwh, dx and db from the da of all steps, a product each.
template <cpu_backend On, recurrent_back_pass Args>
[[nodiscard]] recurrent_back_prepared prepare(const On& on, const Args& a, const prepare_options& = {}) {
  const auto cell = recurrent_cell_of(a);
  return detail::prepare_recurrent_back(on, a.operands, a.operands.geometry(cell.gates), cell.layout(), receipt(a));
}
template <cpu_backend On, recurrent_back_pass Args>
void make_constants(const On&, const recurrent_back_prepared&, const Args&, void*) {}
template <cpu_backend On, recurrent_back_pass Args>
void execute(const On& on, const recurrent_back_prepared& made, const Args& a, const call_memory& memory) {
  const auto cell = recurrent_cell_of(a);
  detail::run_recurrent_back(on, made, a.operands, detail::any_cell_back<typename decltype(cell)::element>(on, cell),
                             memory, cell.asked());
}
template <cpu_backend On, recurrent_back_pass Args>
void execute(const On& on, const Args& a) {
  detail::run_once(on, a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/core/float_control.hpp>
#include <ridgepoint/cpu/lstm.hpp>
#include <ridgepoint/cpu/projected_lstm_products.hpp>
#include <ridgepoint/ops/projected_lstm.hpp>

/// \file
/// The backward pass of projected_lstm: step by step dh ← dr·wpᵀ, the cell of lstm makes da, and dr ← da·whᵀ is that of
/// the step before; then dwp comes from the dr of all steps at once, and dwx, dwh, dx and db from their da, as of other
/// recurrent layers.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// How the pass is cut: as that of a recurrent layer whose state is dr, and what is more.
template <class T>
struct projected_lstm_back_schedule {
  recurrent_back_schedule recurrent;
  product_with_weights<T> cells, state;  // dr·wpᵀ, da·whᵀ
  gemm_schedule dwp;
  index_t dh_ld = 0;
  std::size_t packed_bytes = 0;

  [[nodiscard]] constexpr std::size_t gemm_bytes() const noexcept {
    return (std::max)(cells.schedule.workspace_bytes(), state.schedule.workspace_bytes());
  }
};

/// The memory that all workers share. rows: steps·n.
template <class T>
struct projected_lstm_back_memory {
  recurrent_back_memory<T> recurrent;
  T* dr;              // rows × p
  std::byte* packed;  // wpᵀ and whᵀ
  std::size_t bytes = 0;
  projected_lstm_back_memory(const projected_lstm_back_schedule<T>& s, std::byte* memory) noexcept
      : recurrent(s.recurrent, memory), bytes(recurrent.bytes) {
    dr = take_piece<T>(memory, bytes, s.recurrent.rows() * s.recurrent.g.projected);
    packed = memory == nullptr ? nullptr : memory + bytes, bytes += s.packed_bytes;
  }
};
/// What each worker has for `part` samples.
template <class T>
struct projected_lstm_back_worker {
  T *dr, *next;  // part × h_ld: the gradients of r(t), and of r(t − 1)
  T* dh;         // part × dh_ld
  T* kept;       // part × units: dc
  std::byte* gemm;
  std::size_t bytes = 0;
  projected_lstm_back_worker(const projected_lstm_back_schedule<T>& s, std::byte* memory) noexcept {
    const index_t part = s.recurrent.part;
    const auto take = [&](index_t count) { return take_piece<T>(memory, bytes, count); };
    dr = take(part * s.recurrent.h_ld), next = take(part * s.recurrent.h_ld);
    dh = take(part * s.dh_ld), kept = take(part * s.recurrent.g.units);
    gemm = memory == nullptr ? nullptr : memory + bytes, bytes += s.gemm_bytes();
  }
};

/// The products that a recurrent layer has not, from addresses that may be null where only extents are asked for.
template <class T>
struct projected_lstm_back_products {
  const projected_lstm_back_schedule<T>& s;
  const projected_lstm_backward_args<T>& a;
  T* dr;

  [[nodiscard]] matrix_view<const T> wp() const noexcept {
    return {a.wp, s.recurrent.g.units, s.recurrent.g.projected};
  }
  [[nodiscard]] matrix_view<const T> wh() const noexcept {
    return {a.operands.wh, s.recurrent.g.projected, s.recurrent.g.columns()};
  }
  /// dh ← dr·wpᵀ of some rows.
  [[nodiscard]] gemm_args<T> cells(index_t first_row, index_t rows, T* dh) const noexcept {
    const recurrent_geometry& g = s.recurrent.g;
    return {.a = {dr == nullptr ? nullptr : dr + first_row * g.projected, rows, g.projected},
            .b = wp().transposed(),
            .c = {dh, rows, g.units, s.dh_ld}};
  }
  [[nodiscard]] gemm_args<T> dwp() const noexcept {
    const recurrent_geometry& g = s.recurrent.g;
    const index_t rows = s.recurrent.rows();
    return {.a = matrix_view<const T>(a.h, rows, g.units).transposed(),
            .b = {dr, rows, g.projected},
            .c = {a.dwp, g.units, g.projected}};
  }
};

/// The cells as those of an lstm() that gives h.
template <class T>
[[nodiscard]] lstm_backward_args<T> cells_of(const projected_lstm_backward_args<T>& a) noexcept {
  const recurrent_geometry g = a.geometry();
  return {.operands = {.x = a.operands.x,
                       .y = sequence_view<const T>::time_major(a.h, g.steps, g.n, g.units),
                       .dy = {},
                       .dx = {}},
          .c0 = a.c0,
          .c = a.c,
          .gates = a.gates,
          .gate = a.gate};
}

/// All steps of some samples, back from the last.
template <cpu_backend On, class T>
class projected_lstm_back_part {
 public:
  projected_lstm_back_part(const On& on, const projected_lstm_back_schedule<T>& s,
                           const projected_lstm_backward_args<T>& a, const lstm_backward_args<T>& cells,
                           const projected_lstm_back_memory<T>& shared, std::byte* memory, index_t part) noexcept
      : on_(on),
        s_(s),
        a_(a),
        cell_{cells},
        shared_(shared),
        m_(s, memory),
        products_{s, a, shared.dr},
        recurrent_{s.recurrent, a.operands, shared.recurrent.da, nullptr, nullptr, nullptr, nullptr},
        row_(part * s.recurrent.part),
        rows_((std::min)(s.recurrent.part, s.recurrent.g.n - row_)) {}

  void run() {
    const recurrent_geometry& g = s_.recurrent.g;
    const index_t ld = s_.recurrent.h_ld;
    load_state(a_.operands.dlast, row_, rows_, g.projected, m_.dr, ld);
    load_state(a_.dlast_c, row_, rows_, g.units, m_.kept, g.units);
    for (index_t t = g.steps; t-- > 0;) {
      const index_t row = t * g.n + row_;
      add_dy(t);
      s_.cells.run(on_, products_.cells(row, rows_, m_.dh), shared_.packed, m_.gemm);
      run_cell(t);
      if (t == 0 && a_.operands.dh0 == nullptr) break;
      s_.state.run(on_, recurrent_.back(0, row, rows_, m_.next), shared_.packed, m_.gemm);
      keep_skipped(a_.operands.mask, t, row_, rows_, g.projected, m_.dr, m_.next, ld);
      std::swap(m_.dr, m_.next);
    }
    store_state(m_.dr, ld, row_, rows_, g.projected, a_.operands.dh0);
    store_state(m_.kept, g.units, row_, rows_, g.units, a_.dc0);
  }

 private:
  /// dr ← dr + dy, also where it stays until all steps are through; there zeros of samples that skip the step.
  void add_dy(index_t t) const noexcept {
    using lines = kernels::lines<T>;
    const index_t p = s_.recurrent.g.projected;
    const sequence_view<const T>& dy = a_.operands.dy;
    const lines dr{m_.dr, s_.recurrent.h_ld}, stays{shared_.dr + (t * s_.recurrent.g.n + row_) * p, p};
    const kernels::lines<const T> more =
        dy.data == nullptr ? zeros() : kernels::lines<const T>{&dy(t, row_, 0), dy.sample_stride};
    on_.template call<kernels::add_rows<T>>(rows_, p, dr, more, dr, stays);
    const sequence_mask& mask = a_.operands.mask;
    for (index_t i = 0; mask.data != nullptr && i < rows_; ++i)
      if (is_skipped(mask, t, row_ + i)) kernels::fill_rows(1, p, stays.below(i), T(0));
  }
  void run_cell(index_t t) const noexcept {
    const recurrent_geometry& g = s_.recurrent.g;
    const index_t ld = s_.recurrent.da_ld;
    const kernels::cell_place_back<T> at{.t = t,
                                         .row = row_,
                                         .rows = rows_,
                                         .zeros = zeros(),
                                         .dy = zeros(),
                                         .dh = {m_.dh, s_.dh_ld},
                                         .da = {shared_.recurrent.da + (t * g.n + row_) * ld, ld},
                                         .kept = {m_.kept, g.units}};
    for_masked_samples(
        a_.operands.mask, at, [&](const auto& some) { cell_.step(on_, some); },
        [&](const auto& some) { kernels::fill_rows(some.rows, g.columns(), some.da, T(0)); });
  }
  [[nodiscard]] kernels::lines<const T> zeros() const noexcept { return {shared_.recurrent.zeros, 0}; }

  const On& on_;
  const projected_lstm_back_schedule<T>& s_;
  const projected_lstm_backward_args<T>& a_;
  lstm_step_back<T> cell_;
  const projected_lstm_back_memory<T>& shared_;
  projected_lstm_back_worker<T> m_;
  projected_lstm_back_products<T> products_;
  recurrent_back_products<T> recurrent_;
  index_t row_, rows_;
};

}  // namespace detail

/// A backward pass of projected_lstm() that is prepared.
template <class T>
struct projected_lstm_back_prepared {
  detail::projected_lstm_back_schedule<T> schedule;
  preparation told;
};

namespace detail {

template <cpu_backend On, class T>
[[nodiscard]] projected_lstm_back_prepared<T> prepare_projected_lstm_back(const On& on,
                                                                          const projected_lstm_backward_args<T>& a) {
  projected_lstm_back_prepared<T> made;
  projected_lstm_back_schedule<T>& s = made.schedule;
  const recurrent_geometry g = a.geometry();
  const recurrent_back_prepared recurrent =
      prepare_recurrent_back(on, a.operands, g, back_layout::of(lstm_gates), receipt(a));
  recurrent_back_schedule& r = s.recurrent = recurrent.schedule;
  r.packed = 0;  // whᵀ lies beside wpᵀ; its plan in place serves the count alone
  s.dh_ld = kernels::row_distance<T>(g.units);
  const projected_lstm_back_products<T> products{s, a, nullptr};
  const recurrent_back_products<T> of_state{r, a.operands, nullptr, nullptr, nullptr, nullptr, nullptr};
  const index_t rows = (std::min)(r.part, g.n);
  const weights_read how = r.in_place ? weights_read::in_place : weights_read::packed;
  s.cells = product_with_weights<T>::of(on, products.cells(0, rows, nullptr), how, s.packed_bytes);
  s.state = product_with_weights<T>::of(on, of_state.back(0, 0, rows, nullptr), how, s.packed_bytes);
  s.dwp = schedule(on, products.dwp());
  r.gemm_bytes = (std::max)(r.gemm_bytes, s.dwp.workspace_bytes());
  r.worker_bytes = projected_lstm_back_worker<T>(s, nullptr).bytes;
  made.told.algorithm = r.in_place ? "in place" : "packed";
  made.told.workspace_bytes = projected_lstm_back_memory<T>(s, nullptr).bytes;
  made.told.executed = executed_with(recurrent.told.executed.matrix_flop +
                                         s.cells.executed(on.vectors(), products.cells(0, g.n, nullptr), g.steps) +
                                         executed_by(on.vectors(), s.dwp, products.dwp(), 1),
                                     receipt(a));
  return made;
}

template <cpu_backend On, class T>
void run_projected_lstm_back(const On& on, const projected_lstm_back_schedule<T>& s,
                             const projected_lstm_backward_args<T>& a, std::byte* workspace) {
  const recurrent_back_schedule& r = s.recurrent;
  const projected_lstm_back_memory<T> m(s, workspace);
  std::fill_n(m.recurrent.zeros, (std::max)(r.g.units, r.g.projected), T(0));
  const projected_lstm_back_products<T> products{s, a, m.dr};
  s.cells.pack(on, products.wp().transposed(), m.packed);
  s.state.pack(on, products.wh().transposed(), m.packed);
  const lstm_backward_args<T> cells = cells_of(a);
  const auto run_part = [&](const auto& each, index_t part, index_t worker) {
    std::byte* const piece = m.recurrent.workers + static_cast<std::size_t>(worker) * r.worker_bytes;
    projected_lstm_back_part(each, s, a, cells, m, piece, part).run();
  };
  const auto one = on.on_one_thread();
  if (r.in_place && r.g.n > 0) run_part(on, 0, 0);
  else parallel_for(on.thread_count(), r.parts(), [&](index_t part, index_t worker) { run_part(one, part, worker); });
  run_gradients(on, r, a.operands, m.recurrent, static_cast<T*>(nullptr));
  run(on, s.dwp, products.dwp(), m.recurrent.gemm);
}

}  // namespace detail

/// Schedules the gradient of a projected LSTM: weights "packed", or, for few samples, "in place".
template <cpu_backend On, std::floating_point T>
[[nodiscard]] projected_lstm_back_prepared<T> prepare(const On& on, const projected_lstm_backward_args<T>& a,
                                                      const prepare_options& = {}) {
  return detail::prepare_projected_lstm_back(on, a);
}
template <cpu_backend On, std::floating_point T>
void make_constants(const On&, const projected_lstm_back_prepared<T>&, const projected_lstm_backward_args<T>&, void*) {}
/// Subnormal numbers are zeros in it, as in other recurrent layers.
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const projected_lstm_back_prepared<T>& made, const projected_lstm_backward_args<T>& a,
             const call_memory& memory) {
  const flush_subnormals here(on.subnormals);
  detail::run_projected_lstm_back(on, made.schedule, a, static_cast<std::byte*>(memory.workspace));
}
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const projected_lstm_backward_args<T>& a) {
  detail::run_once(on, a);
}
template <std::floating_point T>
decltype(detail::gemm_kernels<T>{} +
         type_list<kernels::lstm_step_back<T>, kernels::add_rows<T>, kernels::column_sum<T>>{})
    kernels_of(const projected_lstm_backward_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

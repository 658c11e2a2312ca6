// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/float_control.hpp>
#include <ridgepoint/cpu/lstm.hpp>
#include <ridgepoint/cpu/projected_lstm_backward.hpp>
#include <ridgepoint/cpu/projected_lstm_products.hpp>
#include <ridgepoint/cpu/run_once.hpp>
#include <ridgepoint/ops/projected_lstm.hpp>

/// \file
/// The forward pass of projected_lstm: x·wx + bias for some steps at once, then step by step r(t − 1)·wh, the cell of
/// lstm, and r(t) ← h(t)·wp.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// How the pass is cut: samples in parts, steps in chunks.
template <class T>
struct projected_lstm_schedule {
  recurrent_geometry g;
  bool in_place = false;                              // weights are not packed
  bool constant = false;                              // they are packed once, not in every run
  index_t part = 0, chunk = 1;                        // samples; steps
  index_t sums_ld = 0, h_ld = 0, r_ld = 0, x_ld = 0;  // x_ld: of the input's copy, 0 if it is read where it is
  product_with_weights<T> input, state, projection;   // x·wx, r·wh, h·wp
  std::size_t packed_bytes = 0, worker_bytes = 0, workers = 0;

  [[nodiscard]] constexpr index_t parts() const noexcept { return g.n == 0 ? 0 : ceil_div(g.n, part); }
  [[nodiscard]] constexpr std::size_t gemm_bytes() const noexcept {
    return (std::max)(
        {input.schedule.workspace_bytes(), state.schedule.workspace_bytes(), projection.schedule.workspace_bytes()});
  }
};

/// What each worker has for `part` samples.
template <class T>
struct projected_lstm_memory {
  T* sums;      // chunk·part × sums_ld
  T* h;         // part × h_ld
  T *r, *next;  // part × r_ld: r(t − 1), r(t)
  T* kept;      // part × units: c, where it is not saved
  T* x;         // chunk·part × x_ld
  std::byte* gemm;
  std::size_t bytes = 0;
  projected_lstm_memory(const projected_lstm_schedule<T>& s, std::byte* memory) noexcept {
    const auto take = [&](index_t count) { return take_piece<T>(memory, bytes, count); };
    sums = take(s.chunk * s.part * s.sums_ld);
    h = take(s.part * s.h_ld);
    r = take(s.part * s.r_ld), next = take(s.part * s.r_ld);
    kept = take(s.part * s.g.units);
    x = take(s.chunk * s.part * s.x_ld);
    gemm = memory == nullptr ? nullptr : memory + bytes, bytes += s.gemm_bytes();
  }
};

/// The products of the pass, from addresses that may be null where only extents are asked for.
template <class T>
struct projected_lstm_products {
  const projected_lstm_schedule<T>& s;
  const projected_lstm_args<T>& a;

  [[nodiscard]] matrix_view<const T> wx() const noexcept { return {a.operands.wx, s.g.in, s.g.columns()}; }
  [[nodiscard]] matrix_view<const T> wh() const noexcept { return {a.operands.wh, s.g.projected, s.g.columns()}; }
  [[nodiscard]] matrix_view<const T> wp() const noexcept { return {a.wp, s.g.units, s.g.projected}; }
  [[nodiscard]] gemm_args<T> input(const matrix_view<const T>& x, T* sums) const noexcept {
    return {.a = x, .b = wx(), .c = {sums, x.rows, s.g.columns(), s.sums_ld}, .options = {.bias = a.operands.bias}};
  }
  [[nodiscard]] gemm_args<T> state(const T* r, index_t rows, T* sums) const noexcept {
    return {.a = {r, rows, s.g.projected, s.r_ld},
            .b = wh(),
            .c = {sums, rows, s.g.columns(), s.sums_ld},
            .options = {.beta = T(1)}};
  }
  [[nodiscard]] gemm_args<T> projection(const T* h, index_t rows, T* r) const noexcept {
    return {.a = {h, rows, s.g.units, s.h_ld}, .b = wp(), .c = {r, rows, s.g.projected, s.r_ld}};
  }
};

/// The cells as those of an lstm() that gives h.
template <class T>
[[nodiscard]] lstm_args<T> cells_of(const projected_lstm_args<T>& a) noexcept {
  const recurrent_geometry g = a.geometry();
  return {.operands = {.x = a.operands.x, .y = sequence_view<T>::time_major(a.h, g.steps, g.n, g.units)},
          .c0 = a.c0,
          .c = a.c,
          .gates = a.gates,
          .last_c = a.last_c,
          .gate = a.gate};
}

/// Takes the samples of one part through all steps.
template <cpu_backend On, class T>
class projected_lstm_part {
 public:
  projected_lstm_part(const On& on, const projected_lstm_schedule<T>& s, const projected_lstm_args<T>& a,
                      const lstm_args<T>& cells, const std::byte* weights, std::byte* memory, index_t part) noexcept
      : on_(on),
        s_(s),
        a_(a),
        cell_{cells},
        weights_(weights),
        m_(s, memory),
        products_{s, a},
        row_(part * s.part),
        rows_((std::min)(s.part, s.g.n - row_)) {}

  void run() {
    const recurrent_geometry& g = s_.g;
    load_state(a_.operands.h0, row_, rows_, g.projected, m_.r, s_.r_ld);
    load_state(a_.c0, row_, rows_, g.units, m_.kept, g.units);
    std::fill_n(m_.h, rows_ * s_.h_ld, T(0));  // rows of skipped samples are multiplied, too
    for (index_t first = 0; first < g.steps; first += s_.chunk) {
      const index_t count = (std::min)(s_.chunk, g.steps - first);
      const auto x = input_rows(a_.operands.x, first, count, row_, rows_, s_.x_ld, m_.x);
      s_.input.run(on_, products_.input(x, m_.sums), weights_, m_.gemm);
      for (index_t t = first; t < first + count; ++t) step(t, m_.sums + (t - first) * rows_ * s_.sums_ld);
    }
    store_state(m_.r, s_.r_ld, row_, rows_, g.projected, a_.operands.last);
    cell_.kept().store(g, row_, rows_, m_.kept);
  }

 private:
  void step(index_t t, T* sums) {
    s_.state.run(on_, products_.state(m_.r, rows_, sums), weights_, m_.gemm);
    run_cell(t, sums);
    s_.projection.run(on_, products_.projection(m_.h, rows_, m_.next), weights_, m_.gemm);
    keep_skipped(a_.operands.mask, t, row_, rows_, s_.g.projected, m_.r, m_.next, s_.r_ld);
    std::swap(m_.r, m_.next);
    for (index_t i = 0; a_.operands.y.data != nullptr && i < rows_; ++i)
      std::copy_n(m_.r + i * s_.r_ld, s_.g.projected, &a_.operands.y(t, row_ + i, 0));
  }
  void run_cell(index_t t, const T* sums) const noexcept {
    const index_t u = s_.g.units;
    kernels::cell_place<T> at{
        .t = t, .row = row_, .rows = rows_, .width = u, .next = {m_.h, s_.h_ld}, .kept = {m_.kept, u}};
    for (index_t k = 0; k < lstm_gates; ++k) at.sums[static_cast<std::size_t>(k)] = {sums + k * u, s_.sums_ld};
    for_masked_samples(
        a_.operands.mask, at, [&](const auto& some) { cell_.step(on_, some); }, [&](const auto& some) { skip(some); });
  }
  void skip(const kernels::cell_place<T>& at) const noexcept {
    const index_t u = s_.g.units;
    cell_.skip(at);
    if (a_.h != nullptr) std::fill_n(a_.h + (at.t * s_.g.n + at.row) * u, at.rows * u, T(0));
  }

  const On& on_;
  const projected_lstm_schedule<T>& s_;
  const projected_lstm_args<T>& a_;
  lstm_step<T> cell_;
  const std::byte* weights_;  // packed
  projected_lstm_memory<T> m_;
  projected_lstm_products<T> products_;
  index_t row_, rows_;
};

template <cpu_backend On, class T>
void pack_weights(const On& on, const projected_lstm_schedule<T>& s, const projected_lstm_args<T>& a, std::byte* to) {
  const projected_lstm_products<T> products{s, a};
  s.input.pack(on, products.wx(), to);
  s.state.pack(on, products.wh(), to);
  s.projection.pack(on, products.wp(), to);
}

}  // namespace detail

/// A forward pass of projected_lstm() that is prepared.
template <class T>
struct projected_lstm_prepared {
  detail::projected_lstm_schedule<T> schedule;
  preparation told;
};

namespace detail {

template <cpu_backend On, class T>
[[nodiscard]] projected_lstm_prepared<T> prepare_projected_lstm(const On& on, const projected_lstm_args<T>& a,
                                                                const prepare_options& options) {
  projected_lstm_prepared<T> made;
  projected_lstm_schedule<T>& s = made.schedule;
  s.g = a.geometry();
  const recurrent_geometry& g = s.g;
  s.constant = is_constant(a.operands.wx, g.input_weights(), options) &&
               is_constant(a.operands.wh, g.recurrent_weights(), options) &&
               is_constant(a.wp, g.units * g.projected, options);
  s.in_place = multiplies_in_place(g, s.constant ? weights_are::constant : weights_are::given);
  s.part = s.in_place ? std::max<index_t>(g.n, 1) : part_of_samples(on.thread_count(), g);
  s.chunk = s.in_place ? g.steps : std::clamp<index_t>(rows_of_chunk / s.part, 1, g.steps);
  s.sums_ld = kernels::row_distance<T>(g.columns());
  s.h_ld = kernels::row_distance<T>(g.units);
  s.r_ld = kernels::row_distance<T>(g.projected);
  s.x_ld = reads_input_in_place(a.operands.x, s.chunk, s.part) ? 0 : kernels::row_distance<T>(g.in);
  const index_t x_step = s.x_ld != 0 ? s.x_ld : s.chunk == 1 ? a.operands.x.sample_stride : row_step(a.operands.x);
  const projected_lstm_products<T> products{s, a};
  const auto input = [&](index_t rows) { return products.input({a.operands.x.data, rows, g.in, x_step}, nullptr); };
  const index_t rows = (std::min)(s.part, g.n);
  const weights_read how = s.in_place ? weights_read::in_place : weights_read::packed;
  const auto plan = [&](const gemm_args<T>& product) {
    return product_with_weights<T>::of(on, product, how, s.packed_bytes);
  };
  s.input = plan(input(s.chunk * rows));
  s.state = plan(products.state(nullptr, rows, nullptr));
  s.projection = plan(products.projection(nullptr, rows, nullptr));
  s.worker_bytes = projected_lstm_memory<T>(s, nullptr).bytes;
  s.workers = static_cast<std::size_t>(std::min<index_t>(on.thread_count(), s.parts()));
  made.told.algorithm = s.in_place ? "in place" : "packed";
  made.told.constant_bytes = s.constant ? s.packed_bytes : 0;
  made.told.workspace_bytes = (s.constant ? 0 : s.packed_bytes) + s.workers * s.worker_bytes;
  const kernels::vector_unit v = on.vectors();
  made.told.executed = executed_with(s.input.executed(v, input(g.steps * g.n), 1) +
                                         s.state.executed(v, products.state(nullptr, g.n, nullptr), g.steps) +
                                         s.projection.executed(v, products.projection(nullptr, g.n, nullptr), g.steps),
                                     receipt(a));
  return made;
}

}  // namespace detail

/// Schedules a projected LSTM: "packed", or, for few samples or few rows, "in place", as of other recurrent layers.
template <cpu_backend On, std::floating_point T>
[[nodiscard]] projected_lstm_prepared<T> prepare(const On& on, const projected_lstm_args<T>& a,
                                                 const prepare_options& options = {}) {
  return detail::prepare_projected_lstm(on, a, options);
}
template <cpu_backend On, std::floating_point T>
void make_constants(const On& on, const projected_lstm_prepared<T>& made, const projected_lstm_args<T>& a, void* to) {
  if (made.told.constant_bytes != 0) detail::pack_weights(on, made.schedule, a, static_cast<std::byte*>(to));
}
/// Subnormal numbers are zeros in it, as in other recurrent layers.
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const projected_lstm_prepared<T>& made, const projected_lstm_args<T>& a,
             const call_memory& memory) {
  const flush_subnormals here(on.subnormals);
  const detail::projected_lstm_schedule<T>& s = made.schedule;
  auto* workspace = static_cast<std::byte*>(memory.workspace);
  const auto* weights = static_cast<const std::byte*>(memory.constants);
  if (!s.constant) {
    detail::pack_weights(on, s, a, workspace);
    weights = workspace, workspace += s.packed_bytes;
  }
  const lstm_args<T> cells = detail::cells_of(a);
  const auto run = [&](const auto& each, index_t part, index_t worker) {
    std::byte* const piece = workspace + static_cast<std::size_t>(worker) * s.worker_bytes;
    detail::projected_lstm_part(each, s, a, cells, weights, piece, part).run();
  };
  if (s.in_place && s.g.n > 0) return run(on, 0, 0);
  const auto one = on.on_one_thread();
  parallel_for(on.thread_count(), s.parts(), [&](index_t part, index_t worker) { run(one, part, worker); });
}
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const projected_lstm_args<T>& a) {
  detail::run_once(on, a);
}
template <std::floating_point T>
decltype(detail::gemm_kernels<T>{} + type_list<kernels::lstm_step<T>>{}) kernels_of(const projected_lstm_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/core/float_control.hpp>
#include <ridgepoint/cpu/gemm_prepare.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/cpu/recurrent.hpp>
#include <ridgepoint/cpu/recurrent_layers.hpp>
#include <ridgepoint/ops/projected_lstm.hpp>

/// \file
/// Products with weights, step after step, for both passes of projected_lstm. Threads process all steps of their
/// samples and share weights that are packed once; few rows are multiplied with the weights in place.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Source of the weights of products: in place, or in panels shared by all threads.
enum class weights_read { in_place, packed };

/// A product of some rows with weights that many products share: in place, or packed in a buffer with others.
template <class T>
struct product_with_weights {
  gemm_schedule schedule;
  index_t packed = 0;  // elements; 0: in place
  std::size_t at = 0;  // offset in bytes among the packed weights

  /// Schedules a product and adds its packed bytes to `bytes`.
  template <cpu_backend On>
  [[nodiscard]] static product_with_weights of(const On& on, const gemm_args<T>& product, weights_read how,
                                               std::size_t& bytes) {
    if (how == weights_read::in_place) return {.schedule = detail::schedule(on, product)};
    product_with_weights made{.schedule = schedule_packed(on.on_one_thread(), product),
                              .packed = packed_elements<T>(on.vectors(), product.b.rows, product.b.cols),
                              .at = bytes};
    bytes += piece_bytes<T>(made.packed);
    return made;
  }
  template <cpu_backend On>
  void pack(const On& on, const matrix_view<const T>& weights, std::byte* all) const {
    if (packed > 0) pack_panels(on, weights, reinterpret_cast<T*>(all + at));
  }
  /// Runs the product; `all` is the packed weights.
  template <cpu_backend On>
  void run(const On& on, const gemm_args<T>& product, const std::byte* all, std::byte* workspace) const {
    detail::run(on, schedule, product, workspace, packed > 0 ? reinterpret_cast<const T*>(all + at) : nullptr);
  }
  /// Returns the multiplications and additions of `times` such products.
  [[nodiscard]] std::uint64_t executed(kernels::vector_unit v, const gemm_args<T>& product,
                                       index_t times) const noexcept {
    return executed_by(v, schedule, product, times);
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// The backward pass of projected_lstm. Step by step dh ← dr·wpᵀ, the LSTM cell computes da, and dr ← da·whᵀ for the
// previous step; then dwp follows from the dr of all steps at once, and dwx, dwh, dx and db from their da, as for
// other recurrent layers.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Schedule of the pass: that of a recurrent layer whose state is dr, with additional products.
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

/// Memory shared by all workers. rows: steps·n.
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
/// Memory of each worker for `part` samples.
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

/// The products that other recurrent layers lack, with addresses that may be null if only extents are needed.
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
  /// Returns dh ← dr·wpᵀ of some rows.
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

/// Returns the cells as the cells of an lstm() that outputs h.
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

/// Processes all steps of some samples, backward from the last.
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
  /// Adds dr ← dr + dy, also in the copy for all steps; there it writes zeros for samples that skip the step.
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

/// A prepared backward pass of projected_lstm().
template <class T>
struct projected_lstm_back_prepared {
  detail::projected_lstm_back_schedule<T> schedule;
  preparation info;
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
  r.packed = 0;  // whᵀ is packed with wpᵀ; its plan in place is used for the count only
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
  made.info.algorithm = r.in_place ? "in place" : "packed";
  made.info.workspace_bytes = projected_lstm_back_memory<T>(s, nullptr).bytes;
  made.info.executed = executed_with(recurrent.info.executed.matrix_flop +
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
/// Runs the pass with subnormal numbers flushed to zero, as in other recurrent layers.
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

// The forward pass of projected_lstm: x·wx + bias for some steps at once, then step by step r(t − 1)·wh, the LSTM
// cell, and r(t) ← h(t)·wp.

namespace detail {

/// Schedule of the pass: samples in parts, steps in chunks.
template <class T>
struct projected_lstm_schedule {
  recurrent_geometry g;
  bool in_place = false;                              // weights are not packed
  bool constant = false;                              // weights are packed once, not in every run
  index_t part = 0, chunk = 1;                        // samples; steps
  index_t sums_ld = 0, h_ld = 0, r_ld = 0, x_ld = 0;  // x_ld: of the input's copy, 0 if it is read in place
  product_with_weights<T> input, state, projection;   // x·wx, r·wh, h·wp
  std::size_t packed_bytes = 0, worker_bytes = 0, workers = 0;

  [[nodiscard]] constexpr index_t parts() const noexcept { return g.n == 0 ? 0 : ceil_div(g.n, part); }
  [[nodiscard]] constexpr std::size_t gemm_bytes() const noexcept {
    return (std::max)(
        {input.schedule.workspace_bytes(), state.schedule.workspace_bytes(), projection.schedule.workspace_bytes()});
  }
};

/// Memory of each worker for `part` samples.
template <class T>
struct projected_lstm_memory {
  T* sums;      // chunk·part × sums_ld
  T* h;         // part × h_ld
  T *r, *next;  // part × r_ld: r(t − 1), r(t)
  T* kept;      // part × units: c, if not saved
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

/// The products of the pass, with addresses that may be null if only extents are needed.
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

/// Returns the cells as the cells of an lstm() that outputs h.
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

/// Processes all steps of the samples of one part.
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
    std::fill_n(m_.h, rows_ * s_.h_ld, T(0));  // rows of skipped samples are also multiplied
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

/// A prepared forward pass of projected_lstm().
template <class T>
struct projected_lstm_prepared {
  detail::projected_lstm_schedule<T> schedule;
  preparation info;
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
  made.info.algorithm = s.in_place ? "in place" : "packed";
  made.info.constant_bytes = s.constant ? s.packed_bytes : 0;
  made.info.workspace_bytes = (s.constant ? 0 : s.packed_bytes) + s.workers * s.worker_bytes;
  const kernels::vector_unit v = on.vectors();
  made.info.executed = executed_with(s.input.executed(v, input(g.steps * g.n), 1) +
                                         s.state.executed(v, products.state(nullptr, g.n, nullptr), g.steps) +
                                         s.projection.executed(v, products.projection(nullptr, g.n, nullptr), g.steps),
                                     receipt(a));
  return made;
}

}  // namespace detail

/// Schedules a projected LSTM: "packed", or, for few samples or few rows, "in place", as for other recurrent layers.
template <cpu_backend On, std::floating_point T>
[[nodiscard]] projected_lstm_prepared<T> prepare(const On& on, const projected_lstm_args<T>& a,
                                                 const prepare_options& options = {}) {
  return detail::prepare_projected_lstm(on, a, options);
}
template <cpu_backend On, std::floating_point T>
void make_constants(const On& on, const projected_lstm_prepared<T>& made, const projected_lstm_args<T>& a, void* to) {
  if (made.info.constant_bytes != 0) detail::pack_weights(on, made.schedule, a, static_cast<std::byte*>(to));
}
/// Runs the pass with subnormal numbers flushed to zero, as in other recurrent layers.
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

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include <ridgepoint/core/float_control.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/recurrent_weights.hpp>
#include <ridgepoint/cpu/run_once.hpp>

/// \file
/// The forward pass that rnn, lstm and gru share. A cell tells which gates' sums it needs and turns them into the next
/// state; here x(t)·wx + h(t − 1)·wh + bias is computed, for as many units at once as a panel of packed weights has,
/// all gates of them side by side, so that sums go from the registers to the cell through L1.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// What a cell keeps from step to step beside h, (n, units).
template <class T>
struct kept_state {
  const T* first = nullptr;  // null: zeros
  T* last = nullptr;         // null: not wanted
  const T* saved = nullptr;  // (steps, n, units), where the cell saves it; null: it stays in the part's memory

  /// Stores what samples [row, row + rows) have after all steps.
  void store(const recurrent_geometry& g, index_t row, index_t rows, const T* kept) const noexcept {
    const T* const from = saved == nullptr ? kept : saved + ((g.steps - 1) * g.n + row) * g.units;
    store_state(from, g.units, row, rows, g.units, last);
  }
};

/// A cell and a backend without their types, so that the code that runs them is compiled once.
template <class T>
struct any_cell {
  const void *on = nullptr, *cell = nullptr;
  void (*step)(const any_cell& self, const kernels::cell_place<T>&) noexcept = nullptr;
  void (*skip)(const any_cell& self, const kernels::cell_place<T>&) noexcept = nullptr;  // a step that keeps the state
  kept_state<T> kept = {};
  const T* recurrent_bias = nullptr;  // as `bias`, of the state's products

  template <cpu_backend On, class Cell>
  any_cell(const On& backend, const Cell& of) noexcept
      : on(&backend),
        cell(&of),
        step([](const any_cell& self, const kernels::cell_place<T>& at) noexcept {
          static_cast<const Cell*>(self.cell)->step(*static_cast<const On*>(self.on), at);
        }),
        skip([](const any_cell& self, const kernels::cell_place<T>& at) noexcept {
          static_cast<const Cell*>(self.cell)->skip(at);
        }),
        kept(of.kept()),
        recurrent_bias(of.recurrent_bias()) {}
};

/// Takes the samples of one part through all steps: sums of gates, then the cell, in one worker's memory.
template <cpu_backend On, class T>
class recurrent_part {
 public:
  /// In place: `on` and `gemm` are what products are computed with.
  recurrent_part(const On& on, const recurrent_schedule& s, const recurrent<T>& a, const any_cell<T>& cell,
                 const T* packed, const T* biases, std::byte* memory, std::byte* gemm, index_t part) noexcept
      : on_(on),
        s_(s),
        a_(a),
        cell_(cell),
        packed_(packed),
        biases_(biases),
        m_(on.vectors(), s, memory),
        gemm_(gemm),
        row_(part * s.part),
        rows_((std::min)(s.part, s.g.n - row_)) {}

  /// All steps.
  void run() {
    const recurrent_geometry& g = s_.g;
    load_state(a_.h0, row_, rows_, g.units, m_.h, s_.h_ld);
    load_state(cell_.kept.first, row_, rows_, g.units, m_.kept, g.units);
    for (index_t first = 0; first < g.steps; first += s_.chunk) {
      const index_t count = (std::min)(s_.chunk, g.steps - first);
      x_ = input_rows(a_.x, first, count, row_, rows_, s_.x_ld, m_.x);
      pack(x_, m_.packed_x);
      if (s_.in_place || s_.chunk > 1) {
        for (index_t set = 0; set < s_.set_count; ++set) {
          if (s_.in_place) input_in_place(set);
          else add_input(set, 0, s_.panels, m_.sums);
        }
      }
      for (index_t t = first; t < first + count; ++t) step(t, m_.sums + (t - first) * rows_ * s_.sums_ld);
    }
    store_state(m_.h, s_.h_ld, row_, rows_, g.units, a_.last);
    cell_.kept.store(g, row_, rows_, m_.kept);
  }

 private:
  [[nodiscard]] const gate_set& set_of(index_t set) const noexcept { return s_.sets[static_cast<std::size_t>(set)]; }
  [[nodiscard]] index_t phases() const noexcept { return set_of(s_.set_count - 1).phase + 1; }
  /// Where the panels of a set are, from one on.
  [[nodiscard]] const T* panel(index_t set, index_t first) const noexcept {
    const index_t each = s_.width * (s_.g.in + s_.g.units);
    index_t before = set_of(set).count * first;
    for (index_t s = 0; s < set; ++s) before += set_of(s).count * s_.panels;
    return packed_ + before * each;
  }
  [[nodiscard]] const T* bias(index_t set, index_t first) const noexcept {
    return biases_ + s_.columns_before(set, s_.panels) + first * set_of(set).count * s_.width;
  }
  void pack(const matrix_view<const T>& rows, T* to) const noexcept {
    if (to != nullptr) on_.template call<kernels::pack_rows<T>>(rows, to);
  }

  /// `count` panels of a set from `first` on, of all operands. Vectors beyond the units are left out, as no cell reads
  /// them.
  [[nodiscard]] kernels::panel_product<T> product(const matrix_view<const T>& a, const T* packed_a, index_t set,
                                                  index_t first, index_t count, T* sums) const noexcept {
    const index_t units = round_up(s_.g.units, lanes_) - first * s_.width;
    return {.a = a,
            .packed_a = packed_a,
            .weights = panel(set, first),
            .panel = s_.width * (s_.g.in + s_.g.units),
            .gates = set_of(set).count,
            .columns = (std::min)(count * s_.width, units),
            .c = sums + s_.columns_before(set, s_.panels_at_once()),
            .ldc = s_.sums_ld};
  }
  /// sums ← x·wx + bias of some panels, for all rows of x.
  void add_input(index_t set, index_t first, index_t count, T* sums) const noexcept {
    auto p = product(x_, m_.packed_x, set, first, count, sums);
    p.bias = bias(set, first);
    on_.template call<kernels::times_panels<T>>(p);
  }
  /// The same of the state, added to those of x or beside them.
  void add_state(const T* state, index_t set, index_t first, index_t count, T* sums) const noexcept {
    auto p = product({state, rows_, s_.g.units, s_.h_ld}, m_.packed_h, set, first, count, sums);
    p.weights += s_.g.in * s_.width;
    if (const gate_set& g = set_of(set); g.apart) {
      p.c += g.count * s_.panels_at_once() * s_.width;
      p.bias = bias(set, first) + g.count * s_.panels * s_.width;
    } else {
      p.beta = T(1);
    }
    on_.template call<kernels::times_panels<T>>(p);
  }
  void input_in_place(index_t set) const {
    const gate_set& g = set_of(set);
    detail::run(on_, s_.input[static_cast<std::size_t>(set)],
                product_in_place<T>(x_, a_.wx, s_.g, g,
                                    {m_.sums + s_.columns_before(set, 1), x_.rows, g.count * s_.width, s_.sums_ld},
                                    T(0), bias(set, 0)),
                gemm_);
  }
  void state_in_place(const T* state, index_t set, T* sums) const {
    const gate_set& g = set_of(set);
    matrix_view<T> to(sums + s_.columns_before(set, 1), rows_, g.count * s_.width, s_.sums_ld);
    if (g.apart) {
      to.data += g.count * s_.width;
      const T* const from = bias(set, 0) + g.count * s_.width;
      for (index_t i = 0; i < rows_; ++i) std::copy_n(from, to.cols, &to(i, 0));
    }
    detail::run(on_, s_.state[static_cast<std::size_t>(set)],
                product_in_place<T>({state, rows_, s_.g.units, s_.h_ld}, a_.wh, s_.g, g, to, T(1), nullptr), gemm_);
  }

  void step(index_t t, T* sums) {
    const index_t at_once = s_.panels_at_once();
    for (index_t phase = 0; phase < phases(); ++phase) {
      T* const state = phase == 0 ? m_.h : m_.other;
      pack({state, rows_, s_.g.units, s_.h_ld}, m_.packed_h);
      for (index_t first = 0; first < s_.panels; first += at_once) {
        for (index_t set = 0; set < s_.set_count; ++set) {
          if (set_of(set).phase != phase) continue;
          if (s_.in_place) {
            state_in_place(state, set, sums);
            continue;
          }
          if (s_.chunk == 1) add_input(set, first, at_once, sums);
          add_state(state, set, first, at_once, sums);
        }
        for (index_t panel = 0; panel < at_once; ++panel) run_cell(phase, t, first + panel, panel, sums);
      }
    }
    std::swap(m_.h, m_.next);
  }
  void run_cell(index_t phase, index_t t, index_t panel, index_t column, const T* sums) const noexcept {
    const index_t unit = panel * s_.width;
    kernels::cell_place<T> at{.phase = phase,
                              .t = t,
                              .row = row_,
                              .rows = rows_,
                              .unit = unit,
                              .width = (std::min)(s_.width, s_.g.units - unit),
                              .h = {m_.h + unit, s_.h_ld},
                              .next = {m_.next + unit, s_.h_ld},
                              .other = {m_.other + unit, s_.h_ld},
                              .kept = {m_.kept + unit, s_.g.units}};
    auto sum = at.sums.begin();
    for (index_t set = 0; set < s_.set_count; ++set) {
      const index_t count = set_of(set).count;
      const T* from = sums + s_.columns_before(set, s_.panels_at_once()) + column * count * s_.width;
      for (index_t k = 0; k < count; ++k) *sum++ = {from + k * s_.width, s_.sums_ld};
      from += count * s_.panels_at_once() * s_.width;
      for (index_t k = 0; set_of(set).apart && k < count; ++k) *sum++ = {from + k * s_.width, s_.sums_ld};
    }
    for_masked_samples(
        a_.mask, at, [&](const auto& some) { cell_.step(cell_, some); }, [&](const auto& some) { skip(some); });
  }
  /// h(t) ← h(t − 1). What earlier phases have made of other rows is not read.
  void skip(const kernels::cell_place<T>& at) const noexcept {
    if (at.phase + 1 < phases()) return;
    kernels::copy_rows(at.rows, at.width, at.h, at.next);
    if (a_.y.data != nullptr) kernels::copy_rows(at.rows, at.width, at.h, at.rows_or_next(a_.y));
    cell_.skip(cell_, at);
  }

  const On& on_;
  const recurrent_schedule& s_;
  const recurrent<T>& a_;
  const any_cell<T>& cell_;
  const T *packed_, *biases_;
  recurrent_memory<T> m_;
  std::byte* gemm_;
  index_t row_, rows_;
  index_t lanes_ = on_.vectors().template lanes<T>();
  matrix_view<const T> x_ = {};  // of the chunk
};

/// The forward pass of a cell on its schedule. Subnormal numbers are zeros in it, unless the backend is told to leave
/// them: a state may decay to nothing.
template <cpu_backend On, class T>
void run_recurrent(const On& on, const recurrent_prepared& made, const recurrent<T>& a, const any_cell<T>& cell,
                   const call_memory& memory) {
  const flush_subnormals here(on.subnormals);
  const recurrent_schedule& s = made.schedule;
  auto* workspace = static_cast<std::byte*>(memory.workspace);
  T* const biases = reinterpret_cast<T*>(workspace);
  workspace += piece_bytes<T>(s.biases);
  arrange_biases(on, s, a.bias, cell.recurrent_bias, biases);
  const T* packed = static_cast<const T*>(memory.constants);
  if (!s.constant) {
    T* const to = reinterpret_cast<T*>(workspace);
    if (!s.in_place) pack_weights(on, s, a, to);
    packed = to;
    workspace += piece_bytes<T>(s.packed);
  }
  std::byte* const gemm = workspace;
  workspace += s.gemm_bytes;
  const auto run_part = [&](const auto& each, index_t part, index_t worker) {
    std::byte* const piece = workspace + static_cast<std::size_t>(worker) * s.worker_bytes;
    recurrent_part(each, s, a, cell, packed, biases, piece, gemm, part).run();
  };
  if (s.in_place && s.g.n > 0) return run_part(on, 0, 0);
  const auto one = on.on_one_thread();
  parallel_for(on.thread_count(), s.parts(), [&](index_t part, index_t worker) { run_part(one, part, worker); });
}

/// Kernels of forward passes.
template <class T>
using shared_recurrent_kernels = decltype(
    gemm_kernels<T>{} +
    type_list<kernels::times_panels<T>, kernels::pack_rows<T>, kernels::pack_gates<T>, kernels::add_gate_biases<T>>{});

}  // namespace detail

/// rnn(), lstm() and gru(): a header that has one defines recurrent_cell_of(args), whose sets() are the sums it needs.
template <class Args>
concept recurrent_pass = requires(const Args& a) {
  recurrent_cell_of(a).sets();
};

/// Schedules a recurrent layer. In "panels" weights are packed with all gates of some units side by side, so that their
/// sums go from the registers to the cell through L1; in "steps" x(t)·wx is made for several steps at once, where each
/// has few samples; "in place" weights are multiplied where they lie, for very few.
template <cpu_backend On, recurrent_pass Args>
[[nodiscard]] recurrent_prepared prepare(const On& on, const Args& a, const prepare_options& options = {}) {
  const auto cell = recurrent_cell_of(a);
  const auto sets = cell.sets();
  return detail::prepare_recurrent(on, a.operands, std::span<const detail::gate_set>(sets), cell.gates, receipt(a),
                                   options);
}
template <cpu_backend On, recurrent_pass Args>
void make_constants(const On& on, const recurrent_prepared& made, const Args& a, void* to) {
  using T = std::remove_pointer_t<decltype(a.operands.last)>;
  if (made.told.constant_bytes != 0) detail::pack_weights(on, made.schedule, a.operands, static_cast<T*>(to));
}
template <cpu_backend On, recurrent_pass Args>
void execute(const On& on, const recurrent_prepared& made, const Args& a, const call_memory& memory) {
  const auto cell = recurrent_cell_of(a);
  detail::run_recurrent(on, made, a.operands, detail::any_cell<typename decltype(cell)::element>(on, cell), memory);
}
template <cpu_backend On, recurrent_pass Args>
void execute(const On& on, const Args& a) {
  detail::run_once(on, a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

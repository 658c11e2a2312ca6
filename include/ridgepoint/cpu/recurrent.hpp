// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/core/float_control.hpp>
#include <ridgepoint/cpu/recurrent_weights.hpp>
#include <ridgepoint/cpu/run_once.hpp>
#include <ridgepoint/kernels/recurrent/map_rows.hpp>

/// \file
/// The forward pass that rnn, lstm and gru share. A cell tells which gates' sums it needs and turns them into the next
/// state; here x(t)·wx + h(t − 1)·wh + bias is computed, for as many units at once as a panel of packed weights has,
/// all gates of them side by side, so that sums go from the registers to the cell through L1.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// What a cell of one step works on: samples [row, row + rows) and units [unit, unit + width).
template <class T>
struct cell_place {
  index_t phase = 0, t = 0, row = 0, rows = 0, unit = 0, width = 0;
  std::array<kernels::lines<const T>, 4> sums = {};  // of the gates, in their order; those apart behind them
  kernels::lines<const T> h = {};                    // h(t − 1)
  kernels::lines<T> next = {};                       // h(t)
  kernels::lines<T> other = {};                      // the state of phase 1
  kernels::lines<T> kept = {};                       // from step to step; first what the cell begins with

  /// The same of `count` of the samples.
  [[nodiscard]] cell_place of_rows(index_t first, index_t count) const noexcept {
    cell_place some = *this;
    some.row += first, some.rows = count;
    for (auto& sum : some.sums) sum = sum.below(first);
    some.h = h.below(first), some.next = next.below(first), some.other = other.below(first);
    some.kept = kept.below(first);
    return some;
  }
  /// The rows of y, or, if that is not wanted, those of h(t).
  [[nodiscard]] kernels::lines<T> rows_or_next(const sequence_view<T>& y) const noexcept {
    return y.data == nullptr ? next : kernels::lines<T>{&y(t, row, unit), y.sample_stride};
  }
};
/// A cell with its type forgotten, so that what runs it is compiled once.
template <class T>
struct any_cell {
  const void* cell = nullptr;
  void (*step)(const void* cell, const cell_place<T>&) noexcept = nullptr;
  void (*skip)(const void* cell, const cell_place<T>&) noexcept = nullptr;  // a step that leaves the state as it was
  const T* kept = nullptr;            // (n, units) that `kept` begins with; null: zeros
  const T* recurrent_bias = nullptr;  // as `bias`, of the state's products

  template <class Cell>
  explicit any_cell(const Cell& of) noexcept
      : cell(&of),
        step([](const void* self, const cell_place<T>& at) noexcept { static_cast<const Cell*>(self)->step(at); }),
        skip([](const void* self, const cell_place<T>& at) noexcept { static_cast<const Cell*>(self)->skip(at); }),
        kept(of.kept()),
        recurrent_bias(of.recurrent_bias()) {}
};

/// Takes the samples of one part through all steps: sums of gates, then the cell, in one worker's memory.
template <class T>
class recurrent_part {
 public:
  recurrent_part(const recurrent_schedule& s, const recurrent<T>& a, const any_cell<T>& cell, const T* packed,
                 const T* biases, std::byte* memory, index_t part) noexcept
      : s_(s),
        a_(a),
        cell_(cell),
        packed_(packed),
        biases_(biases),
        m_(s, memory),
        row_(part * s.part),
        rows_(std::min(s.part, s.g.n - row_)) {}

  /// All steps. In place: `on` and `gemm` are what products are computed with.
  void run(const native_cpu& on, std::byte* gemm) {
    const recurrent_geometry& g = s_.g;
    load_state(a_.h0, row_, rows_, g.units, m_.h, s_.h_ld);
    load_state(cell_.kept, row_, rows_, g.units, m_.kept, g.units);
    for (index_t first = 0; first < g.steps; first += s_.chunk) {
      const index_t count = std::min(s_.chunk, g.steps - first);
      const matrix_view<const T> x = input_rows(a_.x, first, count, row_, rows_, s_.x_ld, m_.x);
      const auto split_x = kernels::tile_split::of(x.rows, kernels::native_unit);
      if (!s_.in_place) x_ = kernels::a_block<T>::of(x, split_x, m_.packed_x);
      if (s_.in_place || s_.chunk > 1) {
        for (index_t set = 0; set < s_.set_count; ++set) {
          if (s_.in_place) input_in_place(on, x, set, gemm);
          else add_input(split_x, set, 0, s_.panels, m_.sums);
        }
      }
      for (index_t t = first; t < first + count; ++t) step(on, t, m_.sums + (t - first) * rows_ * s_.sums_ld, gemm);
    }
    store_state(m_.h, s_.h_ld, row_, rows_, g.units, a_.last);
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

  /// c ← a·panels + c or bias. `weights` and `c` begin at panel `first`; of each panel of units there is one of weights
  /// per gate, whose rows, in L1 or L2, serve all tiles of a. Vectors beyond the units are left out, as no cell reads
  /// them.
  void multiply(const kernels::a_block<T>& a, const kernels::tile_split& split, const T* weights, index_t gates,
                index_t first, index_t count, index_t depth, T* c, kernels::tile_epilogue<T> epilogue) const noexcept {
    const index_t each = s_.width * (s_.g.in + s_.g.units);
    for (index_t panel = first; panel < first + count; ++panel) {
      const index_t columns = std::min(s_.width, round_up(s_.g.units - panel * s_.width, simd::lanes<T>));
      for (index_t k = 0; k < gates; ++k, weights += each, c += s_.width) {
        kernels::block_times_panels<T>(
            a, split, {weights, each, kernels::panel_width<T>(kernels::native_unit), fetched_weights<T>}, columns,
            depth, c, s_.sums_ld, epilogue);
        if (epilogue.bias != nullptr) epilogue.bias += s_.width;
      }
    }
  }
  /// sums ← x·wx + bias of some panels, for all rows of x.
  void add_input(const kernels::tile_split& split, index_t set, index_t first, index_t count, T* sums) const noexcept {
    multiply(x_, split, panel(set, first), set_of(set).count, first, count, s_.g.in,
             sums + s_.columns_before(set, s_.panels_at_once()), {.bias = bias(set, first)});
  }
  /// The same of the state, added to those of x or beside them.
  void add_state(const kernels::a_block<T>& state, const kernels::tile_split& split, index_t set, index_t first,
                 index_t count, T* sums) const noexcept {
    const gate_set& g = set_of(set);
    T* to = sums + s_.columns_before(set, s_.panels_at_once());
    kernels::tile_epilogue<T> epilogue{.beta = T(1)};
    if (g.apart) {
      to += g.count * s_.panels_at_once() * s_.width;
      epilogue = {.bias = bias(set, first) + g.count * s_.panels * s_.width};
    }
    multiply(state, split, panel(set, first) + s_.g.in * s_.width, g.count, first, count, s_.g.units, to, epilogue);
  }
  void input_in_place(const native_cpu& on, const matrix_view<const T>& x, index_t set, std::byte* gemm) const {
    const gate_set& g = set_of(set);
    detail::run(on, s_.input[static_cast<std::size_t>(set)],
                product_in_place<T>(x, a_.wx, s_.g, g,
                                    {m_.sums + s_.columns_before(set, 1), x.rows, g.count * s_.width, s_.sums_ld}, T(0),
                                    bias(set, 0)),
                gemm);
  }
  void state_in_place(const native_cpu& on, const T* state, index_t set, T* sums, std::byte* gemm) const {
    const gate_set& g = set_of(set);
    matrix_view<T> to(sums + s_.columns_before(set, 1), rows_, g.count * s_.width, s_.sums_ld);
    if (g.apart) {
      to.data += g.count * s_.width;
      const T* const from = bias(set, 0) + g.count * s_.width;
      for (index_t i = 0; i < rows_; ++i) std::copy_n(from, to.cols, &to(i, 0));
    }
    detail::run(on, s_.state[static_cast<std::size_t>(set)],
                product_in_place<T>({state, rows_, s_.g.units, s_.h_ld}, a_.wh, s_.g, g, to, T(1), nullptr), gemm);
  }

  void step(const native_cpu& on, index_t t, T* sums, std::byte* gemm) {
    const auto split = kernels::tile_split::of(rows_, kernels::native_unit);
    const index_t at_once = s_.panels_at_once();
    for (index_t phase = 0; phase < phases(); ++phase) {
      T* const state = phase == 0 ? m_.h : m_.other;
      kernels::a_block<T> block{};
      if (!s_.in_place) block = kernels::a_block<T>::of({state, rows_, s_.g.units, s_.h_ld}, split, m_.packed_h);
      for (index_t first = 0; first < s_.panels; first += at_once) {
        for (index_t set = 0; set < s_.set_count; ++set) {
          if (set_of(set).phase != phase) continue;
          if (s_.in_place) {
            state_in_place(on, state, set, sums, gemm);
            continue;
          }
          if (s_.chunk == 1) add_input(split, set, first, at_once, sums);
          add_state(block, split, set, first, at_once, sums);
        }
        for (index_t panel = 0; panel < at_once; ++panel) run_cell(phase, t, first + panel, panel, sums);
      }
    }
    std::swap(m_.h, m_.next);
  }
  void run_cell(index_t phase, index_t t, index_t panel, index_t column, const T* sums) const noexcept {
    const index_t unit = panel * s_.width;
    cell_place<T> at{.phase = phase,
                     .t = t,
                     .row = row_,
                     .rows = rows_,
                     .unit = unit,
                     .width = std::min(s_.width, s_.g.units - unit),
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
    if (a_.mask.data == nullptr) return cell_.step(cell_.cell, at);
    for_each_run(
        a_.mask, t, row_, rows_,
        [&](index_t first, index_t count) { cell_.step(cell_.cell, at.of_rows(first, count)); },
        [&](index_t first, index_t count) { skip(at.of_rows(first, count)); });
  }
  /// h(t) ← h(t − 1). What earlier phases have made of other rows is not read.
  void skip(const cell_place<T>& at) const noexcept {
    if (at.phase + 1 < phases()) return;
    kernels::map_rows(at.rows, at.width, std::array{at.h}, std::array{at.next, at.rows_or_next(a_.y)},
                      [](simd::batch<T> h) RIDGEPOINT_INLINE_LAMBDA {
                        return std::array{h, h};
                      });
    cell_.skip(cell_.cell, at);
  }

  const recurrent_schedule& s_;
  const recurrent<T>& a_;
  const any_cell<T>& cell_;
  const T *packed_, *biases_;
  recurrent_memory<T> m_;
  index_t row_, rows_;
  kernels::a_block<T> x_{};
};

/// The forward pass of a cell on its schedule. Subnormal numbers are zeros in it, unless the backend is told to leave
/// them: a state may decay to nothing.
template <class T>
void run_recurrent(const native_cpu& on, const recurrent_prepared& made, const recurrent<T>& a, const any_cell<T>& cell,
                   const call_memory& memory) {
  const flush_subnormals here(on.subnormals);
  const recurrent_schedule& s = made.schedule;
  auto* workspace = static_cast<std::byte*>(memory.workspace);
  T* const biases = reinterpret_cast<T*>(workspace);
  workspace += piece_bytes<T>(s.biases);
  arrange_biases(s, a.bias, cell.recurrent_bias, biases);
  const T* packed = static_cast<const T*>(memory.constants);
  if (!s.constant) {
    T* const to = reinterpret_cast<T*>(workspace);
    if (!s.in_place) pack_weights(on, s, a, to);
    packed = to;
    workspace += piece_bytes<T>(s.packed);
  }
  std::byte* const gemm = workspace;
  workspace += s.gemm_bytes;
  if (s.in_place && s.g.n > 0) return recurrent_part<T>(s, a, cell, packed, biases, workspace, 0).run(on, gemm);
  parallel_for(on.thread_count(), s.parts(), [&](index_t part, index_t worker) {
    std::byte* const piece = workspace + static_cast<std::size_t>(worker) * s.worker_bytes;
    recurrent_part<T>(s, a, cell, packed, biases, piece, part).run(native_cpu(1), nullptr);
  });
}

}  // namespace detail

/// rnn(), lstm() and gru(): a header that has one defines recurrent_cell_of(args), whose sets() are the sums it needs.
template <class Args>
concept recurrent_pass = requires(const Args& a) {
  recurrent_cell_of(a).sets();
};

/// Schedules a recurrent layer. In "panels" weights are packed with all gates of some units side by side, so that their
/// sums go from the registers to the cell through L1; in "steps" x(t)·wx is made for several steps at once, where each
/// has few samples; "in place" weights are multiplied where they lie, for very few.
template <recurrent_pass Args>
[[nodiscard]] recurrent_prepared prepare(const native_cpu& on, const Args& a, const prepare_options& options = {}) {
  const auto cell = recurrent_cell_of(a);
  return detail::prepare_recurrent(on, a.operands, cell.sets(), cell.gates, receipt(a), options);
}
template <recurrent_pass Args>
void make_constants(const native_cpu& on, const recurrent_prepared& made, const Args& a, void* to) {
  using T = std::remove_pointer_t<decltype(a.operands.last)>;
  if (made.told.constant_bytes != 0) detail::pack_weights(on, made.schedule, a.operands, static_cast<T*>(to));
}
template <recurrent_pass Args>
void execute(const native_cpu& on, const recurrent_prepared& made, const Args& a, const call_memory& memory) {
  const auto cell = recurrent_cell_of(a);
  detail::run_recurrent(on, made, a.operands, detail::any_cell<typename decltype(cell)::element>(cell), memory);
}
template <recurrent_pass Args>
void execute(const native_cpu& on, const Args& a) {
  detail::run_once(on, a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

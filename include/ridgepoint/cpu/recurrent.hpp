// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/core/float_control.hpp>
#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/cpu/recurrent_rows.hpp>
#include <ridgepoint/kernels/gemm/macrokernel.hpp>
#include <ridgepoint/kernels/recurrent/map_rows.hpp>
#include <ridgepoint/ops/prepare.hpp>
#include <ridgepoint/ops/recurrent.hpp>

/// \file
/// The forward pass that rnn, lstm and gru share. A cell tells which gates' sums it needs and turns them into the next
/// state; here x(t)·wx + h(t − 1)·wh + bias is computed, for as many units at once as a panel of packed weights has,
/// all gates of them side by side, so that sums go from the registers to the cell through L1.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Neighbouring gates whose sums are made together: by a product of x and one of the state, added up or, `apart`, each
/// by itself, the state's behind those of x.
struct gate_set {
  index_t first = 0, count = 1;
  bool apart = false;
  index_t phase = 0;  // 0: of h(t − 1); 1: of what the cell has made of it in phase 0
  [[nodiscard]] constexpr index_t sums() const noexcept { return apart ? 2 * count : count; }
};

/// What a cell of one step works on: samples [row, row + rows) and units [unit, unit + width).
template <class T>
struct cell_place {
  index_t phase = 0, t = 0, row = 0, rows = 0, unit = 0, width = 0;
  std::array<kernels::lines<const T>, 4> sums = {};  // of the gates, in their order; those apart behind them
  kernels::lines<const T> h = {};                    // h(t − 1)
  kernels::lines<T> next = {};                       // h(t)
  kernels::lines<T> other = {};                      // the state of phase 1
  kernels::lines<T> own = {};                        // kept from step to step; first what the cell begins with

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
  const T* own = nullptr;             // (n, units) that `own` begins with; null: zeros
  const T* recurrent_bias = nullptr;  // as `bias`, of the state's products

  template <class Cell>
  [[nodiscard]] static any_cell of(const Cell& cell, const T* own = nullptr, const T* recurrent_bias = nullptr) {
    return {&cell, [](const void* self, const cell_place<T>& at) noexcept { static_cast<const Cell*>(self)->step(at); },
            own, recurrent_bias};
  }
};

/// How a forward pass is cut: threads take samples through all steps; the input's products are made for `chunk` steps
/// at once where a step has few samples. For very few samples, wx and wh are multiplied where they lie.
struct recurrent_schedule {
  recurrent_geometry g;
  std::array<gate_set, 2> sets;
  index_t set_count = 1;
  bool in_place = false;                      // weights are not packed
  bool constant = false;                      // they are packed once, not in every run
  index_t chunk = 1, part = 0;                // steps; samples
  index_t width = 0, panels = 0;              // units computed together; how many times
  index_t sums_ld = 0, h_ld = 0, x_ld = 0;    // x_ld: of the input's copy, 0 if it is read where it is
  index_t packed = 0, biases = 0;             // elements
  std::array<gemm_schedule, 2> input, state;  // in place
  std::size_t gemm_bytes = 0, worker_bytes = 0;

  [[nodiscard]] constexpr index_t parts() const noexcept { return g.n == 0 ? 0 : ceil_div(g.n, part); }
  /// Columns of sums before those of a set, for `count` panels; all of them for the set behind the last.
  [[nodiscard]] constexpr index_t columns_before(index_t set, index_t count) const noexcept {
    index_t sums = 0;
    for (index_t s = 0; s < set; ++s) sums += sets[static_cast<std::size_t>(s)].sums();
    return sums * count * width;
  }
  /// Panels whose sums are there at once.
  [[nodiscard]] constexpr index_t panels_at_once() const noexcept { return chunk == 1 && !in_place ? 1 : panels; }
};
}  // namespace detail

/// A forward pass of a recurrent layer that is prepared.
struct recurrent_prepared {
  detail::recurrent_schedule schedule;
  std::size_t workers = 0;
  preparation told;
};

namespace detail {

/// Whether weights are multiplied where they lie: packing them, or tiles of so few rows, cost more. A copy of the
/// weights takes as long as multiplying them by some 20 rows, and in place such products run at nine tenths of the pace.
[[nodiscard]] constexpr bool multiplies_in_place(const recurrent_geometry& g, bool constant) noexcept {
  constexpr index_t few_samples = 4, few_rows = 512;
  return g.n < few_samples || (!constant && g.n * g.steps < few_rows);
}

/// Samples that a thread takes through all steps. Each has the same bits whatever others are with it.
[[nodiscard]] inline index_t part_of_samples(const native_cpu& on, const recurrent_geometry& g,
                                             bool in_place) noexcept {
  constexpr index_t fewest = 8;
  if (in_place || g.n <= fewest) return std::max<index_t>(g.n, 1);
  return std::max(ceil_div(g.n, static_cast<index_t>(on.thread_count())), fewest);
}

/// The product of samples' states, or of inputs, with the weights of a set where they lie.
template <class T>
[[nodiscard]] gemm_args<T> product_in_place(matrix_view<const T> a, const T* w, const recurrent_geometry& g,
                                            const gate_set& set, matrix_view<T> c, T beta,
                                            const T* bias = nullptr) noexcept {
  return {.a = a,
          .b = {w + set.first * g.units, a.cols, set.count * g.units, g.gates * g.units},
          .c = c,
          .options = {.beta = beta, .bias = bias}};
}

/// The memory of a worker: what it needs for `part` samples.
template <class T>
struct recurrent_memory {
  T *sums, *h, *next, *other, *own, *x, *packed_x, *packed_h;
  std::size_t bytes = 0;
  recurrent_memory(const recurrent_schedule& s, std::byte* at) noexcept {
    constexpr index_t copies = kernels::a_block<T>::copies, slack = 2 * simd::lanes<T>;
    const auto take = [&](index_t count) {
      T* const piece = reinterpret_cast<T*>(at + bytes);
      bytes += piece_bytes<T>(count);
      return piece;
    };
    const bool packs = kernels::replicates_a<T> && !s.in_place;
    const index_t rows = s.chunk * s.part;
    sums = take(rows * s.sums_ld);
    h = take(s.part * s.h_ld), next = take(s.part * s.h_ld), other = take(s.part * s.h_ld);
    own = take(s.part * s.g.units);
    x = take(rows * s.x_ld);
    packed_x = packs ? take(rows * s.g.in * copies + slack) : nullptr;
    packed_h = packs ? take(s.part * s.g.units * copies + slack) : nullptr;
  }
};

template <class T, std::size_t Sets>
[[nodiscard]] recurrent_prepared prepare_recurrent(const native_cpu& on, const recurrent<T>& a,
                                                   const std::array<gate_set, Sets>& sets, index_t gates,
                                                   const prepare_options& options) {
  recurrent_prepared made;
  recurrent_schedule& s = made.schedule;
  s.g = a.geometry(gates);
  const recurrent_geometry& g = s.g;
  std::copy(sets.begin(), sets.end(), s.sets.begin());
  s.set_count = Sets;
  s.constant = is_constant(a.wx, g.input_weights(), options) && is_constant(a.wh, g.recurrent_weights(), options);
  s.in_place = multiplies_in_place(g, s.constant);
  const index_t threads = on.thread_count(), l2 = gemm_host_caches().l2;
  s.part = part_of_samples(on, g, s.in_place);
  s.width = s.in_place ? g.units : kernels::panel_width<T>;
  s.panels = ceil_div(g.units, s.width);
  constexpr index_t rows_at_once = 64;
  const index_t sums_bytes = s.part * s.columns_before(s.set_count, s.panels) * static_cast<index_t>(sizeof(T));
  s.chunk = s.in_place ? g.steps
                       : std::clamp<index_t>(std::min(rows_at_once / s.part, l2 / 2 / std::max<index_t>(sums_bytes, 1)),
                                             1, g.steps);
  s.h_ld = kernels::row_distance<T>(g.units);
  s.sums_ld = kernels::row_distance<T>(s.columns_before(s.set_count, s.panels_at_once()));
  s.x_ld = reads_input_in_place(a.x, s.chunk, s.part) ? 0 : kernels::row_distance<T>(g.in);
  s.biases = s.columns_before(s.set_count, s.panels);
  if (s.in_place) {
    for (index_t i = 0; i < s.set_count; ++i) {
      const gate_set& set = s.sets[static_cast<std::size_t>(i)];
      const matrix_view<T> sums(a.last, g.steps * g.n, set.count * g.units, s.sums_ld);  // extents and strides only
      const matrix_view<const T> x(a.x.data, g.steps * g.n, g.in, s.x_ld == 0 ? row_step(a.x) : s.x_ld);
      const matrix_view<const T> h(a.x.data, g.n, g.units, s.h_ld);
      s.input[static_cast<std::size_t>(i)] = schedule(on, product_in_place(x, a.wx, g, set, sums, T(0), a.wx));
      s.state[static_cast<std::size_t>(i)] =
          schedule(on, product_in_place(h, a.wh, g, set, sums.block(0, 0, g.n, sums.cols), T(1)));
      s.gemm_bytes = std::max({s.gemm_bytes, s.input[static_cast<std::size_t>(i)].workspace_bytes(),
                               s.state[static_cast<std::size_t>(i)].workspace_bytes()});
    }
  } else {
    for (const gate_set& set : sets) s.packed += set.count * s.panels * s.width * (g.in + g.units);
  }
  s.worker_bytes = recurrent_memory<T>(s, nullptr).bytes;
  made.workers = static_cast<std::size_t>(std::min(threads, s.parts()));
  made.told.algorithm = s.in_place ? "in place" : s.chunk > 1 ? "steps" : "panels";
  made.told.constant_bytes = s.constant ? piece_bytes<T>(s.packed) : 0;
  made.told.workspace_bytes = piece_bytes<T>(s.biases) + (s.constant ? 0 : piece_bytes<T>(s.packed)) + s.gemm_bytes +
                              made.workers * s.worker_bytes;
  return made;
}

/// The weights as panels: of each set, panel of units after panel, its gates beside each other, each wx above wh.
/// They are read a few rows at a time along all panels: panel by panel every row would be on another page.
template <class T>
void pack_weights(const native_cpu& on, const recurrent_schedule& s, const recurrent<T>& a, T* to) {
  constexpr index_t rows_at_once = 8;
  const recurrent_geometry& g = s.g;
  const index_t nr = s.width, depth = g.in + g.units, blocks_of_x = ceil_div(g.in, rows_at_once);
  parallel_for(on.thread_count(), blocks_of_x + ceil_div(g.units, rows_at_once), [&](index_t block) {
    const bool of_x = block < blocks_of_x;
    const index_t first = (of_x ? block : block - blocks_of_x) * rows_at_once;
    const matrix_view<const T> w(of_x ? a.wx : a.wh, of_x ? g.in : g.units, g.gates * g.units);
    T* set_at = to + (of_x ? first : g.in + first) * nr;
    for (index_t i = 0; i < s.set_count; ++i) {
      const gate_set& set = s.sets[static_cast<std::size_t>(i)];
      for (index_t k = 0; k < set.count; ++k)
        for (index_t panel = 0; panel < s.panels; ++panel) {
          const index_t unit = panel * nr;
          kernels::pack_b_panel<T>(w.block(first, (set.first + k) * g.units + unit,
                                           std::min(rows_at_once, w.rows - first), std::min(nr, g.units - unit)),
                                   set_at + (panel * set.count + k) * depth * nr);
        }
      set_at += set.count * s.panels * depth * nr;
    }
  });
}
/// The biases in the order of the sums, zeros where there are none.
template <class T>
void arrange_biases(const recurrent_schedule& s, const T* bias, const T* recurrent_bias, T* to) noexcept {
  const index_t units = s.g.units;
  std::fill_n(to, s.biases, T(0));
  for (index_t i = 0; i < s.set_count; ++i) {
    const gate_set& set = s.sets[static_cast<std::size_t>(i)];
    const auto place = [&](const T* from, T* at) {
      for (index_t panel = 0; from != nullptr && panel < s.panels; ++panel)
        for (index_t k = 0; k < set.count; ++k)
          for (index_t u = panel * s.width; u < std::min(units, (panel + 1) * s.width); ++u)
            at[(panel * set.count + k) * s.width + u - panel * s.width] += from[(set.first + k) * units + u];
    };
    T* const of_x = to + s.columns_before(i, s.panels);
    place(bias, of_x);
    place(recurrent_bias, set.apart ? of_x + set.count * s.panels * s.width : of_x);
  }
}

/// The sums of some samples, and how they come about.
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
    begin(a_.h0, m_.h, s_.h_ld), begin(cell_.own, m_.own, g.units);
    for (index_t first = 0; first < g.steps; first += s_.chunk) {
      const index_t count = std::min(s_.chunk, g.steps - first);
      const matrix_view<const T> x = input_rows(a_.x, first, count, row_, rows_, s_.x_ld, m_.x);
      const auto split_x = kernels::tile_split::of(x.rows);
      if (!s_.in_place) x_ = kernels::a_block<T>::of(x, split_x, m_.packed_x);
      if (s_.in_place || s_.chunk > 1) {
        for (index_t set = 0; set < s_.set_count; ++set) {
          if (s_.in_place) input_in_place(on, x, set, gemm);
          else add_input(split_x, set, 0, s_.panels, m_.sums);
        }
      }
      for (index_t t = first; t < first + count; ++t) step(on, t, m_.sums + (t - first) * rows_ * s_.sums_ld, gemm);
    }
    if (a_.last == nullptr) return;
    for (index_t i = 0; i < rows_; ++i) std::copy_n(m_.h + i * s_.h_ld, g.units, a_.last + (row_ + i) * g.units);
  }

 private:
  void begin(const T* from, T* to, index_t ld) const noexcept {
    for (index_t i = 0; i < rows_; ++i) {
      if (from == nullptr) std::fill_n(to + i * ld, s_.g.units, T(0));
      else std::copy_n(from + (row_ + i) * s_.g.units, s_.g.units, to + i * ld);
    }
  }
  [[nodiscard]] const gate_set& set_of(index_t set) const noexcept { return s_.sets[static_cast<std::size_t>(set)]; }
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

  /// c ← a·panels + c or bias, panel by panel: its rows of L1 or L2 serve all tiles of a.
  void multiply(const kernels::a_block<T>& a, const kernels::tile_split& split, const T* panels, index_t count,
                index_t depth, T* c, kernels::tile_epilogue<T> epilogue) const noexcept {
    const index_t each = s_.width * (s_.g.in + s_.g.units);
    for (index_t i = 0; i < count; ++i, panels += each, c += s_.width) {
      kernels::block_times_panels<T>(a, split, {panels, each}, s_.width, depth, c, s_.sums_ld, epilogue);
      if (epilogue.bias != nullptr) epilogue.bias += s_.width;
    }
  }
  /// sums ← x·wx + bias of some panels, for all rows of x.
  void add_input(const kernels::tile_split& split, index_t set, index_t first, index_t count, T* sums) const noexcept {
    multiply(x_, split, panel(set, first), set_of(set).count * count, s_.g.in,
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
    multiply(state, split, panel(set, first) + s_.g.in * s_.width, g.count * count, s_.g.units, to, epilogue);
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
    const auto split = kernels::tile_split::of(rows_);
    const index_t phases = set_of(s_.set_count - 1).phase + 1, at_once = s_.panels_at_once();
    for (index_t phase = 0; phase < phases; ++phase) {
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
                     .own = {m_.own + unit, s_.g.units}};
    auto sum = at.sums.begin();
    for (index_t set = 0; set < s_.set_count; ++set) {
      const index_t count = set_of(set).count;
      const T* from = sums + s_.columns_before(set, s_.panels_at_once()) + column * count * s_.width;
      for (index_t k = 0; k < count; ++k) *sum++ = {from + k * s_.width, s_.sums_ld};
      from += count * s_.panels_at_once() * s_.width;
      for (index_t k = 0; set_of(set).apart && k < count; ++k) *sum++ = {from + k * s_.width, s_.sums_ld};
    }
    cell_.step(cell_.cell, at);
  }

  const recurrent_schedule& s_;
  const recurrent<T>& a_;
  const any_cell<T>& cell_;
  const T *packed_, *biases_;
  recurrent_memory<T> m_;
  index_t row_, rows_;
  kernels::a_block<T> x_{};
};

/// The forward pass of a cell on its schedule. Subnormal numbers are zeros in it: a state may decay to nothing.
template <class T>
void run_recurrent(const native_cpu& on, const recurrent_prepared& made, const recurrent<T>& a, const any_cell<T>& cell,
                   const call_memory& memory) {
  const flush_subnormals here;
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
    std::byte* const own = workspace + static_cast<std::size_t>(worker) * s.worker_bytes;
    recurrent_part<T>(s, a, cell, packed, biases, own, part).run(native_cpu(1), nullptr);
  });
}

}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

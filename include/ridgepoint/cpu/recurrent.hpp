// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include <ridgepoint/core/float_control.hpp>
#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/core/view.hpp>
#include <ridgepoint/cpu/gemm_prepare.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/recurrent/recurrent_kernels.hpp>
#include <ridgepoint/ops/prepare.hpp>
#include <ridgepoint/ops/recurrent.hpp>

/// \file
/// Steps of a sequence as rows of one matrix, sample after sample of each step, and other code shared by the passes of
/// recurrent layers.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Returns true if all rows of a sequence have one stride, row_step(), in the order of steps and then samples. False
/// for a reversed sequence.
template <class T>
[[nodiscard]] constexpr bool is_one_matrix(const sequence_view<T>& v) noexcept {
  return v.step_stride >= 0 && (v.batch == 1 || v.steps == 1 || v.step_stride == v.batch * v.sample_stride);
}
template <class T>
[[nodiscard]] constexpr index_t row_step(const sequence_view<T>& v) noexcept {
  return v.batch == 1 ? v.step_stride : v.sample_stride;
}
/// Returns all rows of such a sequence.
template <class T>
[[nodiscard]] constexpr matrix_view<T> all_rows(const sequence_view<T>& v) noexcept {
  return {v.data, v.steps * v.batch, v.width, row_step(v)};
}

/// Returns true if register tiles read `chunk` steps of `part` samples in place: several as one matrix; one, if its
/// rows do not evict each other from L1.
template <class T>
[[nodiscard]] constexpr bool reads_input_in_place(const sequence_view<T>& x, index_t chunk, index_t part) noexcept {
  if (chunk > 1) return is_one_matrix(x) && part == x.batch;
  return part <= 8 || x.sample_stride * static_cast<index_t>(sizeof(T)) % 4096 != 0;
}

/// Returns samples [row, row + rows) of steps [first, first + count) as the rows of a matrix: in place, or, if ld is
/// not 0, copied to `copy` with that stride.
template <class T>
[[nodiscard]] matrix_view<const T> input_rows(const sequence_view<const T>& x, index_t first, index_t count,
                                              index_t row, index_t rows, index_t ld, T* copy) noexcept {
  if (ld == 0) return {&x(first, row, 0), count * rows, x.width, count == 1 ? x.sample_stride : row_step(x)};
  T* to = copy;
  for (index_t t = first; t < first + count; ++t)
    for (index_t i = 0; i < rows; ++i, to += ld) std::copy_n(&x(t, row + i, 0), x.width, to);
  return {copy, count * rows, x.width, ld};
}

/// to ← samples [row, row + rows) of a dense state; zeros if it is null.
template <class T>
void load_state(const T* from, index_t row, index_t rows, index_t width, T* to, index_t ld) noexcept {
  for (index_t i = 0; i < rows; ++i) {
    if (from == nullptr) std::fill_n(to + i * ld, width, T(0));
    else std::copy_n(from + (row + i) * width, width, to + i * ld);
  }
}
/// Samples [row, row + rows) of a dense state, unless null, ← from.
template <class T>
void store_state(const T* from, index_t ld, index_t row, index_t rows, index_t width, T* to) noexcept {
  for (index_t i = 0; to != nullptr && i < rows; ++i) std::copy_n(from + i * ld, width, to + (row + i) * width);
}

/// Calls step(some) and skip(some) for the samples of a cell_place, adjacent ones together, by the mask at step at.t.
template <class Place, class Step, class Skip>
void for_masked_samples(const sequence_mask& mask, const Place& at, const Step& step, const Skip& skip) noexcept {
  if (mask.data == nullptr) return step(at);
  for (index_t first = 0, end = 0; first < at.rows; first = end) {
    const bool skips = is_skipped(mask, at.t, at.row + first);
    end = first + 1;
    while (end < at.rows && is_skipped(mask, at.t, at.row + end) == skips) ++end;
    if (skips) skip(at.of_rows(first, end - first));
    else step(at.of_rows(first, end - first));
  }
}

/// Copies the rows of samples that skip step t from `from`, with the same stride.
template <class T>
void keep_skipped(const sequence_mask& mask, index_t t, index_t row, index_t rows, index_t width, const T* from, T* to,
                  index_t ld) noexcept {
  for (index_t i = 0; mask.data != nullptr && i < rows; ++i)
    if (is_skipped(mask, t, row + i)) std::copy_n(from + i * ld, width, to + i * ld);
}

/// Returns true if `count` values are in memory that changes only when constants are recomputed.
template <class T>
[[nodiscard]] bool is_constant(const T* values, index_t count, const prepare_options& options) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(values), all = reinterpret_cast<std::uintptr_t>(options.constant);
  return all != 0 && first >= all &&
         first - all + static_cast<std::size_t>(count) * sizeof(T) <= options.constant_bytes;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Adjacent gates whose sums are computed together: by a product of x and one of the state, added up or, if `separate`,
/// stored separately, state sums after x sums.
struct gate_set {
  index_t first = 0, count = 1;
  bool separate = false;
  index_t phase = 0;  // 0: of h(t − 1); 1: of the cell's result in phase 0
  [[nodiscard]] constexpr index_t sums() const noexcept { return separate ? 2 * count : count; }
};

/// Schedule of a forward pass. Threads process all steps of their samples; the input's products are computed for
/// `chunk` steps at once if a step has few samples. For very few samples, wx and wh are multiplied in place.
struct recurrent_schedule {
  recurrent_geometry g;
  std::array<gate_set, 2> sets;
  index_t set_count = 1;
  bool in_place = false;                      // weights are not packed
  bool constant = false;                      // weights are packed once, not in every run
  index_t chunk = 1, part = 0;                // steps; samples
  index_t width = 0, panels = 0;              // units computed together; number of such panels
  index_t sums_ld = 0, h_ld = 0, x_ld = 0;    // x_ld: of the input's copy, 0 if it is read in place
  index_t packed = 0, biases = 0;             // elements
  std::array<gemm_schedule, 2> input, state;  // in place
  std::size_t gemm_bytes = 0, worker_bytes = 0, workers = 0;

  [[nodiscard]] constexpr index_t parts() const noexcept { return g.n == 0 ? 0 : ceil_div(g.n, part); }
  /// Returns the columns of sums before a set, for `count` panels; all columns for the index after the last
  /// set.
  [[nodiscard]] constexpr index_t columns_before(index_t set, index_t count) const noexcept {
    index_t sums = 0;
    for (index_t s = 0; s < set; ++s) sums += sets[static_cast<std::size_t>(s)].sums();
    return sums * count * width;
  }
  /// Returns the number of panels whose sums are in memory at once.
  [[nodiscard]] constexpr index_t panels_at_once() const noexcept { return chunk == 1 && !in_place ? 1 : panels; }
};
}  // namespace detail

/// A prepared forward pass of a recurrent layer.
struct recurrent_prepared {
  detail::recurrent_schedule schedule;
  preparation info;
};

namespace detail {

/// Rows of x, from several steps, that are multiplied with wx at once: their sums stay in L2.
inline constexpr index_t rows_of_chunk = 64;

/// States if weights are the same in every run, so that they are packed once.
enum class weights_are { given, constant };

/// Returns true if weights are multiplied in place: packing them, or tiles of so few rows, cost more. A copy of the
/// weights takes as long as multiplying them by some 20 rows, and in place such products run at nine tenths of the
/// pace.
[[nodiscard]] constexpr bool multiplies_in_place(const recurrent_geometry& g, weights_are weights) noexcept {
  constexpr index_t few_samples = 4, few_rows = 512;
  return g.n < few_samples || (weights == weights_are::given && g.n * g.steps < few_rows);
}

/// Returns the number of samples that a thread processes together. A sample's bits do not depend on the others.
[[nodiscard]] inline index_t part_of_samples(int threads, const recurrent_geometry& g) noexcept {
  constexpr index_t fewest = 8;
  if (g.n <= fewest) return std::max<index_t>(g.n, 1);
  return (std::max)(ceil_div(g.n, static_cast<index_t>(threads)), fewest);
}

/// Returns the product of samples' states, or of inputs, with the weights of a set in place.
template <class T>
[[nodiscard]] gemm_args<T> product_in_place(matrix_view<const T> a, const T* w, const recurrent_geometry& g,
                                            const gate_set& set, matrix_view<T> c, T beta,
                                            const T* bias = nullptr) noexcept {
  return {.a = a,
          .b = {w + set.first * g.units, a.cols, set.count * g.units, g.columns()},
          .c = c,
          .options = {.beta = beta, .bias = bias}};
}

/// Returns the multiplications and additions of `times` such products.
template <class T>
[[nodiscard]] RIDGEPOINT_NOINLINE std::uint64_t executed_by(kernels::vector_unit v, const gemm_schedule& s,
                                                            const gemm_args<T>& product, index_t times) noexcept {
  return static_cast<std::uint64_t>(times) * executed_work(v, s, product).matrix_flop;
}
/// Schedules a product and grows the shared workspace of `bytes` bytes to fit. Returns the work of `times` products.
template <cpu_backend On, class T>
[[nodiscard]] RIDGEPOINT_NOINLINE std::uint64_t plan_product(const On& on, const gemm_args<T>& product, index_t times,
                                                             gemm_schedule& to, std::size_t& bytes) {
  to = schedule(on, product);
  bytes = (std::max)(bytes, to.workspace_bytes());
  return executed_by(on.vectors(), to, product, times);
}

/// The memory of a worker for `part` samples; `rows` are the rows of a chunk.
template <class T>
struct recurrent_memory {
  T* sums;                 // rows × sums_ld
  T *h, *next, *other;     // part × h_ld: h(t − 1), h(t), the state of phase 1
  T* kept;                 // part × units
  T* x;                    // rows × x_ld
  T *packed_x, *packed_h;  // in the tiles' order, if they do not read rows
  std::size_t bytes = 0;
  recurrent_memory(kernels::vector_unit v, const recurrent_schedule& s, std::byte* memory) noexcept {
    const index_t copies = kernels::copies_of_a<T>(v), slack = 2 * v.lanes<T>();
    const auto take = [&](index_t count) { return take_piece<T>(memory, bytes, count); };
    const bool packs = kernels::replicates_a<T>(v) && !s.in_place;
    const index_t rows = s.chunk * s.part;
    sums = take(rows * s.sums_ld);
    h = take(s.part * s.h_ld), next = take(s.part * s.h_ld), other = take(s.part * s.h_ld);
    kept = take(s.part * s.g.units);
    x = take(rows * s.x_ld);
    packed_x = packs ? take(rows * s.g.in * copies + slack) : nullptr;
    packed_h = packs ? take(s.part * s.g.units * copies + slack) : nullptr;
  }
};

template <cpu_backend On, class T>
[[nodiscard]] recurrent_prepared prepare_recurrent(const On& on, const recurrent<T>& a, std::span<const gate_set> sets,
                                                   index_t gates, const work& definition,
                                                   const prepare_options& options) {
  const kernels::vector_unit v = on.vectors();
  recurrent_prepared made;
  recurrent_schedule& s = made.schedule;
  s.g = a.geometry(gates);
  const recurrent_geometry& g = s.g;
  std::copy(sets.begin(), sets.end(), s.sets.begin());
  s.set_count = static_cast<index_t>(sets.size());
  s.constant = is_constant(a.wx, g.input_weights(), options) && is_constant(a.wh, g.recurrent_weights(), options);
  s.in_place = multiplies_in_place(g, s.constant ? weights_are::constant : weights_are::given);
  const index_t threads = on.thread_count(), l2 = gemm_host_caches().l2;
  s.part = s.in_place ? std::max<index_t>(g.n, 1) : part_of_samples(on.thread_count(), g);
  s.width = s.in_place ? g.units : kernels::panel_width<T>(v);
  s.panels = ceil_div(g.units, s.width);
  const index_t sums_bytes = s.part * s.columns_before(s.set_count, s.panels) * static_cast<index_t>(sizeof(T));
  s.chunk = s.in_place ? g.steps
                       : std::clamp<index_t>(
                             (std::min)(rows_of_chunk / s.part, l2 / 2 / std::max<index_t>(sums_bytes, 1)), 1, g.steps);
  s.h_ld = kernels::row_distance<T>(g.units);
  s.sums_ld = kernels::row_distance<T>(s.columns_before(s.set_count, s.panels_at_once()));
  s.x_ld = reads_input_in_place(a.x, s.chunk, s.part) ? 0 : kernels::row_distance<T>(g.in);
  s.biases = s.columns_before(s.set_count, s.panels);
  std::uint64_t executed = 0;  // multiplications and additions of products
  if (s.in_place) {
    for (index_t i = 0; i < s.set_count; ++i) {
      const gate_set& set = s.sets[static_cast<std::size_t>(i)];
      const matrix_view<T> sums(a.last, g.steps * g.n, set.count * g.units, s.sums_ld);  // extents and strides only
      const matrix_view<const T> x(a.x.data, g.steps * g.n, g.in, s.x_ld == 0 ? row_step(a.x) : s.x_ld);
      const matrix_view<const T> h(a.x.data, g.n, g.units, s.h_ld);
      executed += plan_product(on, product_in_place(x, a.wx, g, set, sums, T(0), a.wx), 1,
                               s.input[static_cast<std::size_t>(i)], s.gemm_bytes);
      executed += plan_product(on, product_in_place(h, a.wh, g, set, sums.block(0, 0, g.n, sums.cols), T(1)), g.steps,
                               s.state[static_cast<std::size_t>(i)], s.gemm_bytes);
    }
  } else {
    const index_t depth = g.in + g.units;
    for (const gate_set& set : sets) {
      s.packed += set.count * s.panels * s.width * depth;
      executed += 2 * static_cast<std::uint64_t>(set.count * round_up(g.units, v.lanes<T>()) * depth) *
                  static_cast<std::uint64_t>(g.steps * g.n);
    }
  }
  s.worker_bytes = recurrent_memory<T>(v, s, nullptr).bytes;
  s.workers = static_cast<std::size_t>((std::min)(threads, s.parts()));
  made.info.algorithm = s.in_place ? "in place" : s.chunk > 1 ? "steps" : "panels";
  made.info.constant_bytes = s.constant ? piece_bytes<T>(s.packed) : 0;
  made.info.workspace_bytes = piece_bytes<T>(s.biases) + (s.constant ? 0 : piece_bytes<T>(s.packed)) + s.gemm_bytes +
                              s.workers * s.worker_bytes;
  made.info.executed = executed_with(executed, definition);
  return made;
}

}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Packs the weights: for each set, panels of units, with adjacent gates, and wx above wh in each.
/// Reads a few rows at a time along all panels: panel by panel every row would be on another page.
template <cpu_backend On, class T>
void pack_weights(const On& on, const recurrent_schedule& s, const recurrent<T>& a, T* to) {
  constexpr index_t rows_at_once = 8;
  const recurrent_geometry& g = s.g;
  const index_t panel = s.width * (g.in + g.units), blocks_of_x = ceil_div(g.in, rows_at_once);
  parallel_for(on.thread_count(), blocks_of_x + ceil_div(g.units, rows_at_once), [&](index_t block) {
    const bool of_x = block < blocks_of_x;
    const index_t first = (of_x ? block : block - blocks_of_x) * rows_at_once;
    const matrix_view<const T> w(of_x ? a.wx : a.wh, of_x ? g.in : g.units, g.columns());
    T* set_at = to + (of_x ? first : g.in + first) * s.width;
    for (index_t i = 0; i < s.set_count; ++i) {
      const gate_set& set = s.sets[static_cast<std::size_t>(i)];
      on.template call<kernels::pack_gates<T>>(
          w.block(first, set.first * g.units, (std::min)(rows_at_once, w.rows - first), set.count * g.units), set.count,
          panel, set_at);
      set_at += set.count * s.panels * panel;
    }
  });
}
/// Writes the biases in the order of the sums, zeros for missing ones.
template <cpu_backend On, class T>
void arrange_biases(const On& on, const recurrent_schedule& s, const T* bias, const T* recurrent_bias, T* to) noexcept {
  const index_t units = s.g.units;
  std::fill_n(to, s.biases, T(0));
  for (index_t i = 0; i < s.set_count; ++i) {
    const gate_set& set = s.sets[static_cast<std::size_t>(i)];
    const auto add = [&](const T* from, T* at) {
      if (from != nullptr)
        on.template call<kernels::add_gate_biases<T>>(from + set.first * units, set.count, units, s.width, at);
    };
    T* const of_x = to + s.columns_before(i, s.panels);
    add(bias, of_x);
    add(recurrent_bias, set.separate ? of_x + set.count * s.panels * s.width : of_x);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// The forward pass shared by rnn, lstm and gru. A cell declares the gate sums it needs and computes the next state
// from them. The pass computes x(t)·wx + h(t − 1)·wh + bias, for as many units at once as a panel of packed weights
// has, with all their gates, so that sums pass from the registers to the cell through L1.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// State of a cell in addition to h, (n, units).
template <class T>
struct kept_state {
  const T* first = nullptr;  // null: zeros
  T* last = nullptr;         // null: not requested
  const T* saved = nullptr;  // (steps, n, units), if the cell saves it; null: it stays in the part's memory

  /// Stores the state of samples [row, row + rows) after all steps.
  void store(const recurrent_geometry& g, index_t row, index_t rows, const T* kept) const noexcept {
    const T* const from = saved == nullptr ? kept : saved + ((g.steps - 1) * g.n + row) * g.units;
    store_state(from, g.units, row, rows, g.units, last);
  }
};

/// A type-erased cell and backend, so that the code that runs them is compiled once.
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

/// Processes all steps of the samples of one part: gate sums, then the cell, in one worker's memory.
template <cpu_backend On, class T>
class recurrent_part {
 public:
  /// In place: `on` and `gemm` compute the products.
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

  /// Runs all steps.
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
  /// Returns the panels of a set, from `first` on.
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

  /// Returns the product of `count` panels of a set from `first` on, for any operand. Vectors beyond the units are
  /// omitted, as no cell reads them.
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
  /// Computes the sums of the state, and adds them to the sums of x or stores them after.
  void add_state(const T* state, index_t set, index_t first, index_t count, T* sums) const noexcept {
    auto p = product({state, rows_, s_.g.units, s_.h_ld}, m_.packed_h, set, first, count, sums);
    p.weights += s_.g.in * s_.width;
    if (const gate_set& g = set_of(set); g.separate) {
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
    if (g.separate) {
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
      for (index_t k = 0; set_of(set).separate && k < count; ++k) *sum++ = {from + k * s_.width, s_.sums_ld};
    }
    for_masked_samples(
        a_.mask, at, [&](const auto& some) { cell_.step(cell_, some); }, [&](const auto& some) { skip(some); });
  }
  /// h(t) ← h(t − 1). Results of earlier phases in other rows are not read.
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

/// Runs the forward pass of a cell on its schedule. Subnormal numbers are flushed to zero, unless the backend is set to
/// leave them: a state may decay to nothing.
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

/// rnn(), lstm() and gru(): the header of each defines recurrent_cell_of(args), whose sets() are the sums it needs.
template <class Args>
concept recurrent_pass = requires(const Args& a) {
  recurrent_cell_of(a).sets();
};

/// Schedules a recurrent layer. In "panels" weights are packed with all gates of some units together, so that their
/// sums pass from the registers to the cell through L1. In "steps" x(t)·wx is computed for several steps at once, for
/// few samples per step. "In place" weights are multiplied unpacked, for very few.
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
  if (made.info.constant_bytes != 0) detail::pack_weights(on, made.schedule, a.operands, static_cast<T*>(to));
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

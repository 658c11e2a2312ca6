// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include <ridgepoint/cpu/gemm_prepare.hpp>
#include <ridgepoint/cpu/recurrent_rows.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/ops/prepare.hpp>
#include <ridgepoint/ops/recurrent.hpp>

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
  std::size_t gemm_bytes = 0, worker_bytes = 0, workers = 0;

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
  preparation told;
};

namespace detail {

/// Rows of x that are multiplied with wx at once, some steps': their sums stay in L2.
inline constexpr index_t rows_of_chunk = 64;

/// Whether weights are the same in every run, so that they are packed but once.
enum class weights_are { given, constant };

/// Whether weights are multiplied where they lie: packing them, or tiles of so few rows, cost more. A copy of the
/// weights takes as long as multiplying them by some 20 rows, and in place such products run at nine tenths of the
/// pace.
[[nodiscard]] constexpr bool multiplies_in_place(const recurrent_geometry& g, weights_are weights) noexcept {
  constexpr index_t few_samples = 4, few_rows = 512;
  return g.n < few_samples || (weights == weights_are::given && g.n * g.steps < few_rows);
}

/// Samples that a thread takes through all steps. Each has the same bits whatever others are with it.
[[nodiscard]] inline index_t part_of_samples(int threads, const recurrent_geometry& g) noexcept {
  constexpr index_t fewest = 8;
  if (g.n <= fewest) return std::max<index_t>(g.n, 1);
  return (std::max)(ceil_div(g.n, static_cast<index_t>(threads)), fewest);
}

/// The product of samples' states, or of inputs, with the weights of a set where they lie.
template <class T>
[[nodiscard]] gemm_args<T> product_in_place(matrix_view<const T> a, const T* w, const recurrent_geometry& g,
                                            const gate_set& set, matrix_view<T> c, T beta,
                                            const T* bias = nullptr) noexcept {
  return {.a = a,
          .b = {w + set.first * g.units, a.cols, set.count * g.units, g.columns()},
          .c = c,
          .options = {.beta = beta, .bias = bias}};
}

/// Multiplications and additions of `times` such products.
template <class T>
[[nodiscard]] RIDGEPOINT_NOINLINE std::uint64_t executed_by(kernels::vector_unit v, const gemm_schedule& s,
                                                            const gemm_args<T>& product, index_t times) noexcept {
  return static_cast<std::uint64_t>(times) * executed_work(v, s, product).matrix_flop;
}
/// Schedules a product in memory that it shares with others, of `bytes`. Returns what `times` such products execute.
template <cpu_backend On, class T>
[[nodiscard]] RIDGEPOINT_NOINLINE std::uint64_t plan_product(const On& on, const gemm_args<T>& product, index_t times,
                                                             gemm_schedule& to, std::size_t& bytes) {
  to = schedule(on, product);
  bytes = (std::max)(bytes, to.workspace_bytes());
  return executed_by(on.vectors(), to, product, times);
}

/// The memory of a worker for `part` samples; `rows` are those of a chunk.
template <class T>
struct recurrent_memory {
  T* sums;                 // rows × sums_ld
  T *h, *next, *other;     // part × h_ld: h(t − 1), h(t), the state of phase 1
  T* kept;                 // part × units
  T* x;                    // rows × x_ld
  T *packed_x, *packed_h;  // as tiles read them, where they do not read rows
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
  made.told.algorithm = s.in_place ? "in place" : s.chunk > 1 ? "steps" : "panels";
  made.told.constant_bytes = s.constant ? piece_bytes<T>(s.packed) : 0;
  made.told.workspace_bytes = piece_bytes<T>(s.biases) + (s.constant ? 0 : piece_bytes<T>(s.packed)) + s.gemm_bytes +
                              s.workers * s.worker_bytes;
  made.told.executed = executed_with(executed, definition);
  return made;
}

}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

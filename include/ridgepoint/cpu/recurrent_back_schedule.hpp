// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/cpu/dense.hpp>
#include <ridgepoint/cpu/recurrent_schedule.hpp>

/// \file
/// How the backward pass of rnn, lstm, projected_lstm and gru is cut, and the memory and products that follow from it.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Gates whose da lie beside each other, in da and in the weights. Counts are of gates.
struct gate_columns {
  index_t da = 0, weight = 0, count = 1;
};
/// Where the da of a cell's gates are: those that the input's weights were multiplied for, and the state's.
struct back_layout {
  index_t columns = 1;
  std::array<gate_columns, 2> input = {}, state = {};
  index_t inputs = 1, states = 1;  // a second state is r∘h: its da are made first
  bool adds = false;               // what comes back through whᵀ is added to what the cell leaves in dh

  /// All gates in one piece.
  [[nodiscard]] static constexpr back_layout of(index_t gates) noexcept {
    const gate_columns all{.count = gates};
    return {.columns = gates, .input = {all}, .state = {all}};
  }
};
/// How a backward pass is cut. Threads take samples through all steps.
struct recurrent_back_schedule {
  recurrent_geometry g;
  back_layout layout;
  bool in_place = false;  // wh is not packed
  index_t part = 0;
  index_t panels = 0, packed = 0;
  index_t da_ld = 0, h_ld = 0;
  bool copies_x = false, copies_h = false, copies_dx = false;
  std::array<gemm_schedule, 2> back, dwx, dwh, dx;
  std::size_t gemm_bytes = 0, worker_bytes = 0;
  std::size_t workers = 0;

  [[nodiscard]] constexpr index_t parts() const noexcept { return g.n == 0 ? 0 : ceil_div(g.n, part); }
  [[nodiscard]] constexpr index_t rows() const noexcept { return g.steps * g.n; }
};

}  // namespace detail

/// A backward pass of a recurrent layer that is prepared.
struct recurrent_back_prepared {
  detail::recurrent_back_schedule schedule;
  preparation told;
};

namespace detail {

/// The memory that all workers share. rows: steps·n.
template <class T>
struct recurrent_back_memory {
  T *packed, *zeros;      // whᵀ in panels; units or width, whichever are more
  T* da;                  // rows × da_ld
  T *x, *h, *dx, *reset;  // rows × in, width, in, units; none where they are read or written where they are
  std::byte *gemm, *workers;
  std::size_t bytes = 0;
  recurrent_back_memory(const recurrent_back_schedule& s, std::byte* memory) noexcept {
    const recurrent_geometry& g = s.g;
    const auto take = [&](index_t count) { return take_piece<T>(memory, bytes, count); };
    packed = take(s.packed), zeros = take((std::max)(g.units, g.width()));
    da = take(s.rows() * s.da_ld);
    x = take(s.copies_x ? s.rows() * g.in : 0);
    h = take(s.copies_h ? s.rows() * g.width() : 0);
    dx = take(s.copies_dx ? s.rows() * g.in : 0);
    reset = take(s.layout.states > 1 ? s.rows() * g.units : 0);
    gemm = memory == nullptr ? nullptr : memory + bytes, bytes += s.gemm_bytes;
    workers = memory == nullptr ? nullptr : memory + bytes, bytes += s.workers * s.worker_bytes;
  }
};
/// What each worker has for `part` samples.
template <class T>
struct recurrent_back_worker {
  T *dh, *other;  // part × h_ld: the gradients of h(t), and of r∘h
  T* kept;        // part × units
  T* packed_da;   // as tiles read it, where they do not read rows
  std::size_t bytes = 0;
  recurrent_back_worker(kernels::vector_unit v, const recurrent_back_schedule& s, std::byte* memory) noexcept {
    const index_t copies = kernels::copies_of_a<T>(v), slack = 2 * v.lanes<T>();
    const auto take = [&](index_t count) { return take_piece<T>(memory, bytes, count); };
    dh = take(s.part * s.h_ld), other = take(s.part * s.h_ld), kept = take(s.part * s.g.units);
    packed_da = kernels::replicates_a<T>(v) && !s.in_place
                    ? take(s.part * s.layout.columns * s.g.units * copies + slack)
                    : nullptr;
  }
};

/// The products of a backward pass, from addresses that may all be null where only extents are asked for.
template <class T>
struct recurrent_back_products {
  const recurrent_back_schedule& s;
  const recurrent_backward<T>& a;
  T *da, *x_copy, *h_copy, *dx_copy, *reset;

  [[nodiscard]] matrix_view<T> da_of(const gate_columns& some, index_t first_row, index_t rows) const noexcept {
    T* const first = da == nullptr ? nullptr : da + first_row * s.da_ld + some.da * s.g.units;
    return {first, rows, some.count * s.g.units, s.da_ld};
  }
  template <class U>
  [[nodiscard]] matrix_view<U> weights_of(U* w, index_t rows, const gate_columns& some) const noexcept {
    return {w + some.weight * s.g.units, rows, some.count * s.g.units, s.g.columns()};
  }
  /// dh, or the gradient of r∘h, ← da·whᵀ of some rows.
  [[nodiscard]] gemm_args<T> back(index_t state, index_t first_row, index_t rows, T* to) const noexcept {
    const gate_columns& some = s.layout.state[static_cast<std::size_t>(state)];
    return {.a = da_of(some, first_row, rows),
            .b = weights_of(a.wh, s.g.width(), some).transposed(),
            .c = {to, rows, s.g.width(), s.h_ld},
            .options = {.beta = s.layout.adds && state == 0 ? T(1) : T(0)}};
  }
  [[nodiscard]] gemm_args<T> dwx(index_t input) const noexcept {
    const gate_columns& some = s.layout.input[static_cast<std::size_t>(input)];
    const matrix_view<const T> x = s.copies_x ? matrix_view<const T>(x_copy, s.rows(), s.g.in) : all_rows(a.x);
    return {.a = x.transposed(), .b = da_of(some, 0, s.rows()), .c = weights_of(a.dwx, s.g.in, some)};
  }
  [[nodiscard]] gemm_args<T> dwh(index_t state) const noexcept {
    const gate_columns& some = s.layout.state[static_cast<std::size_t>(state)];
    const index_t width = s.g.width();
    const matrix_view<T> dw = weights_of(a.dwh, width, some);
    if (state > 0 || s.copies_h) {
      const matrix_view<const T> h(state > 0 ? reset : h_copy, s.rows(), width);
      return {.a = h.transposed(), .b = da_of(some, 0, s.rows()), .c = dw};
    }
    const index_t rows = s.rows() - s.g.n;  // the state of the first step is zero
    return {.a = all_rows(a.y).block(0, 0, rows, width).transposed(), .b = da_of(some, s.g.n, rows), .c = dw};
  }
  [[nodiscard]] gemm_args<T> dx(index_t input) const noexcept {
    const gate_columns& some = s.layout.input[static_cast<std::size_t>(input)];
    return {.a = da_of(some, 0, s.rows()),
            .b = weights_of(a.wx, s.g.in, some).transposed(),
            .c = s.copies_dx ? matrix_view<T>(dx_copy, s.rows(), s.g.in) : all_rows(a.dx),
            .options = {.beta = input > 0 ? T(1) : T(0)}};
  }
};

template <cpu_backend On, class T>
[[nodiscard]] recurrent_back_prepared prepare_recurrent_back(const On& on, const recurrent_backward<T>& a,
                                                             const recurrent_geometry& g, const back_layout& layout,
                                                             const work& definition) {
  const kernels::vector_unit v = on.vectors();
  recurrent_back_prepared made;
  recurrent_back_schedule& s = made.schedule;
  s.g = g;
  s.layout = layout;
  constexpr index_t most_samples = 16;  // more are multiplied with whᵀ in panels, or turned, anyway
  s.in_place = multiplies_in_place(g, weights_are::given) && g.n <= most_samples;
  s.part = s.in_place ? std::max<index_t>(g.n, 1) : part_of_samples(on.thread_count(), g);
  s.panels = ceil_div(g.width(), kernels::panel_width<T>(v));
  s.packed = s.in_place ? 0 : s.panels * kernels::panel_width<T>(v) * g.columns();
  s.da_ld = kernels::row_distance<T>(layout.columns * g.units);
  s.h_ld = kernels::row_distance<T>(g.width());
  s.copies_x = !is_one_matrix(a.x);
  s.copies_h = !is_one_matrix(a.y) || a.h0 != nullptr || g.steps == 1;
  s.copies_dx = a.dx.data != nullptr && !is_one_matrix(a.dx);
  s.workers = static_cast<std::size_t>(std::min<index_t>(on.thread_count(), s.parts()));
  s.worker_bytes = recurrent_back_worker<T>(v, s, nullptr).bytes;
  const recurrent_back_products<T> products{s, a, nullptr, nullptr, nullptr, nullptr, nullptr};
  std::uint64_t executed = 0;  // multiplications and additions of products
  const auto plan = [&](gemm_schedule& to, const gemm_args<T>& product, index_t times = 1) {
    executed += plan_product(on, product, times, to, s.gemm_bytes);
  };
  for (std::size_t i = 0; i < s.dwx.size(); ++i) {
    const auto part = static_cast<index_t>(i);
    if (part < layout.states) {
      const index_t times = part > 0 || a.dh0 != nullptr ? g.steps : g.steps - 1;
      plan(s.dwh[i], products.dwh(part));
      if (s.in_place) plan(s.back[i], products.back(part, 0, g.n, nullptr), times);
      else
        executed += 2 * static_cast<std::uint64_t>(times * g.n * layout.state[i].count * g.units) *
                    static_cast<std::uint64_t>(round_up(g.width(), v.lanes<T>()));
    }
    if (part < layout.inputs) {
      plan(s.dwx[i], products.dwx(part));
      if (a.dx.data != nullptr) plan(s.dx[i], products.dx(part));
    }
  }
  made.told.algorithm = s.in_place ? "in place" : "panels";
  made.told.workspace_bytes = recurrent_back_memory<T>(s, nullptr).bytes;
  made.told.executed = executed_with(executed, definition);
  return made;
}

}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

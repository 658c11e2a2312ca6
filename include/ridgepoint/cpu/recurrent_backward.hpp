// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/cpu/dense.hpp>
#include <ridgepoint/cpu/recurrent.hpp>

/// \file
/// Schedule of the backward pass of rnn, lstm, projected_lstm and gru, with its memory and products.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Gates whose da are adjacent, in da and in the weights. Counts are of gates.
struct gate_columns {
  index_t da = 0, weight = 0, count = 1;
};
/// Positions of the da of a cell's gates: those multiplied by the input's weights, and by the state's.
struct back_layout {
  index_t columns = 1;
  std::array<gate_columns, 2> input = {}, state = {};
  index_t inputs = 1, states = 1;  // a second state is r∘h: its da are computed first
  bool adds = false;               // da·whᵀ is added to the cell's own part of dh

  /// Returns the layout of all gates in one piece.
  [[nodiscard]] static constexpr back_layout of(index_t gates) noexcept {
    const gate_columns all{.count = gates};
    return {.columns = gates, .input = {all}, .state = {all}};
  }
};
/// Schedule of a backward pass. Threads process all steps of their samples.
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

/// A prepared backward pass of a recurrent layer.
struct recurrent_back_prepared {
  detail::recurrent_back_schedule schedule;
  preparation info;
};

namespace detail {

/// Memory shared by all workers. rows: steps·n.
template <class T>
struct recurrent_back_memory {
  T *packed, *zeros;      // whᵀ in panels; max(units, width)
  T* da;                  // rows × da_ld
  T *x, *h, *dx, *reset;  // rows × in, width, in, units; null if read or written in place
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
/// Memory of each worker for `part` samples.
template <class T>
struct recurrent_back_worker {
  T *dh, *other;  // part × h_ld: the gradients of h(t), and of r∘h
  T* kept;        // part × units
  T* packed_da;   // in the tiles' order, if they do not read rows
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

/// The products of a backward pass, with addresses that may all be null if only extents are needed.
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
  /// Returns dh, or the gradient of r∘h, ← da·whᵀ of some rows.
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
  constexpr index_t most_samples = 16;  // more are multiplied with whᵀ in panels, or transposed, anyway
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
  made.info.algorithm = s.in_place ? "in place" : "panels";
  made.info.workspace_bytes = recurrent_back_memory<T>(s, nullptr).bytes;
  made.info.executed = executed_with(executed, definition);
  return made;
}

// The backward pass shared by rnn, lstm and gru. Step by step a cell computes da, the gradient of its gate sums, and a
// product with whᵀ gives the gradient of the previous state; then dwx, dwh, dx and db follow from the da of all steps.

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
/// Gradients of a cell in addition to the common ones.
template <class T>
struct cell_gradients {
  T* kept = nullptr;              // (n, units), the final value of `kept`
  const T* first_kept = nullptr;  // (n, units), its initial value; null: zeros
  T* recurrent_bias = nullptr;    // gates·units, of the state's products
};

/// Processes all steps of some samples, backward from the last.
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
  /// da ← 0; the gradient of h(t − 1) is that of h(t), saved unless the product with da leaves it unchanged.
  void skip(const kernels::cell_place_back<T>& at) const noexcept {
    const index_t u = s_.g.units;
    if (at.reset.data != nullptr) kernels::fill_rows(at.rows, u, at.reset, T(0));
    if (at.phase > 0) return;
    kernels::fill_rows(at.rows, s_.layout.columns * u, at.da, T(0));
    const kernels::lines<T>& to = s_.layout.adds ? at.dh : at.other;
    on_.template call<kernels::add_rows<T>>(at.rows, u, at.dh, at.dy, to, to);
  }
  /// dh ← the rows that skip() saved.
  void give_back(index_t t) const noexcept {
    if (!s_.layout.adds) keep_skipped(a_.mask, t, row_, rows_, s_.g.units, m_.other, m_.dh, s_.h_ld);
  }
  /// to ← da·whᵀ, or to + da·whᵀ.
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

/// Copies the states before step t as rows of a matrix.
template <class T>
void copy_states(const recurrent_backward<T>& a, index_t t, index_t width, T* to) noexcept {
  for (index_t i = 0; i < a.x.batch; ++i, to += width) {
    if (t > 0) std::copy_n(&a.y(t - 1, i, 0), width, to);
    else if (a.h0 != nullptr) std::copy_n(a.h0 + i * width, width, to);
    else std::fill_n(to, width, T(0));
  }
}

/// Computes dwx, dwh, dx and db from the da of all steps.
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

/// Runs the backward pass of a cell on its schedule, with subnormal numbers flushed to zero.
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

/// Gradients of these passes: recurrent_cell_of(args) has a layout().
template <class Args>
concept recurrent_back_pass = requires(const Args& a) {
  recurrent_cell_of(a).layout();
};

/// Schedules the gradient of a recurrent layer: step by step da from the values saved by the forward pass, and
/// dh ← da·whᵀ, wh packed or "in place"; then dwx, dwh, dx and db from the da of all steps, one product each.
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

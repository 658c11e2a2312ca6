// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/cpu/dense.hpp>
#include <ridgepoint/cpu/recurrent.hpp>

/// \file
/// The backward pass that rnn, lstm and gru share: step by step a cell makes da, the gradient of its gates' sums, and a
/// product with whᵀ that of the state before; then dwx, dwh, dx and db come from the da of all steps at once.
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

/// What a cell of one step works on: samples [row, row + rows), all units.
template <class T>
struct cell_place_back {
  index_t phase = 0, t = 0, row = 0, rows = 0;
  kernels::lines<const T> zeros = {}, dy = {}, h = {};  // h(t − 1)
  kernels::lines<T> dh = {}, da = {};                   // da: gate after gate
  kernels::lines<T> kept = {};                          // from step to step, first zeros
  kernels::lines<T> other = {};                         // phase 1: the gradient of r∘h
  kernels::lines<T> reset = {};                         // r∘h of this step, for dwh

  /// Rows of an operand that may not be given.
  [[nodiscard]] kernels::lines<const T> rows_of(const T* values, index_t ld) const noexcept {
    return values == nullptr ? zeros : kernels::lines<const T>{values + row * ld, ld};
  }
};
template <class T>
struct any_cell_back {
  const void* cell = nullptr;
  void (*step)(const void* cell, const cell_place_back<T>&) noexcept = nullptr;
  template <class Cell>
  explicit any_cell_back(const Cell& of) noexcept
      : cell(&of), step([](const void* self, const cell_place_back<T>& at) noexcept {
          static_cast<const Cell*>(self)->step(at);
        }) {}
};
/// What a cell is asked for beside the gradients that all have.
template <class T>
struct cell_gradients {
  T* kept = nullptr;            // (n, units), what is in `kept` in the end
  T* recurrent_bias = nullptr;  // gates·units, of the state's products
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
  T *packed, *zeros;      // whᵀ in panels; units
  T* da;                  // rows × da_ld
  T *x, *h, *dx, *reset;  // rows × in, units, in, units; none where they are read or written where they are
  std::byte *gemm, *workers;
  std::size_t bytes = 0;
  recurrent_back_memory(const recurrent_back_schedule& s, std::byte* memory) noexcept {
    const recurrent_geometry& g = s.g;
    const auto take = [&](index_t count) { return take_piece<T>(memory, bytes, count); };
    packed = take(s.packed), zeros = take(g.units);
    da = take(s.rows() * s.da_ld);
    x = take(s.copies_x ? s.rows() * g.in : 0);
    h = take(s.copies_h ? s.rows() * g.units : 0);
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
  recurrent_back_worker(const recurrent_back_schedule& s, std::byte* memory) noexcept {
    constexpr index_t copies = kernels::a_block<T>::copies, slack = 2 * simd::lanes<T>;
    const auto take = [&](index_t count) { return take_piece<T>(memory, bytes, count); };
    dh = take(s.part * s.h_ld), other = take(s.part * s.h_ld), kept = take(s.part * s.g.units);
    packed_da = kernels::replicates_a<T> && !s.in_place ? take(s.part * s.layout.columns * s.g.units * copies + slack)
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
    return {w + some.weight * s.g.units, rows, some.count * s.g.units, s.g.gates * s.g.units};
  }
  /// dh, or the gradient of r∘h, ← da·whᵀ of some rows.
  [[nodiscard]] gemm_args<T> back(index_t state, index_t first_row, index_t rows, T* to) const noexcept {
    const gate_columns& some = s.layout.state[static_cast<std::size_t>(state)];
    return {.a = da_of(some, first_row, rows),
            .b = weights_of(a.wh, s.g.units, some).transposed(),
            .c = {to, rows, s.g.units, s.h_ld},
            .options = {.beta = s.layout.adds && state == 0 ? T(1) : T(0)}};
  }
  [[nodiscard]] gemm_args<T> dwx(index_t input) const noexcept {
    const gate_columns& some = s.layout.input[static_cast<std::size_t>(input)];
    const matrix_view<const T> x = s.copies_x ? matrix_view<const T>(x_copy, s.rows(), s.g.in) : all_rows(a.x);
    return {.a = x.transposed(), .b = da_of(some, 0, s.rows()), .c = weights_of(a.dwx, s.g.in, some)};
  }
  [[nodiscard]] gemm_args<T> dwh(index_t state) const noexcept {
    const gate_columns& some = s.layout.state[static_cast<std::size_t>(state)];
    const matrix_view<T> dw = weights_of(a.dwh, s.g.units, some);
    const index_t u = s.g.units;
    if (state > 0 || s.copies_h) {
      const matrix_view<const T> h(state > 0 ? reset : h_copy, s.rows(), u);
      return {.a = h.transposed(), .b = da_of(some, 0, s.rows()), .c = dw};
    }
    const index_t rows = s.rows() - s.g.n;  // the state of the first step is zero
    return {.a = all_rows(a.y).block(0, 0, rows, u).transposed(), .b = da_of(some, s.g.n, rows), .c = dw};
  }
  [[nodiscard]] gemm_args<T> dx(index_t input) const noexcept {
    const gate_columns& some = s.layout.input[static_cast<std::size_t>(input)];
    return {.a = da_of(some, 0, s.rows()),
            .b = weights_of(a.wx, s.g.in, some).transposed(),
            .c = s.copies_dx ? matrix_view<T>(dx_copy, s.rows(), s.g.in) : all_rows(a.dx),
            .options = {.beta = input > 0 ? T(1) : T(0)}};
  }
};

template <class T>
[[nodiscard]] recurrent_back_prepared prepare_recurrent_back(const native_cpu& on, const recurrent_backward<T>& a,
                                                             index_t gates, const back_layout& layout,
                                                             const work& definition) {
  recurrent_back_prepared made;
  recurrent_back_schedule& s = made.schedule;
  s.g = a.geometry(gates);
  s.layout = layout;
  const recurrent_geometry& g = s.g;
  constexpr index_t most_samples = 16;  // more are multiplied with whᵀ in panels, or turned, anyway
  s.in_place = multiplies_in_place(g, weights_are::given) && g.n <= most_samples;
  s.part = s.in_place ? std::max<index_t>(g.n, 1) : part_of_samples(on, g);
  s.panels = ceil_div(g.units, kernels::panel_width<T>);
  s.packed = s.in_place ? 0 : s.panels * kernels::panel_width<T> * gates * g.units;
  s.da_ld = kernels::row_distance<T>(layout.columns * g.units);
  s.h_ld = kernels::row_distance<T>(g.units);
  s.copies_x = !is_one_matrix(a.x);
  s.copies_h = !is_one_matrix(a.y) || a.h0 != nullptr || g.steps == 1;
  s.copies_dx = a.dx.data != nullptr && !is_one_matrix(a.dx);
  s.workers = static_cast<std::size_t>(std::min<index_t>(on.thread_count(), s.parts()));
  s.worker_bytes = recurrent_back_worker<T>(s, nullptr).bytes;
  const recurrent_back_products<T> products{s, a, nullptr, nullptr, nullptr, nullptr, nullptr};
  std::uint64_t executed = 0;  // multiplications and additions of products
  const auto plan = [&](gemm_schedule& to, const gemm_args<T>& product, index_t times = 1) {
    to = schedule(on, product);
    s.gemm_bytes = std::max(s.gemm_bytes, to.workspace_bytes());
    executed += static_cast<std::uint64_t>(times) * executed_work(to, product).matrix_flop;
  };
  for (std::size_t i = 0; i < s.dwx.size(); ++i) {
    const auto part = static_cast<index_t>(i);
    if (part < layout.states) {
      const index_t times = part > 0 || a.dh0 != nullptr ? g.steps : g.steps - 1;
      plan(s.dwh[i], products.dwh(part));
      if (s.in_place) plan(s.back[i], products.back(part, 0, g.n, nullptr), times);
      else
        executed += 2 * static_cast<std::uint64_t>(times * g.n * layout.state[i].count * g.units) *
                    static_cast<std::uint64_t>(round_up(g.units, simd::lanes<T>));
    }
    if (part < layout.inputs) {
      plan(s.dwx[i], products.dwx(part));
      if (a.dx.data != nullptr) plan(s.dx[i], products.dx(part));
    }
  }
  made.told.algorithm = s.in_place ? "in place" : "panels";
  made.told.workspace_bytes = recurrent_back_memory<T>(s, nullptr).bytes;
  made.told.executed = definition;
  made.told.executed.flop += executed - definition.matrix_flop;
  made.told.executed.matrix_flop = executed;
  return made;
}

/// All steps of some samples, back from the last.
template <class T>
class recurrent_back_part {
 public:
  recurrent_back_part(const recurrent_back_prepared& made, const recurrent_backward<T>& a, const any_cell_back<T>& cell,
                      const recurrent_back_memory<T>& shared, std::byte* memory, index_t part) noexcept
      : s_(made.schedule),
        a_(a),
        cell_(cell),
        shared_(shared),
        m_(s_, memory),
        products_{s_, a, shared.da, shared.x, shared.h, shared.dx, shared.reset},
        row_(part * s_.part),
        rows_(std::min(s_.part, s_.g.n - row_)) {}

  void run(const native_cpu& on, const cell_gradients<T>& asked) {
    const index_t u = s_.g.units;
    for (index_t i = 0; i < rows_; ++i) {
      if (a_.dlast == nullptr) std::fill_n(m_.dh + i * s_.h_ld, u, T(0));
      else std::copy_n(a_.dlast + (row_ + i) * u, u, m_.dh + i * s_.h_ld);
    }
    std::fill_n(m_.kept, rows_ * u, T(0));
    for (index_t t = s_.g.steps; t-- > 0;) {
      if (s_.layout.states > 1) run_cell(0, t), multiply(on, 1, t, m_.other), run_cell(1, t);
      else run_cell(0, t);
      if (t > 0 || a_.dh0 != nullptr) multiply(on, 0, t, m_.dh);
    }
    for (index_t i = 0; i < rows_; ++i) {
      if (a_.dh0 != nullptr) std::copy_n(m_.dh + i * s_.h_ld, u, a_.dh0 + (row_ + i) * u);
      if (asked.kept != nullptr) std::copy_n(m_.kept + i * u, u, asked.kept + (row_ + i) * u);
    }
  }

 private:
  void run_cell(index_t phase, index_t t) const noexcept {
    const index_t u = s_.g.units, row = t * s_.g.n + row_;
    cell_place_back<T> at{.phase = phase,
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
    cell_.step(cell_.cell, at);
  }
  /// to ← da·whᵀ, or what is there and that.
  void multiply(const native_cpu& on, index_t state, index_t t, T* to) const {
    const gemm_args<T> product = products_.back(state, t * s_.g.n + row_, rows_, to);
    const auto& planned = s_.back[static_cast<std::size_t>(state)];
    if (s_.in_place) return detail::run(on, planned, product, shared_.gemm);
    const gate_columns& some = s_.layout.state[static_cast<std::size_t>(state)];
    constexpr index_t nr = kernels::panel_width<T>, kc = 512;
    const index_t u = s_.g.units, panel = nr * s_.g.gates * u;
    const auto split = kernels::tile_split::of(rows_);
    const T* const first = shared_.packed + some.weight * u * nr;
    for (index_t p = 0; p < product.a.cols; p += kc) {  // of da, which stays in L2 for all panels
      const index_t depth = std::min(kc, product.a.cols - p);
      const auto da = kernels::a_block<T>::of(product.a.block(0, p, rows_, depth), split, m_.packed_da);
      const kernels::tile_epilogue<T> epilogue{.beta = p == 0 ? product.options.beta : T(1)};
      for (index_t j = 0; j < u; j += nr)
        kernels::block_times_panels<T>(da, split, {first + j / nr * panel + p * nr, panel, nr, fetched_weights<T>},
                                       std::min(nr, u - j), depth, to + j, s_.h_ld, epilogue);
    }
  }

  const recurrent_back_schedule& s_;
  const recurrent_backward<T>& a_;
  const any_cell_back<T>& cell_;
  const recurrent_back_memory<T>& shared_;
  recurrent_back_worker<T> m_;
  recurrent_back_products<T> products_;
  index_t row_, rows_;
};

/// The states before step t as rows of a matrix.
template <class T>
void copy_states(const recurrent_backward<T>& a, index_t t, index_t units, T* to) noexcept {
  for (index_t i = 0; i < a.x.batch; ++i, to += units) {
    if (t > 0) std::copy_n(&a.y(t - 1, i, 0), units, to);
    else if (a.h0 != nullptr) std::copy_n(a.h0 + i * units, units, to);
    else std::fill_n(to, units, T(0));
  }
}

/// dwx, dwh, dx and db from the da of all steps.
template <class T>
void run_gradients(const native_cpu& on, const recurrent_back_schedule& s, const recurrent_backward<T>& a,
                   const recurrent_back_memory<T>& m, T* recurrent_bias) {
  const recurrent_back_products<T> products{s, a, m.da, m.x, m.h, m.dx, m.reset};
  const recurrent_geometry& g = s.g;
  if (s.copies_x || s.copies_h)
    parallel_for(on.thread_count(), g.steps, [&](index_t t) {
      if (s.copies_x) static_cast<void>(input_rows(a.x, t, 1, 0, g.n, g.in, m.x + t * g.n * g.in));
      if (s.copies_h) copy_states(a, t, g.units, m.h + t * g.n * g.units);
    });
  for (std::size_t i = 0; i < s.dwx.size(); ++i) {
    const auto part = static_cast<index_t>(i);
    if (part < s.layout.inputs) {
      const gate_columns& some = s.layout.input[i];
      run(on, s.dwx[i], products.dwx(part), m.gemm);
      if (a.dx.data != nullptr) run(on, s.dx[i], products.dx(part), m.gemm);
      if (a.db != nullptr) sum_columns<T>(on, products.da_of(some, 0, s.rows()), a.db + some.weight * g.units);
    }
    if (part < s.layout.states) {
      run(on, s.dwh[i], products.dwh(part), m.gemm);
      const gate_columns& some = s.layout.state[i];
      if (recurrent_bias != nullptr)
        sum_columns<T>(on, products.da_of(some, 0, s.rows()), recurrent_bias + some.weight * g.units);
    }
  }
  if (!s.copies_dx) return;
  parallel_for(on.thread_count(), g.steps, [&](index_t t) {
    const T* from = m.dx + t * g.n * g.in;
    for (index_t i = 0; i < g.n; ++i, from += g.in) std::copy_n(from, g.in, &a.dx(t, i, 0));
  });
}

/// The backward pass of a cell on its schedule. Subnormal numbers are zeros in it.
template <class T>
void run_recurrent_back(const native_cpu& on, const recurrent_back_prepared& made, const recurrent_backward<T>& a,
                        const any_cell_back<T>& cell, const call_memory& memory, const cell_gradients<T>& asked) {
  const flush_subnormals here;
  const recurrent_back_schedule& s = made.schedule;
  const recurrent_back_memory<T> m(s, static_cast<std::byte*>(memory.workspace));
  std::fill_n(m.zeros, s.g.units, T(0));
  if (!s.in_place)
    pack_panels<T>(on, matrix_view<const T>(a.wh, s.g.units, s.g.gates * s.g.units).transposed(), m.packed);
  const auto run_part = [&](const native_cpu& each, index_t part, index_t worker) {
    std::byte* const piece = m.workers + static_cast<std::size_t>(worker) * s.worker_bytes;
    recurrent_back_part<T>(made, a, cell, m, piece, part).run(each, asked);
  };
  if (s.in_place && s.g.n > 0) run_part(on, 0, 0);
  else
    parallel_for(on.thread_count(), s.parts(),
                 [&](index_t part, index_t worker) { run_part(native_cpu(1), part, worker); });
  run_gradients(on, s, a, m, asked.recurrent_bias);
}

}  // namespace detail

/// Their gradients: recurrent_cell_of(args) has a layout().
template <class Args>
concept recurrent_back_pass = requires(const Args& a) {
  recurrent_cell_of(a).layout();
};

/// Schedules the gradient of a recurrent layer: step by step da from what the forward pass saved, and dh ← da·whᵀ, wh
/// packed or "in place"; then dwx, dwh, dx and db from the da of all steps, a product each.
template <recurrent_back_pass Args>
[[nodiscard]] recurrent_back_prepared prepare(const native_cpu& on, const Args& a, const prepare_options& = {}) {
  const auto cell = recurrent_cell_of(a);
  return detail::prepare_recurrent_back(on, a.operands, cell.gates, cell.layout(), receipt(a));
}
template <recurrent_back_pass Args>
void make_constants(const native_cpu&, const recurrent_back_prepared&, const Args&, void*) {}
template <recurrent_back_pass Args>
void execute(const native_cpu& on, const recurrent_back_prepared& made, const Args& a, const call_memory& memory) {
  const auto cell = recurrent_cell_of(a);
  detail::run_recurrent_back(on, made, a.operands, detail::any_cell_back<typename decltype(cell)::element>(cell),
                             memory, cell.asked());
}
template <recurrent_back_pass Args>
void execute(const native_cpu& on, const Args& a) {
  detail::run_once(on, a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

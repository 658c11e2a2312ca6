// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <ridgepoint/onednn/library_call.hpp>
#include <ridgepoint/onednn/primitive.hpp>
#include <ridgepoint/ops/recurrent.hpp>
#include <ridgepoint/reference/recurrent.hpp>

/// \file
/// The library's primitives for rnn(), lstm() and gru(). The library computes full sequences, but saves the data for
/// its backward pass in a workspace of its own format, where our ops save y, c and gates. These are recomputed from y
/// by products if requested, and a backward pass runs the library's forward pass first, for its workspace. So neither
/// measures the library's speed in training; `ridgepoint bench rnn` times its primitives alone.
namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail {

// Gates of a recurrent layer, recomputed from y by products, because the library's primitives do not return them.

/// Copies rows of three gates with the first two exchanged: the library has z before r.
inline void exchange_gates(const float* from, float* to, index_t rows, index_t units) {
  for (index_t row = 0; row < rows; ++row, from += 3 * units, to += 3 * units) {
    std::copy_n(from, units, to + units);
    std::copy_n(from + units, units, to);
    std::copy_n(from + 2 * units, units, to + 2 * units);
  }
}

/// before ← the state before each step: h0, then y without its last step.
inline void states_before(const recurrent_geometry& g, const float* h0, const float* y, float* before) {
  std::copy_n(h0, g.n * g.units, before);
  std::copy_n(y, g.cells() - g.n * g.units, before + g.n * g.units);
}

/// The sums before the gates' activations. A row is one sample at one step.
struct gate_sums {
  recurrent_geometry g;
  const float *x, *wx, *wh;  // (rows, in), (in, G·u), (u, G·u)
  float* before;             // (rows, u), a separate copy

  [[nodiscard]] index_t rows() const noexcept { return g.steps * g.n; }
  [[nodiscard]] index_t columns() const noexcept { return g.columns(); }
  /// to(rows, count) ← x·wx, for `count` columns from `first`; rows of `to` have stride `stride`.
  void of_input(index_t first, index_t count, float* to, index_t stride) const {
    multiply(count, g.in, x, wx + first, 0, to, stride);
  }
  /// to(rows, count) ← keep·to + before·wh, for `count` columns from `first`.
  void of_state(index_t first, index_t count, float keep, float* to, index_t stride) const {
    multiply(count, g.units, before, wh + first, keep, to, stride);
  }

 private:
  void multiply(index_t count, index_t depth, const float* from, const float* w, float keep, float* to,
                index_t stride) const {
    call("dnnl_sgemm", [&] {
      dnnl::error::wrap_c_api(
          dnnl_sgemm('N', 'N', rows(), count, depth, 1, from, depth, w, columns(), keep, to, stride),
          "could not multiply");
    });
  }
};

[[nodiscard]] inline float sigmoid_of(float x) { return 1 / (1 + std::exp(-x)); }

/// values ← f(values + bias) for `count` columns; a null bias is zero.
template <class F>
void activate_rows(index_t rows, index_t count, float* values, index_t stride, const float* bias, F&& f) {
  for (index_t row = 0; row < rows; ++row)
    for (index_t j = 0; j < count; ++j) {
      float& v = values[row * stride + j];
      v = f(v + (bias != nullptr ? bias[j] : 0.0F));
    }
}

/// Inverses of activations: the limits of the search, and the function.
struct inverse_sigmoid {
  static constexpr double least = 0, zero_below = -104, one_above = 18;
  [[nodiscard]] static double slope(double y) { return y * (1 - y); }
  [[nodiscard]] static double argument(double y) { return std::log(y) - std::log1p(-y); }
};
struct inverse_tanh {
  static constexpr double least = -1, zero_below = -18, one_above = 18;
  [[nodiscard]] static double slope(double y) { return 1 - y * y; }
  [[nodiscard]] static double argument(double y) { return std::atanh(y); }
};

/// Returns the bias with which f(sums + bias) = values in `rows` rows of one column.
///
/// The row where f is steepest determines it: a rounding error there changes the values of the other rows, where f is
/// flatter, by less. If all rows are saturated, returns a bias that keeps them so.
template <class Inverse>
[[nodiscard]] float bias_of_column(Inverse, index_t rows, const float* sums, index_t sum_stride, const float* values,
                                   index_t value_stride) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double best = 0, bias = 0, least_of_high = infinity, most_of_low = -infinity;
  for (index_t row = 0; row < rows; ++row) {
    const double sum = static_cast<double>(sums[row * sum_stride]);
    const double value = static_cast<double>(values[row * value_stride]), slope = Inverse::slope(value);
    if (slope > best) best = slope, bias = Inverse::argument(value) - sum;
    else if (slope <= 0 && value <= Inverse::least) most_of_low = (std::max)(most_of_low, sum);
    else if (slope <= 0) least_of_high = (std::min)(least_of_high, sum);
  }
  if (best > 0) return static_cast<float>(bias);
  // A bias just large enough for the high rows leaves the low rows low: a common bias exists, and f's ends are far from
  // each other.
  return static_cast<float>(least_of_high < infinity ? Inverse::one_above - least_of_high
                                                     : Inverse::zero_below - most_of_low);
}

/// Writes the bias of `count` columns.
template <class Inverse>
void infer_bias(Inverse inverse, const gate_sums& of, index_t count, const float* sums, index_t sum_stride,
                const float* values, index_t value_stride, float* bias) {
  for (index_t j = 0; j < count; ++j)
    bias[j] = bias_of_column(inverse, of.rows(), sums + j, sum_stride, values + j, value_stride);
}

/// Layouts of the operands of a recurrent layer, or of their gradients. c has the layout of h.
struct recurrent_layouts {
  dnnl::memory::desc x, h0, wx, wh, bias, y, last;
};

/// Returns dense layouts: sequences with steps outermost, weights in our order except that of the gates.
template <class Cell>
[[nodiscard]] recurrent_layouts dense_layouts(const recurrent_geometry& g) {
  using tag = dnnl::memory::format_tag;
  const auto laid_out = [](const dnnl::memory::dims& extents, tag how) {
    return dnnl::memory::desc(extents, dnnl::memory::data_type::f32, how);
  };
  const auto state = laid_out({1, 1, g.n, g.units}, tag::ldnc);
  return {.x = laid_out({g.steps, g.n, g.in}, tag::tnc),
          .h0 = state,
          .wx = laid_out({1, 1, g.in, Cell::gate_count, g.units}, tag::ldigo),
          .wh = laid_out({1, 1, g.units, Cell::gate_count, g.units}, tag::ldigo),
          .bias = laid_out({1, 1, Cell::biases, g.units}, tag::ldgo),
          .y = laid_out({g.steps, g.n, g.units}, tag::tnc),
          .last = state};
}
/// Returns the layouts with another order of weights: the library's choice, or the one that backward passes read.
template <class Cell>
[[nodiscard]] recurrent_layouts with_weights(recurrent_layouts l, const recurrent_geometry& g,
                                             dnnl::memory::format_tag how) {
  l.wx = {{1, 1, g.in, Cell::gate_count, g.units}, dnnl::memory::data_type::f32, how};
  l.wh = {{1, 1, g.units, Cell::gate_count, g.units}, dnnl::memory::data_type::f32, how};
  return l;
}

/// y, last ← of x from the state h0; also a workspace for training.
template <class Cell>
[[nodiscard]] typename Cell::forward::primitive_desc describe_recurrent(const dnnl::engine& engine, const Cell& cell,
                                                                        dnnl::prop_kind pass,
                                                                        const recurrent_layouts& l) {
  constexpr auto onwards = dnnl::rnn_direction::unidirectional_left2right;
  using primitive = typename Cell::forward;
  if constexpr (Cell::has_activation)
    return describe<primitive>(engine, {}, pass, cell.f, onwards, l.x, l.h0, l.wx, l.wh, l.bias, l.y, l.last);
  else if constexpr (Cell::has_c)
    return describe<primitive>(engine, {}, pass, onwards, l.x, l.h0, l.h0, l.wx, l.wh, l.bias, l.y, l.last, l.last);
  else return describe<primitive>(engine, {}, pass, onwards, l.x, l.h0, l.wx, l.wh, l.bias, l.y, l.last);
}
/// Computes gradients d of all inputs of the forward pass, from gradients of its outputs. Adds to dwx, dwh, db.
template <class Cell>
[[nodiscard]] typename Cell::backward::primitive_desc describe_recurrent_backward(
    const dnnl::engine& engine, const Cell& cell, const typename Cell::forward::primitive_desc& forward,
    const recurrent_layouts& l, const recurrent_layouts& d) {
  constexpr auto pass = dnnl::prop_kind::backward;
  constexpr auto onwards = dnnl::rnn_direction::unidirectional_left2right;
  using primitive = typename Cell::backward;
  if constexpr (Cell::has_activation)
    return describe_backward<primitive>(engine, forward, pass, cell.f, onwards, l.x, l.h0, l.wx, l.wh, l.bias, l.y,
                                        l.last, d.x, d.h0, d.wx, d.wh, d.bias, d.y, d.last);
  else if constexpr (Cell::has_c)
    return describe_backward<primitive>(engine, forward, pass, onwards, l.x, l.h0, l.h0, l.wx, l.wh, l.bias, l.y,
                                        l.last, l.last, d.x, d.h0, d.h0, d.wx, d.wh, d.bias, d.y, d.last, d.last);
  else
    return describe_backward<primitive>(engine, forward, pass, onwards, l.x, l.h0, l.wx, l.wh, l.bias, l.y, l.last, d.x,
                                        d.h0, d.wx, d.wh, d.bias, d.y, d.last);
}

/// Returns a sequence's layout for the library. An extent of one gets a stride that looks dense, which the library
/// requires; our ops ignore that stride.
template <class T>
[[nodiscard]] dnnl::memory::desc sequence_layout(const sequence_view<T>& v) {
  const index_t sample = v.batch > 1 ? v.sample_stride : v.width;
  const index_t step = v.steps > 1 ? v.step_stride : v.batch * sample;
  return {{v.steps, v.batch, v.width}, dnnl::memory::data_type::f32, {step, sample, 1}};
}

/// Layout of the weights inside the library; its own layout is converted at every call.
enum class gate_weights { ours, library };

/// Returns our weights in the library's order of gates, converted at every run.
template <class Cell>
[[nodiscard]] dnnl::memory in_library_order(recipe& r, const dnnl::memory& w, index_t rows, index_t units) {
  if constexpr (!Cell::z_first) return w;
  dnnl::memory ordered = r.scratch(w.get_desc());
  r.then_ours([=] { exchange_gates(values_of(w), values_of(ordered), rows, units); });
  return ordered;
}
/// Returns the library's bias, which `fill` writes at every run.
template <class Cell, class Fill>
[[nodiscard]] dnnl::memory library_bias(recipe& r, const recurrent_layouts& l, Fill fill) {
  dnnl::memory made = r.scratch(l.bias);
  r.then_ours([=] { fill(values_of(made)); });
  return made;
}
inline void then_zero(recipe& r, const dnnl::memory& m) {
  r.then_ours([m, size = m.get_desc().get_size()] { std::memset(values_of(m), 0, size); });
}

/// The operands of a forward pass, including those that only some cells have.
struct recurrent_forward_operands {
  recurrent<float> a;
  const float* recurrent_bias = nullptr;
  const float* c0 = nullptr;
  float* c = nullptr;
  float* gates = nullptr;
  float* last_c = nullptr;

  [[nodiscard]] std::array<const void*, 12> pointers() const {
    return {a.x.data, a.wx, a.wh, a.bias, recurrent_bias, a.h0, c0, a.y.data, a.last, c, gates, last_c};
  }
};
struct recurrent_backward_operands {
  recurrent_backward<float> a;
  const float* c0 = nullptr;
  const float* gates = nullptr;
  float* drecurrent_bias = nullptr;
  float* dc0 = nullptr;
  const float* dlast_c = nullptr;

  [[nodiscard]] std::array<const void*, 17> pointers() const {
    return {a.x.data,  a.wx,    a.wh,      a.h0,  c0,    a.y.data, gates,
            a.dy.data, a.dlast, a.dx.data, a.dwx, a.dwh, a.db,     drecurrent_bias,
            a.dh0,     dc0,     dlast_c};
  }
};

/// y, last, c and gates ← of a sequence.
template <class Cell>
[[nodiscard]] recipe recurrent_recipe(const dnnl::engine& engine, const Cell& cell, const recurrent_forward_operands& o,
                                      gate_weights whose) {
  const recurrent_geometry g = o.a.geometry(Cell::gate_count);
  const recurrent_layouts l = dense_layouts<Cell>(g);
  const auto of_gates = layout(g.columns()), of_cells = layout(g.cells()),
             of_kept = layout(std::max<index_t>(1, Cell::kept) * g.cells());
  recipe r(engine);
  const dnnl::memory x = r.operand(sequence_layout(o.a.x)), wx = r.operand(l.wx), wh = r.operand(l.wh),
                     bias = r.operand(of_gates), recurrent_bias = r.operand(of_gates), h0 = r.operand(l.h0),
                     c0 = r.operand(l.h0), y = r.operand(sequence_layout(o.a.y)), last = r.operand(l.last),
                     c = r.operand(of_cells), gates = r.operand(of_kept), last_c = r.operand(l.last);

  const auto chosen =
      describe_recurrent(engine, cell, dnnl::prop_kind::forward_inference,
                         whose == gate_weights::ours ? l : with_weights<Cell>(l, g, dnnl::memory::format_tag::any));
  const dnnl::memory from = r.converted(x, l.x), to = o.a.y.data != nullptr ? r.computed(y, l.y) : r.scratch(l.y),
                     to_last = o.a.last != nullptr ? last : r.scratch(l.last),
                     state = o.a.h0 != nullptr ? h0 : r.zeros(l.h0);
  const auto fill = [=, units = g.units](float* all) {
    Cell::bias_of(units, values_of(bias), values_of(recurrent_bias), all);
  };
  primitive_arguments given{
      {DNNL_ARG_SRC_LAYER, from},
      {DNNL_ARG_SRC_ITER, state},
      {DNNL_ARG_WEIGHTS_LAYER, r.converted(in_library_order<Cell>(r, wx, g.in, g.units), chosen.weights_layer_desc())},
      {DNNL_ARG_WEIGHTS_ITER, r.converted(in_library_order<Cell>(r, wh, g.units, g.units), chosen.weights_iter_desc())},
      {DNNL_ARG_BIAS, library_bias<Cell>(r, l, fill)},
      {DNNL_ARG_DST_LAYER, to},
      {DNNL_ARG_DST_ITER, to_last}};
  if constexpr (Cell::has_c) {
    given.emplace_back(DNNL_ARG_SRC_ITER_C, o.c0 != nullptr ? c0 : r.zeros(l.h0));
    given.emplace_back(DNNL_ARG_DST_ITER_C, o.last_c != nullptr ? last_c : r.scratch(l.last));
  }
  r.then(typename Cell::forward(chosen), given);
  if (o.a.y.data != nullptr) r.deliver(to, y);
  if constexpr (Cell::kept > 0) {
    if (o.gates == nullptr) return r;
    const dnnl::memory before = r.scratch(of_cells);
    r.then_ours([=] {
      states_before(g, values_of(state), values_of(to), values_of(before));
      const gate_sums sums{g, values_of(from), values_of(wx), values_of(wh), values_of(before)};
      if constexpr (Cell::has_c) Cell::keep(sums, values_of(bias), values_of(c0), values_of(c), values_of(gates));
      else Cell::keep(sums, values_of(bias), values_of(recurrent_bias), values_of(gates));
    });
    r.also(", then products for what the backward pass needs");
  }
  return r;
}

/// Computes the gradients. The forward pass that fills the library's workspace needs a bias, which the op does not
/// have; it is inferred from the results.
template <class Cell>
[[nodiscard]] recipe recurrent_recipe(const dnnl::engine& engine, const Cell& cell,
                                      const recurrent_backward_operands& o, gate_weights whose) {
  using tag = dnnl::memory::format_tag;
  const recurrent_geometry g = o.a.geometry(Cell::gate_count);
  const recurrent_layouts l = dense_layouts<Cell>(g);
  const bool any = whose == gate_weights::library;
  const auto of_gates = layout(g.columns()), of_cells = layout(g.cells()),
             of_kept = layout(std::max<index_t>(1, Cell::kept) * g.cells());
  recipe r(engine);
  const dnnl::memory x = r.operand(sequence_layout(o.a.x)), wx = r.operand(l.wx), wh = r.operand(l.wh),
                     h0 = r.operand(l.h0), c0 = r.operand(l.h0), y = r.operand(sequence_layout(o.a.y)),
                     gates = r.operand(of_kept),
                     dy = r.operand(sequence_layout(o.a.dy.data != nullptr ? o.a.dy : o.a.y)),
                     dlast = r.operand(l.last),
                     dx = r.operand(
                         sequence_layout(o.a.dx.data != nullptr ? sequence_view<const float>(o.a.dx) : o.a.x)),
                     dwx = r.operand(l.wx), dwh = r.operand(l.wh), db = r.operand(of_gates),
                     drecurrent_bias = r.operand(of_gates), dh0 = r.operand(l.h0), dc0 = r.operand(l.h0),
                     dlast_c = r.operand(l.last);

  const recurrent_layouts asked = any ? with_weights<Cell>(l, g, tag::any) : l;
  const auto forward = describe_recurrent(engine, cell, dnnl::prop_kind::forward_training, asked);
  const auto chosen =
      describe_recurrent_backward(engine, cell, forward, with_weights<Cell>(l, g, any ? tag::any : tag::ldgoi), asked);

  const auto given_or_zero = [&](const void* given, const dnnl::memory& operand, const dnnl::memory::desc& as) {
    return given != nullptr ? operand : r.zeros(as);
  };
  const auto wanted_or_not = [&](const void* wanted, const dnnl::memory& operand) {
    return wanted != nullptr ? operand : r.scratch(operand.get_desc());
  };
  const dnnl::memory from = r.converted(x, l.x), result = r.converted(y, l.y), state = given_or_zero(o.a.h0, h0, l.h0),
                     cell_state = given_or_zero(o.c0, c0, l.h0), before = r.scratch(of_cells),
                     sums = r.scratch(layout((g.gates + 1) * g.cells()));
  const dnnl::memory bias = library_bias<Cell>(r, l, [=](float* all) {
    states_before(g, values_of(state), values_of(result), values_of(before));
    const gate_sums of{g, values_of(from), values_of(wx), values_of(wh), values_of(before)};
    if constexpr (Cell::has_activation) cell.infer_bias(of, values_of(result), values_of(sums), all);
    else Cell::infer_bias(of, values_of(gates), values_of(sums), all);
  });
  const dnnl::memory to = r.scratch(l.y), last = r.scratch(l.last), last_c = r.scratch(l.last),
                     workspace = r.scratch(forward.workspace_desc()),
                     wx_ordered = in_library_order<Cell>(r, wx, g.in, g.units),
                     wh_ordered = in_library_order<Cell>(r, wh, g.units, g.units);
  primitive_arguments first{{DNNL_ARG_SRC_LAYER, from},
                            {DNNL_ARG_SRC_ITER, state},
                            {DNNL_ARG_WEIGHTS_LAYER, r.converted(wx_ordered, forward.weights_layer_desc())},
                            {DNNL_ARG_WEIGHTS_ITER, r.converted(wh_ordered, forward.weights_iter_desc())},
                            {DNNL_ARG_BIAS, bias},
                            {DNNL_ARG_DST_LAYER, to},
                            {DNNL_ARG_DST_ITER, last},
                            {DNNL_ARG_WORKSPACE, workspace}};
  const dnnl::memory to_dx = o.a.dx.data != nullptr ? r.computed(dx, l.x) : r.scratch(l.x),
                     to_dwx = Cell::z_first ? r.scratch(chosen.diff_weights_layer_desc())
                                            : r.computed(dwx, chosen.diff_weights_layer_desc()),
                     to_dwh = Cell::z_first ? r.scratch(chosen.diff_weights_iter_desc())
                                            : r.computed(dwh, chosen.diff_weights_iter_desc()),
                     to_db = r.scratch(l.bias);
  primitive_arguments second{{DNNL_ARG_SRC_LAYER, from},
                             {DNNL_ARG_SRC_ITER, state},
                             {DNNL_ARG_WEIGHTS_LAYER, r.converted(wx_ordered, chosen.weights_layer_desc())},
                             {DNNL_ARG_WEIGHTS_ITER, r.converted(wh_ordered, chosen.weights_iter_desc())},
                             {DNNL_ARG_BIAS, bias},
                             {DNNL_ARG_DST_LAYER, to},
                             {DNNL_ARG_DST_ITER, last},
                             {DNNL_ARG_WORKSPACE, workspace},
                             {DNNL_ARG_DIFF_DST_LAYER, o.a.dy.data != nullptr ? r.converted(dy, l.y) : r.zeros(l.y)},
                             {DNNL_ARG_DIFF_DST_ITER, given_or_zero(o.a.dlast, dlast, l.last)},
                             {DNNL_ARG_DIFF_SRC_LAYER, to_dx},
                             {DNNL_ARG_DIFF_SRC_ITER, wanted_or_not(o.a.dh0, dh0)},
                             {DNNL_ARG_DIFF_WEIGHTS_LAYER, to_dwx},
                             {DNNL_ARG_DIFF_WEIGHTS_ITER, to_dwh},
                             {DNNL_ARG_DIFF_BIAS, to_db}};
  if constexpr (Cell::has_c) {
    first.emplace_back(DNNL_ARG_SRC_ITER_C, cell_state);
    first.emplace_back(DNNL_ARG_DST_ITER_C, last_c);
    second.insert(second.end(), first.end() - 2, first.end());
    second.emplace_back(DNNL_ARG_DIFF_DST_ITER_C, given_or_zero(o.dlast_c, dlast_c, l.last));
    second.emplace_back(DNNL_ARG_DIFF_SRC_ITER_C, wanted_or_not(o.dc0, dc0));
  }
  r.then_aside(typename Cell::forward(forward), first);
  for (const dnnl::memory& sum : {to_dwx, to_dwh, to_db}) then_zero(r, sum);
  r.then(typename Cell::backward(chosen), second);
  r.also(" after a forward pass of its own");
  if (o.a.dx.data != nullptr) r.deliver(to_dx, dx);
  const auto deliver = [&](const dnnl::memory& computed, const dnnl::memory& dw, index_t rows) {
    if (!Cell::z_first) return r.deliver(computed, dw);
    const dnnl::memory ordered = r.converted(computed, dw.get_desc());
    r.then_ours([=] { exchange_gates(values_of(ordered), values_of(dw), rows, g.units); });
  };
  deliver(to_dwx, dwx, g.in);
  deliver(to_dwh, dwh, g.units);
  r.then_ours([=] { Cell::bias_gradient(g.units, values_of(to_db), values_of(db), values_of(drecurrent_bias)); });
  return r;
}

/// Shared parts of the passes; `Op` numbers the op in its recipes' keys. `Call` has operands_of(args) and
/// with_cell(args, f), which calls f with the cell; kind_of(args) distinguishes cells of one op. is_wrong(args) is true
/// for calls that the library computes wrongly; the reference computes them.
template <index_t Op, class Args, class Call>
struct recurrent_call {
  /// Throws: unsupported for a mask or other gates, which the primitives do not support.
  static bool asks(const Args& a) {
    require<unsupported>(a.operands.mask.data == nullptr, "onednn: a recurrent layer has a mask; must have none");
    if constexpr (requires { a.gate; })
      require<unsupported>(a.gate == activation::sigmoid, "onednn: gates of a recurrent layer are ", to_string(a.gate),
                           "; must be sigmoid");
    if constexpr (requires { Call::is_wrong(a); })
      if (Call::is_wrong(a)) return false;
    return a.operands.x.batch > 0;
  }
  static void otherwise(const onednn&, const Args& a) {
    if (a.operands.x.batch > 0) return execute(reference, a);
    if constexpr (requires { a.operands.dwx; }) {  // the sums of an empty batch are zero
      const recurrent_geometry g = Call::geometry(a);
      const auto zero = [](float* p, index_t size) {
        if (p != nullptr) std::fill_n(p, size, 0.0F);
      };
      zero(a.operands.dwx, g.input_weights());
      zero(a.operands.dwh, g.recurrent_weights());
      zero(a.operands.db, g.columns());
      zero(Call::operands_of(a).drecurrent_bias, g.columns());
    }
  }
  static recipe_key key(const Args& a) {
    const recurrent_geometry g = Call::geometry(a);
    const auto o = Call::operands_of(a);
    std::uint32_t present = 0;
    for (const void* p : o.pointers()) present = 2 * present + (p != nullptr ? 1 : 0);
    recipe_key k{{Op, Call::kind_of(a), g.steps, g.n, g.in, g.units, present, a.operands.x.step_stride,
                  a.operands.x.sample_stride, a.operands.y.step_stride, a.operands.y.sample_stride}};
    if constexpr (requires { a.operands.dx; })
      for (std::size_t i = 11; const index_t stride : {a.operands.dy.step_stride, a.operands.dy.sample_stride,
                                                       a.operands.dx.step_stride, a.operands.dx.sample_stride})
        k.values[i++] = stride;
    return k;
  }
  static std::vector<recipe> recipes(const dnnl::engine& engine, const Args& a) {
    std::vector<recipe> ways;
    Call::with_cell(a, [&](const auto& cell) {
      for (const gate_weights whose : {gate_weights::ours, gate_weights::library})
        ways.push_back(recurrent_recipe(engine, cell, Call::operands_of(a), whose));
    });
    return ways;
  }
  static auto pointers(const Args& a) { return Call::operands_of(a).pointers(); }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail

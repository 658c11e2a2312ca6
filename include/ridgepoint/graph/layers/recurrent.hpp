// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/graph/layer.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/geometry.hpp>
#include <ridgepoint/ops/gru.hpp>
#include <ridgepoint/ops/projected_lstm.hpp>
#include <ridgepoint/ops/recurrent.hpp>
#include <ridgepoint/ops/rnn.hpp>

/// \file
/// The recurrent layers lstm, gru, rnn and bidirectional, and their common part. Inside a graph the batch is outermost:
/// a sequence is (batch, t, width).
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Returns the units, gates and projection of a layer, without input extents.
template <class Layer>
[[nodiscard]] recurrent_geometry recurrent_cells(const Layer& l) {
  recurrent_geometry g{.units = l.units, .gates = Layer::gates};
  if constexpr (requires { l.projection; }) g.projected = l.projection;
  return g;
}
/// (t, in) → (t, width), or (width) of the last step; width: units, or the projected width.
/// Throws: shape_error for an input that is not a sequence, no units or a negative projection.
template <class Layer>
[[nodiscard]] shape recurrent_output(const Layer& l, const shape& in) {
  const recurrent_geometry g = recurrent_cells(l);
  require<shape_error>(l.units > 0, Layer::name, ": units is ", l.units, "; must be > 0");
  require<shape_error>(g.projected >= 0, Layer::name, ": projection is ", g.projected, "; must be >= 0");
  require<shape_error>(in.rank() == 2 && in.size() > 0, Layer::name, ": input is ", in, "; must be steps x features");
  return l.sequences ? shape{in[0], g.width()} : shape{g.width()};
}
/// Returns wx (in, gates·units), wh (width, gates·units) and b (gates·units), whose parts are gates.
[[nodiscard]] std::vector<parameter> recurrent_parameters(const shape& in, const recurrent_geometry& cells,
                                                          initialiser initial, initialiser recurrent_initial,
                                                          std::vector<initialiser> bias);

/// Values of a slot, from index `first` on.
struct values_of {
  slot in = {};
  index_t first = 0;
  index_t each_bytes = 0;

  [[nodiscard]] static values_of slot_from(const lowering& to, slot in, index_t first = 0) {
    return {in, first, static_cast<index_t>(in.exists() ? bytes_of(to.type(in)) : 0)};
  }
  /// Address of the value at index first + `further`; null if there is no slot.
  [[nodiscard]] address at(const addresses& all, index_t further = 0) const noexcept {
    std::byte* const begin = all(in);
    return address(begin == nullptr ? nullptr : begin + (first + further) * each_bytes);
  }
};

/// The slots of one recurrence, and its operands once they have addresses. A layer with several recurrences lays them
/// out itself: parameters, saved memory, outputs and direction of each.
struct recurrent_slots {
  recurrent_geometry g = {};
  bool backwards = false;                            // from the last step to the first
  std::size_t first_parameter = 0, first_saved = 0;  // offsets within the layer's
  index_t y_row = 0;                                 // stride between steps of y and dy
  static constexpr std::size_t kept_by_a_cell = 4;   // saved slots per recurrence
  slot wx = {}, wh = {}, b = {}, dwx = {}, dwh = {}, db = {};
  slot h0 = {};  // final state of the previous batch; none: zeros
  values_of x = {}, y = {}, last = {}, dy = {}, dlast = {}, dx = {}, mask = {};

  /// For a layer's only recurrence; in training the whole sequence is kept even if only its last step is the output.
  [[nodiscard]] static recurrent_slots forward(lowering& to, const auto& layer) {
    recurrent_slots s = common(to, layer);
    if (!layer.sequences) s.last = values_of::slot_from(to, to.output());
    if (!layer.stateful) return s;
    s.h0 = s.state_before(to, 0);
    if (layer.sequences) s.last = values_of::slot_from(to, s.state(to, 0));
    return s;
  }
  [[nodiscard]] static recurrent_slots backward(lowering& to, const auto& layer) {
    recurrent_slots s = common(to, layer);
    (layer.sequences ? s.dy : s.dlast) = values_of::slot_from(to, to.output_gradient());
    if (to.needs_input_gradient()) s.dx = values_of::slot_from(to, to.input_gradient());
    if (layer.stateful) s.h0 = s.state_of_step(to, 0);
    s.learn(to);
    return s;
  }
  /// Stores the layer's output as carried state if it is the last state.
  static void carry_output(lowering& to, const auto& layer) {
    const shape& y = to.output_shape();
    if (layer.stateful && !layer.sequences) copy(to, to.output(), to.carried(0, y.size()), y[-1]);
  }
  /// Carried state i, h or c.
  [[nodiscard]] slot state(lowering& to, std::size_t i) const { return to.carried(i, g.n * state_width(i)); }
  /// Copies the previous batch's state to memory that lasts until the backward pass has read it.
  [[nodiscard]] slot state_before(lowering& to, std::size_t i) const {
    const slot begin = to.training() ? state_of_step(to, i) : to.scratch(g.n * state_width(i));
    copy(to, state(to, i), begin, state_width(i));
    return begin;
  }
  [[nodiscard]] slot state_of_step(lowering& to, std::size_t i) const {
    return to.saved(kept_by_a_cell + i, g.n * state_width(i));
  }
  /// Sets up input and parameters for the recurrence of `cell`, whose parameters and saved memory begin at these
  /// numbers.
  [[nodiscard]] static recurrent_slots part(lowering& to, const auto& cell, std::size_t first_parameter = 0,
                                            std::size_t first_saved = 0) {
    const shape& in = to.input_shape();
    recurrent_slots s{.g = recurrent_cells(cell), .first_parameter = first_parameter, .first_saved = first_saved};
    s.g.steps = in[1], s.g.n = in[0], s.g.in = in[2];
    s.y_row = s.g.width();
    s.x = values_of::slot_from(to, to.input());
    s.wx = to.parameter(first_parameter), s.wh = to.parameter(first_parameter + 1);
    s.b = to.parameter(first_parameter + 2);
    if (to.input_count() > 1) s.mask = values_of::slot_from(to, to.input(1));
    return s;
  }
  /// Reserves the gradients of the parameters.
  void learn(lowering& to) {
    dwx = to.parameter_gradient(first_parameter), dwh = to.parameter_gradient(first_parameter + 1);
    db = to.parameter_gradient(first_parameter + 2);
  }
  [[nodiscard]] call_info info() const {
    return {.pass = dx.in.exists() || !dwx.exists() ? pass::forward : pass::backward_weights,  // forward: as lowered
            .shape = concat(g, backwards ? " from the end" : "")};
  }
  [[nodiscard]] recurrent<stored> forward_operands(const addresses& at) const {
    return {.x = sequence<const stored>(at, x, g.in, g.in),
            .wx = at(wx),
            .wh = at(wh),
            .bias = at(b),
            .h0 = at(h0),
            .y = sequence<stored>(at, y, g.width(), y_row),
            .last = last.at(at),
            .mask = sequence<const std::int32_t>(at, mask, 1, 1)};
  }
  [[nodiscard]] recurrent_backward<stored> backward_operands(const addresses& at) const {
    return {.x = sequence<const stored>(at, x, g.in, g.in),
            .wx = at(wx),
            .wh = at(wh),
            .h0 = at(h0),
            .y = sequence<const stored>(at, y, g.width(), y_row),
            .dy = sequence<const stored>(at, dy, g.width(), y_row),
            .dlast = dlast.at(at),
            .dx = sequence<stored>(at, dx, g.in, g.in),
            .dwx = at(dwx),
            .dwh = at(dwh),
            .db = at(db),
            .mask = sequence<const std::int32_t>(at, mask, 1, 1)};
  }

 private:
  [[nodiscard]] index_t state_width(std::size_t i) const noexcept { return i == 0 ? g.width() : g.units; }
  static void copy(lowering& to, slot from, slot into, index_t width) {
    const index_t n = to.input_shape()[0];
    to.add_call({.shape = concat(n, 'x', width)}, [=, size = n * width](const addresses& at) {
      return activate_args<stored>{.f = activation::none, .size = size, .x = at(from), .y = at(into)};
    });
  }
  [[nodiscard]] static recurrent_slots common(lowering& to, const auto& layer) {
    recurrent_slots s = part(to, layer);
    if (layer.sequences) s.y = values_of::slot_from(to, to.output());
    else if (to.training()) s.y = values_of::slot_from(to, to.saved(0, s.g.states()));
    return s;
  }
  template <class U>
  [[nodiscard]] sequence_view<U> sequence(const addresses& at, const values_of& v, index_t width, index_t row) const {
    const index_t step = backwards ? -row : row;
    return {v.at(at, backwards ? (g.steps - 1) * row : 0), g.steps, g.n, width, step, g.steps * row};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

/// Slots of the cells in both passes: c0, c and gates; h and wp if the state is projected.
struct lstm_slots {
  slot c0 = {}, c = {}, gates = {}, h = {}, wp = {};
  index_t units = 0;
  activation gate = activation::sigmoid;

  /// Arguments of a pass, with its other operands.
  template <class Args, class Operands>
  [[nodiscard]] Args args(const addresses& at, const Operands& operands) const {
    Args made{.operands = operands};
    made.c0 = at(c0), made.c = at(c), made.gates = at(gates), made.gate = gate;
    if constexpr (requires { made.wp; }) made.units = units, made.wp = at(wp), made.h = at(h);
    return made;
  }
};

}  // namespace detail

namespace nn {

/// Long short-term memory over a sequence (t, in), from a zero state: outputs the last state (units), or with
/// `sequences` all states, (t, units). Gates along the columns of wx, wh and b: i, f, g, o.
///
/// With a projection, the output and the state passed to the next step are the product of (units) with wp
/// (units, projection): proj_size of PyTorch.
///
/// If stateful, it starts from the final state of the previous batch, sample i from that of sample i, until
/// reset_state() of the trainer or session; gradients do not flow back into that batch.
struct lstm {
  static constexpr std::string_view name = "lstm";
  static constexpr index_t gates = lstm_gates;
  index_t units = 0;       // required
  index_t projection = 0;  // width of the projected state; 0: no projection
  bool sequences = false;
  bool stateful = false;
  ridgepoint::activation gate = ridgepoint::activation::sigmoid;  // or hard_sigmoid
  [[no_unique_address]] named_gate activation = {};
  initialiser initial = glorot_uniform;             // of wx
  initialiser recurrent_initial = glorot_uniform;   // of wh
  initialiser projection_initial = glorot_uniform;  // of wp
  initialiser forget_bias = ones;                   // of the forget gate's b; the others start at 0

  /// Throws: shape_error for an input that is not a sequence, no units or a negative projection; value_error for an
  /// unsupported gate function.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
  /// On slots laid out by an enclosing layer.
  void forward(lowering& to, const detail::recurrent_slots& s) const;
  void backward(lowering& to, const detail::recurrent_slots& s) const;

 private:
  /// Slots of c and gates.
  [[nodiscard]] detail::lstm_slots saved_cells(lowering& to, const detail::recurrent_slots& s) const;
  /// Adds the slots of a projected state.
  static void project(lowering& to, const detail::recurrent_slots& s, detail::lstm_slots& cells);
  [[nodiscard]] static slot kept(lowering& to, std::size_t i, index_t count);
};

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Gated recurrent unit over a sequence (t, in), from a zero state: outputs the last state (units), or with `sequences`
/// all states, (t, units). Gates along the columns of wx, wh and b: r, z, n; reset-after adds a recurrent bias rb.
///
/// If stateful, it starts from the final state of the previous batch, sample i from that of sample i, until
/// reset_state() of the trainer or session; gradients do not flow back into that batch.
struct gru {
  static constexpr std::string_view name = "gru";
  static constexpr index_t gates = gru_gates;
  index_t units = 0;  // required
  bool sequences = false;
  bool stateful = false;
  gru_reset reset = gru_reset::before;
  ridgepoint::activation gate = ridgepoint::activation::sigmoid;  // or hard_sigmoid
  [[no_unique_address]] named_gate activation = {};
  initialiser initial = glorot_uniform;            // of wx
  initialiser recurrent_initial = glorot_uniform;  // of wh
  initialiser gate_bias = zeros;                   // of b for r and z; the others start at 0

  /// Throws: shape_error for an input that is not a sequence or no units; value_error for an unsupported gate function.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
  /// On slots laid out by an enclosing layer.
  void forward(lowering& to, const detail::recurrent_slots& s) const;
  void backward(lowering& to, const detail::recurrent_slots& s) const;

 private:
  [[nodiscard]] index_t saved() const noexcept { return gru_args<stored>::saved(reset); }
};

/// Plain recurrent layer h(t) = f(x(t)·wx + h(t − 1)·wh + b) over a sequence (t, in), from a zero state: outputs the
/// last state (units), or with `sequences` all states, (t, units).
///
/// If stateful, it starts from the final state of the previous batch, sample i from that of sample i, until
/// reset_state() of the trainer or session; gradients do not flow back into that batch.
struct rnn {
  static constexpr std::string_view name = "rnn";
  static constexpr index_t gates = rnn_gates;
  index_t units = 0;  // required
  bool sequences = false;
  bool stateful = false;
  ridgepoint::activation act = ridgepoint::activation::tanh;  // a fusable one
  [[no_unique_address]] named_act activation = {};
  initialiser initial = glorot_uniform;            // of wx; b starts at 0
  initialiser recurrent_initial = glorot_uniform;  // of wh

  /// Throws: shape_error for an input that is not a sequence or no units.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
  /// On slots laid out by an enclosing layer.
  void forward(lowering& to, const detail::recurrent_slots& s) const;
  void backward(lowering& to, const detail::recurrent_slots& s) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Merging of the outputs of the two directions: side by side, their sum, or their mean.
enum class merge_rule : std::uint8_t { concat, sum, average };

namespace detail {

/// Two results of `rows` rows of `units` values each, one after the other in one slot, and their merged output.
struct merged_slots {
  slot both = {};
  index_t rows = 0, units = 0;

  [[nodiscard]] values_of half(const lowering& to, std::size_t i) const {
    return values_of::slot_from(to, both, static_cast<index_t>(i) * rows * units);
  }
  /// Writes the layer's output.
  void merge(lowering& to, merge_rule rule) const;
  /// Writes the gradients of both from that of the output; for a sum, both use it directly.
  void split(lowering& to, merge_rule rule) const;

 private:
  /// Views both as the two rows of an image; the merged output is its mean over windows of height 2.
  [[nodiscard]] pool2d_geometry column() const noexcept {
    return {.n = 1, .h = 2, .w = rows, .c = units, .kh = 2, .kw = 1};
  }
};

}  // namespace detail

namespace nn {

/// A recurrent layer run from the first step to the last and, with separate parameters, from the last to the first:
/// (t, in) → (t, 2·units), or (2·units) of the two last states, with `concat`; half as wide with `sum` and `average`.
/// Parameters are named "forward.wx" and "backward.wx".
///
/// The second direction reads the sequence backwards in place. With `concat`, sequences are written directly to their
/// columns.
/// Example: x | nn::bidirectional<nn::lstm>{.cell = {.units = 64, .sequences = true}, .merge = rp::merge_rule::sum}
template <class Cell>
struct bidirectional {
  static constexpr std::string_view name = "bidirectional";
  Cell cell = {};  // nn::rnn, nn::lstm or nn::gru
  merge_rule merge = merge_rule::concat;

  /// Throws: as the cell's output(); value_error for an unknown rule or a stateful cell.
  [[nodiscard]] shape output(const shape& in) const {
    require<value_error>(merge <= merge_rule::average, name, ": merge is number ", static_cast<int>(merge),
                         "; must be concat, sum or average");
    require<value_error>(!cell.stateful, name,
                         ": its cell is stateful; must not be: the state for the backward direction",
                         " would come from the next batch");
    const shape one = cell.output(in);
    const index_t units = merge == merge_rule::concat ? checked_mul(2, one[-1]) : one[-1];
    return one.rank() == 2 ? shape{one[0], units} : shape{units};
  }
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const {
    std::vector<parameter> both;
    for (const char* const direction : {"forward.", "backward."})
      for (parameter& p : cell.parameters(in)) {
        p.name = direction + p.name;
        both.push_back(std::move(p));
      }
    return both;
  }
  void forward(lowering& to) const {
    std::array<detail::recurrent_slots, 2> each = directions(to);
    detail::merged_slots results = merged(each[0].g);
    if (cell.sequences && !side_by_side()) results.both = each[0].y.in;
    if (!cell.sequences) results.both = to.scratch(2 * results.rows * results.units);
    for (const std::size_t i : {0U, 1U}) {
      if (!cell.sequences) each[i].last = results.half(to, i);
      cell.forward(to, each[i]);
    }
    if (results.both.exists()) results.merge(to, merge);
  }
  void backward(lowering& to) const {
    std::array<detail::recurrent_slots, 2> each = directions(to);
    detail::merged_slots results = merged(each[0].g);
    if (!side_by_side() && merge != merge_rule::sum) {
      results.both = to.scratch(2 * results.rows * results.units);
      results.split(to, merge);
    }
    const bool wants_dx = to.needs_input_gradient();
    for (const std::size_t i : {0U, 1U}) {
      detail::recurrent_slots& s = each[i];
      const index_t column = side_by_side() ? static_cast<index_t>(i) * s.g.width() : 0;
      const auto dy =
          results.both.exists() ? results.half(to, i) : detail::values_of::slot_from(to, to.output_gradient(), column);
      (cell.sequences ? s.dy : s.dlast) = dy;
      if (wants_dx)
        s.dx = detail::values_of::slot_from(to, i == 0 ? to.input_gradient() : to.scratch(to.input_shape().size()));
      s.learn(to);
      cell.backward(to, s);
    }
    if (!wants_dx) return;
    to.add_call({.shape = to_string(to.input_shape())},
                [=, size = to.input_shape().size(), dx = each[0].dx.in, more = each[1].dx.in](const addresses& at) {
                  return add_args<stored>{.size = size, .a = at(dx), .b = at(more), .y = at(dx)};
                });
  }

 private:
  /// Returns true if each direction writes its own columns of the output.
  [[nodiscard]] bool side_by_side() const noexcept { return cell.sequences && merge == merge_rule::concat; }
  /// Sets up input, parameters and outputs of both directions. Their outputs are saved after the memory that each cell
  /// saves.
  [[nodiscard]] std::array<detail::recurrent_slots, 2> directions(lowering& to) const {
    const shape& in = to.input_shape();
    const std::size_t each = cell.parameters({in[1], in[2]}).size();
    constexpr std::size_t kept = detail::recurrent_slots::kept_by_a_cell;
    std::array both{detail::recurrent_slots::part(to, cell), detail::recurrent_slots::part(to, cell, each, kept)};
    both[1].backwards = true;
    const index_t states = both[0].g.states(), width = both[0].g.width();
    slot sequences;
    if (side_by_side()) sequences = to.output();
    else if (cell.sequences) sequences = to.training() ? to.saved(2 * kept, 2 * states) : to.scratch(2 * states);
    for (const std::size_t i : {0U, 1U}) {
      detail::recurrent_slots& s = both[i];
      if (cell.sequences)
        s.y = detail::values_of::slot_from(to, sequences, static_cast<index_t>(i) * (side_by_side() ? width : states));
      else if (to.training()) s.y = detail::values_of::slot_from(to, to.saved(s.first_saved, states));
      if (side_by_side()) s.y_row = 2 * width;
    }
    return both;
  }
  /// Slots to merge: all steps, or the last ones.
  [[nodiscard]] detail::merged_slots merged(const recurrent_geometry& g) const {
    return {.rows = cell.sequences ? g.n * g.steps : g.n, .units = g.width()};
  }
};

/// A recurrent layer of a sequence (t, in) and a mask (t) of i32: steps with mask 0 are skipped, as in sequence_mask.
/// Both directions of a bidirectional layer skip the same steps, so that each sample is computed independently.
template <class Cell>
struct masked {
  static constexpr std::string_view name = Cell::name;
  Cell cell = {};  // nn::rnn, nn::lstm, nn::gru or nn::bidirectional of one of them

  [[nodiscard]] static constexpr element input_type(std::size_t i) noexcept {
    return i == 0 ? element::stored : element::i32;
  }
  /// Throws: as the cell's output(); shape_error unless there is a mask with a value for each step.
  [[nodiscard]] shape output(std::span<const shape> in) const {
    require<shape_error>(in.size() == 2, name, ": has ", in.size(), " inputs; must have a sequence and its mask");
    const shape y = cell.output(in[0]);
    require<shape_error>(in[1] == shape{in[0][0]}, name, ": mask is ", in[1], "; must be ", in[0][0]);
    return y;
  }
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const { return cell.parameters(in); }
  void forward(lowering& to) const { cell.forward(to); }
  void backward(lowering& to) const { cell.backward(to); }
};

}  // namespace nn

/// Applies a recurrent layer to x, skipping steps where `mask` is 0. Token ids can serve as the mask if 0 is padding:
/// mask_zero of Keras.
/// Throws: as nn::masked; value_error unless the mask is of i32, and both are nodes of one graph.
/// Example:
///   const rp::node ids = net.input({80}, rp::element::i32);
///   const rp::node y = rp::masked(ids | nn::embedding{.vocabulary = 512, .width = 100}, ids, nn::lstm{.units = 64});
template <class Cell>
[[nodiscard]] node masked(const node& x, const node& mask, Cell cell) {
  const node inputs[] = {x, mask};
  return apply(any_layer(nn::masked<Cell>{std::move(cell)}), inputs);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::lstm>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::gru>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::rnn>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::bidirectional<nn::rnn>>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::bidirectional<nn::lstm>>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::bidirectional<nn::gru>>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::masked<nn::rnn>>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::masked<nn::lstm>>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::masked<nn::gru>>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/recurrent-inl.hpp>
#endif

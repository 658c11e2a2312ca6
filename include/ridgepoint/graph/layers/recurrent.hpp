// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/recurrent.hpp>

/// \file
/// What the layers rnn, lstm and gru share. Inside a graph the batch is outermost: a sequence is (batch, t, width).
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The units and gates of a layer, and what its state is projected to, without extents of an input.
template <class Layer>
[[nodiscard]] recurrent_geometry recurrent_cells(const Layer& l) {
  recurrent_geometry g{.units = l.units, .gates = Layer::gates};
  if constexpr (requires { l.projection; }) g.projected = l.projection;
  return g;
}
/// (t, in) → (t, width), or (width) of the last step; width: units, or what they are projected to.
/// Throws: shape_error for an input that is no sequence, no units or a negative projection.
template <class Layer>
[[nodiscard]] shape recurrent_output(const Layer& l, const shape& in) {
  const recurrent_geometry g = recurrent_cells(l);
  require<shape_error>(l.units > 0, Layer::name, ": units is ", l.units, "; must be > 0");
  require<shape_error>(g.projected >= 0, Layer::name, ": projection is ", g.projected, "; must be >= 0");
  require<shape_error>(in.rank() == 2 && in.size() > 0, Layer::name, ": input is ", in, "; must be steps x features");
  return l.sequences ? shape{in[0], g.width()} : shape{g.width()};
}
/// wx (in, gates·units), wh (width, gates·units) and b (gates·units), whose parts are gates.
[[nodiscard]] std::vector<parameter> recurrent_parameters(const shape& in, const recurrent_geometry& cells,
                                                          initialiser initial, initialiser recurrent_initial,
                                                          std::vector<initialiser> bias);

/// Values of a slot, from number `first` on.
struct values_of {
  slot in = {};
  index_t first = 0;
  index_t each_bytes = 0;

  [[nodiscard]] static values_of slot_from(const lowering& to, slot in, index_t first = 0) {
    return {in, first, static_cast<index_t>(in.exists() ? bytes_of(to.type(in)) : 0)};
  }
  /// The value `further` behind the first one; null if there is no slot.
  [[nodiscard]] address at(const addresses& all, index_t further = 0) const noexcept {
    std::byte* const begin = all(in);
    return address(begin == nullptr ? nullptr : begin + (first + further) * each_bytes);
  }
};

/// The slots of one recurrence, and its operands once they have addresses. A layer that has several lays them out
/// itself: which parameters and what kept memory are whose, where outputs lie, and in what direction steps go.
struct recurrent_slots {
  recurrent_geometry g = {};
  bool backwards = false;                            // from the last step to the first
  std::size_t first_parameter = 0, first_saved = 0;  // of the layer's
  index_t y_row = 0;                                 // values from step to step of y and dy
  static constexpr std::size_t kept_by_a_cell = 4;   // numbers of kept memory that are a recurrence's own
  slot wx = {}, wh = {}, b = {}, dwx = {}, dwh = {}, db = {};
  slot h0 = {};  // where the batch before has ended; none: zeros
  values_of x = {}, y = {}, last = {}, dy = {}, dlast = {}, dx = {}, mask = {};

  /// Of a layer's only recurrence; while training the whole sequence is kept even if only its last step is the output.
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
  /// Carries the layer's output on where that is the last state.
  static void carry_output(lowering& to, const auto& layer) {
    const shape& y = to.output_shape();
    if (layer.stateful && !layer.sequences) copy(to, to.output(), to.carried(0, y.size()), y[-1]);
  }
  /// State number i, h or c, from batch to batch.
  [[nodiscard]] slot state(lowering& to, std::size_t i) const { return to.carried(i, g.n * state_width(i)); }
  /// That of the batch before, copied to where it stays until the backward pass has read it.
  [[nodiscard]] slot state_before(lowering& to, std::size_t i) const {
    const slot begin = to.training() ? state_of_step(to, i) : to.scratch(g.n * state_width(i));
    copy(to, state(to, i), begin, state_width(i));
    return begin;
  }
  [[nodiscard]] slot state_of_step(lowering& to, std::size_t i) const {
    return to.saved(kept_by_a_cell + i, g.n * state_width(i));
  }
  /// Of the recurrence of `cell` whose parameters and kept memory begin with these numbers: input and parameters.
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
  /// Asks for the gradients of the parameters.
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

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/layers/recurrent-inl.hpp>
#endif

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>
#include <ridgepoint/ops/recurrent.hpp>

/// \file
/// What the layers rnn, lstm and gru share. Inside a graph the batch is outermost: a sequence is (batch, t, width).
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// (t, in) → (t, units), or (units) of the last step.
/// Throws: shape_error for an input that is no sequence or no units.
template <class Layer>
[[nodiscard]] shape recurrent_output(const Layer& l, const shape& in) {
  require<shape_error>(l.units > 0, Layer::name, ": units is ", l.units, "; must be > 0");
  require<shape_error>(in.rank() == 2 && in.size() > 0, Layer::name, ": input is ", in, "; must be steps x features");
  return l.sequences ? shape{in[0], l.units} : shape{l.units};
}
/// wx (in, gates·units), wh (units, gates·units) and b (gates·units), whose parts are gates.
[[nodiscard]] std::vector<parameter> recurrent_parameters(const shape& in, index_t units, index_t gates,
                                                          initialiser initial, std::vector<initialiser> bias);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION std::vector<parameter> recurrent_parameters(const shape& in, index_t units, index_t gates,
                                                                  initialiser initial, std::vector<initialiser> bias) {
  const index_t columns = gates * units;
  return {{.name = "wx", .extents = {in[-1], columns}, .initial = initial, .fan = {in[-1], columns}},
          {.name = "wh", .extents = {units, columns}, .initial = initial, .fan = {units, columns}},
          {.name = "b", .extents = {columns}, .parts = std::move(bias)}};
}
#endif

/// The slots of one recurrent layer, and its operands once they have addresses.
struct recurrent_slots {
  recurrent_geometry g = {};
  slot x = {}, wx = {}, wh = {}, b = {}, y = {}, last = {};
  slot dy = {}, dlast = {}, dx = {}, dwx = {}, dwh = {}, db = {};

  /// Of the forward pass; while training the whole sequence is kept even if only its last step is the output.
  [[nodiscard]] static recurrent_slots forward(lowering& to, const auto& layer, index_t gates) {
    recurrent_slots s = common(to, layer, gates);
    if (!layer.sequences) s.last = to.output();
    return s;
  }
  [[nodiscard]] static recurrent_slots backward(lowering& to, const auto& layer, index_t gates) {
    recurrent_slots s = common(to, layer, gates);
    (layer.sequences ? s.dy : s.dlast) = to.output_gradient();
    if (to.needs_input_gradient()) s.dx = to.input_gradient();
    s.dwx = to.parameter_gradient(0), s.dwh = to.parameter_gradient(1), s.db = to.parameter_gradient(2);
    return s;
  }
  [[nodiscard]] call_info info() const {
    return {.pass = dx.exists() || !dwx.exists() ? pass::forward : pass::backward_weights,  // forward: as it is lowered
            .shape = to_string(g)};
  }
  [[nodiscard]] recurrent<stored> forward_operands(const addresses& at) const {
    return {.x = sequence<const stored>(at(x), g.in),
            .wx = at(wx),
            .wh = at(wh),
            .bias = at(b),
            .y = sequence<stored>(at(y), g.units),
            .last = at(last)};
  }
  [[nodiscard]] recurrent_backward<stored> backward_operands(const addresses& at) const {
    return {.x = sequence<const stored>(at(x), g.in),
            .wx = at(wx),
            .wh = at(wh),
            .y = sequence<const stored>(at(y), g.units),
            .dy = sequence<const stored>(at(dy), g.units),
            .dlast = at(dlast),
            .dx = sequence<stored>(at(dx), g.in),
            .dwx = at(dwx),
            .dwh = at(dwh),
            .db = at(db)};
  }

 private:
  [[nodiscard]] static recurrent_slots common(lowering& to, const auto& layer, index_t gates) {
    const shape& in = to.input_shape();
    recurrent_slots s{.g = {.steps = in[1], .n = in[0], .in = in[2], .units = layer.units, .gates = gates}};
    s.x = to.input(), s.wx = to.parameter(0), s.wh = to.parameter(1), s.b = to.parameter(2);
    if (layer.sequences) s.y = to.output();
    else if (to.training()) s.y = to.saved(0, s.g.cells());
    return s;
  }
  template <class U>
  [[nodiscard]] sequence_view<U> sequence(U* data, index_t width) const {
    return sequence_view<U>::sample_major(data, g.steps, g.n, width);
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

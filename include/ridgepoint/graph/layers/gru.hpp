// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/recurrent.hpp>
#include <ridgepoint/ops/gru.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Gated recurrent unit over a sequence (t, in), from a state of zeros: gives the last state (units), or all of them,
/// (t, units), with sequences. Gates along the columns of wx, wh and b: r, z, n; with reset-after there is a recurrent
/// bias rb as well.
///
/// A stateful one begins where the batch before has ended, sample i with the state of sample i, until reset_state() of
/// the trainer or session; what is learnt does not reach back into that batch.
struct gru {
  static constexpr std::string_view name = "gru";
  static constexpr index_t gates = gru_gates;
  index_t units = 0;  // to be given
  bool sequences = false;
  bool stateful = false;
  gru_reset reset = gru_reset::before;
  activation gate = activation::sigmoid;           // or hard_sigmoid
  initialiser initial = glorot_uniform;            // of wx
  initialiser recurrent_initial = glorot_uniform;  // of wh
  initialiser gate_bias = zeros;                   // of b for r and z; the others start at 0

  /// Throws: shape_error for an input that is no sequence or no units; value_error for gates of another function.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
  /// The same of slots that a layer around this one lays out.
  void forward(lowering& to, const detail::recurrent_slots& s) const;
  void backward(lowering& to, const detail::recurrent_slots& s) const;

 private:
  [[nodiscard]] index_t saved() const noexcept { return gru_args<stored>::saved(reset); }
};
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION shape gru::output(const shape& in) const {
  detail::check_gate(name, gate);
  return detail::recurrent_output(*this, in);
}
RIDGEPOINT_DEFINITION std::vector<parameter> gru::parameters(const shape& in) const {
  auto all = detail::recurrent_parameters(in, detail::recurrent_cells(*this), initial, recurrent_initial,
                                          {gate_bias, gate_bias, zeros});
  if (reset == gru_reset::after) all.push_back({.name = "rb", .extents = {gru_gates * units}});
  return all;
}
RIDGEPOINT_DEFINITION void gru::forward(lowering& to) const {
  forward(to, detail::recurrent_slots::forward(to, *this));
  detail::recurrent_slots::carry_output(to, *this);
}
RIDGEPOINT_DEFINITION void gru::forward(lowering& to, const detail::recurrent_slots& s) const {
  const slot rb = reset == gru_reset::after ? to.parameter(s.first_parameter + 3) : slot{};
  const slot all = to.training() ? to.saved(s.first_saved + 1, saved() * s.g.cells()) : slot{};
  to.emit(s.info(), [=, r = reset, f = gate](const addresses& at) {
    return gru_args<stored>{
        .operands = s.forward_operands(at), .reset = r, .recurrent_bias = at(rb), .gates = at(all), .gate = f};
  });
}
RIDGEPOINT_DEFINITION void gru::backward(lowering& to) const {
  backward(to, detail::recurrent_slots::backward(to, *this));
}
RIDGEPOINT_DEFINITION void gru::backward(lowering& to, const detail::recurrent_slots& s) const {
  const slot drb = reset == gru_reset::after ? to.parameter_gradient(s.first_parameter + 3) : slot{};
  const slot all = to.saved(s.first_saved + 1, saved() * s.g.cells());
  to.emit(s.info(), [=, r = reset, f = gate](const addresses& at) {
    return gru_backward_args<stored>{
        .operands = s.backward_operands(at), .reset = r, .gates = at(all), .drecurrent_bias = at(drb), .gate = f};
  });
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::gru>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif

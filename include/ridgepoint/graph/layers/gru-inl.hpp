// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/gru.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

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
  to.add_call(s.info(), [=, r = reset, f = gate](const addresses& at) {
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
  to.add_call(s.info(), [=, r = reset, f = gate](const addresses& at) {
    return gru_backward_args<stored>{
        .operands = s.backward_operands(at), .reset = r, .gates = at(all), .drecurrent_bias = at(drb), .gate = f};
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

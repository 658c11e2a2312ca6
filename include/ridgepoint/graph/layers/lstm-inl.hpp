// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/lstm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace nn {

RIDGEPOINT_DEFINITION shape lstm::output(const shape& in) const {
  detail::check_gate(name, gate);
  return detail::recurrent_output(*this, in);
}
RIDGEPOINT_DEFINITION std::vector<parameter> lstm::parameters(const shape& in) const {
  auto all = detail::recurrent_parameters(in, detail::recurrent_cells(*this), initial, recurrent_initial,
                                          {zeros, forget_bias, zeros, zeros});
  if (projection > 0)
    all.push_back(
        {.name = "wp", .extents = {units, projection}, .initial = projection_initial, .fan = {units, projection}});
  return all;
}
RIDGEPOINT_DEFINITION void lstm::forward(lowering& to) const {
  forward(to, detail::recurrent_slots::forward(to, *this));
  detail::recurrent_slots::carry_output(to, *this);
}
RIDGEPOINT_DEFINITION void lstm::forward(lowering& to, const detail::recurrent_slots& s) const {
  detail::lstm_slots cells = saved_cells(to, s);
  if (stateful) cells.c0 = s.state_before(to, 1);
  const slot last_c = stateful ? s.state(to, 1) : slot{};
  const auto add_call = [&]<class Args>(std::type_identity<Args>) {
    to.add_call(s.info(), [=](const addresses& at) {
      Args args = cells.args<Args>(at, s.forward_operands(at));
      args.last_c = at(last_c);
      return args;
    });
  };
  if (projection == 0) return add_call(std::type_identity<lstm_args<stored>>{});
  project(to, s, cells);
  add_call(std::type_identity<projected_lstm_args<stored>>{});
}
RIDGEPOINT_DEFINITION void lstm::backward(lowering& to) const {
  backward(to, detail::recurrent_slots::backward(to, *this));
}
RIDGEPOINT_DEFINITION void lstm::backward(lowering& to, const detail::recurrent_slots& s) const {
  detail::lstm_slots cells = saved_cells(to, s);
  if (stateful) cells.c0 = s.state_of_step(to, 1);
  if (projection == 0)
    return to.add_call(s.info(), [=](const addresses& at) {
      return cells.args<lstm_backward_args<stored>>(at, s.backward_operands(at));
    });
  project(to, s, cells);
  to.add_call(s.info(), [=, dwp = to.parameter_gradient(s.first_parameter + 3)](const addresses& at) {
    auto args = cells.args<projected_lstm_backward_args<stored>>(at, s.backward_operands(at));
    args.dwp = at(dwp);
    return args;
  });
}
RIDGEPOINT_DEFINITION detail::lstm_slots lstm::saved_cells(lowering& to, const detail::recurrent_slots& s) const {
  return {.c = kept(to, s.first_saved + 1, s.g.cells()),
          .gates = kept(to, s.first_saved + 2, gates * s.g.cells()),
          .units = units,
          .gate = gate};
}
RIDGEPOINT_DEFINITION void lstm::project(lowering& to, const detail::recurrent_slots& s, detail::lstm_slots& cells) {
  cells.h = kept(to, s.first_saved + 3, s.g.cells());
  cells.wp = to.parameter(s.first_parameter + 3);
}
RIDGEPOINT_DEFINITION slot lstm::kept(lowering& to, std::size_t i, index_t count) {
  return to.training() ? to.saved(i, count) : slot{};
}

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

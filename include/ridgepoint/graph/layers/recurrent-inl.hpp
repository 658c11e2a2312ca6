// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/recurrent.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/ops/concat_channels.hpp>
#include <ridgepoint/ops/pad_channels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

RIDGEPOINT_DEFINITION std::vector<parameter> recurrent_parameters(const shape& in, const recurrent_geometry& cells,
                                                                  initialiser initial, initialiser recurrent_initial,
                                                                  std::vector<initialiser> bias) {
  const index_t columns = cells.columns(), width = cells.width();
  return {{.name = "wx", .extents = {in[-1], columns}, .initial = initial, .fan = {in[-1], columns}},
          {.name = "wh", .extents = {width, columns}, .initial = recurrent_initial, .fan = {width, columns}},
          {.name = "b", .extents = {columns}, .parts = std::move(bias)}};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

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

RIDGEPOINT_DEFINITION shape rnn::output(const shape& in) const {
  check_fusable(name, act);
  return detail::recurrent_output(*this, in);
}
RIDGEPOINT_DEFINITION std::vector<parameter> rnn::parameters(const shape& in) const {
  return detail::recurrent_parameters(in, detail::recurrent_cells(*this), initial, recurrent_initial, {zeros});
}
RIDGEPOINT_DEFINITION void rnn::forward(lowering& to) const {
  forward(to, detail::recurrent_slots::forward(to, *this));
  detail::recurrent_slots::carry_output(to, *this);
}
RIDGEPOINT_DEFINITION void rnn::forward(lowering& to, const detail::recurrent_slots& s) const {
  to.add_call(s.info(), [=, f = act](const addresses& at) {
    return rnn_args<stored>{.operands = s.forward_operands(at), .act = f};
  });
}
RIDGEPOINT_DEFINITION void rnn::backward(lowering& to) const {
  backward(to, detail::recurrent_slots::backward(to, *this));
}
RIDGEPOINT_DEFINITION void rnn::backward(lowering& to, const detail::recurrent_slots& s) const {
  to.add_call(s.info(), [=, f = act](const addresses& at) {
    return rnn_backward_args<stored>{.operands = s.backward_operands(at), .act = f};
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

RIDGEPOINT_DEFINITION void merged_slots::merge(lowering& to, merge_rule rule) const {
  const values_of first = half(to, 0), second = half(to, 1);
  const slot y = to.output();
  const std::string text = to_string(to.output_shape());
  if (rule == merge_rule::sum)
    to.add_call({.shape = text}, [=, size = rows * units](const addresses& at) {
      return add_args<stored>{.size = size, .a = first.at(at), .b = second.at(at), .y = at(y)};
    });
  else if (rule == merge_rule::average)
    to.add_call({.shape = text}, [=, x = both, g = column()](const addresses& at) {
      return avg_pool2d_args<stored>{.geometry = g, .x = at(x), .y = at(y)};
    });
  else
    to.add_call({.shape = text}, [=, r = rows, u = units](const addresses& at) {
      return concat_channels_args<stored>{
          .a = {first.at(at), r, u}, .b = {second.at(at), r, u}, .y = {at(y), r, 2 * u}};
    });
}
RIDGEPOINT_DEFINITION void merged_slots::split(lowering& to, merge_rule rule) const {
  const slot dy = to.output_gradient();
  const std::string text = to_string(to.output_shape());
  if (rule == merge_rule::average) {
    to.add_call({.shape = text}, [=, dx = both, g = column()](const addresses& at) {
      return avg_pool2d_backward_args<stored>{.geometry = g, .dy = at(dy), .dx = at(dx)};
    });
    return;
  }
  for (const std::size_t i : {0U, 1U})
    to.add_call({.shape = text}, [=, dx = half(to, i), r = rows, u = units,
                                  before = static_cast<index_t>(i) * units](const addresses& at) {
      return pad_channels_backward_args<stored>{.before = before, .dy = {at(dy), r, 2 * u}, .dx = {dx.at(at), r, u}};
    });
}

}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/gru.hpp>

#include "support/recurrent_case.hpp"

/// Arguments and operands of a GRU under test.
namespace agreement {

template <class S>
ridgepoint::gru_args<S> gru_args_of(const recurrent_case& c, ridgepoint::gru_reset reset, const std::vector<S*>& p,
                                    bool saved) {
  return {.operands = {.x = c.sequence<const S>(p[0], c.in),
                       .wx = p[1],
                       .wh = p[2],
                       .bias = p[3],
                       .h0 = c.states ? p[4] : nullptr,
                       .y = c.sequence<S>(c.whole ? p[6] : nullptr, c.units),
                       .last = c.whole && !c.states ? nullptr : p[7],
                       .mask = c.steps_that_count()},
          .reset = reset,
          .recurrent_bias = reset == ridgepoint::gru_reset::after && c.states ? p[5] : nullptr,
          .gates = saved ? p[8] : nullptr,
          .gate = c.gate()};
}
template <class T>
std::vector<operand> gru_operands(const recurrent_case& c, ridgepoint::gru_reset reset) {
  const index_t cells = c.steps * c.n * c.units, state = c.n * c.units;
  return {random_values<T>(c.steps * c.n * c.in, 1),
          random_values<T>(c.in * 3 * c.units, 2, -0.5, 0.5),
          random_values<T>(c.units * 3 * c.units, 3, -0.5, 0.5),
          random_values<T>(3 * c.units, 4),
          random_values<T>(state, 5),
          random_values<T>(3 * c.units, 6),
          output(cells),
          output(state),
          output(ridgepoint::gru_args<T>::saved(reset) * cells)};
}
template <class S>
ridgepoint::gru_backward_args<S> gru_gradient_of(const recurrent_case& c, ridgepoint::gru_reset reset,
                                                 const std::vector<S*>& p) {
  return {.operands = {.x = c.sequence<const S>(p[0], c.in),
                       .wx = p[1],
                       .wh = p[2],
                       .h0 = c.states ? p[3] : nullptr,
                       .y = c.sequence<const S>(p[4], c.units),
                       .dy = c.sequence<const S>(c.whole ? p[5] : nullptr, c.units),
                       .dlast = c.whole && !c.states ? nullptr : p[6],
                       .dx = c.sequence<S>(c.states ? p[8] : nullptr, c.in),
                       .dwx = p[9],
                       .dwh = p[10],
                       .db = p[11],
                       .dh0 = c.states ? p[12] : nullptr,
                       .mask = c.steps_that_count()},
          .reset = reset,
          .gates = p[7],
          .drecurrent_bias = reset == ridgepoint::gru_reset::after && c.states ? p[13] : nullptr,
          .gate = c.gate()};
}
template <class T>
std::vector<operand> gru_gradient_operands(const recurrent_case& c, ridgepoint::gru_reset reset) {
  const index_t rows = c.steps * c.n, cells = rows * c.units, state = c.n * c.units;
  return {random_values<T>(rows * c.in, 1),
          random_values<T>(c.in * 3 * c.units, 2, -0.5, 0.5),
          random_values<T>(c.units * 3 * c.units, 3, -0.5, 0.5),
          random_values<T>(state, 4),
          random_values<T>(cells, 5, -1, 1),
          random_values<T>(cells, 6),
          random_values<T>(state, 7),
          random_values<T>(ridgepoint::gru_args<T>::saved(reset) * cells, 8, 0, 1),
          output(rows * c.in),
          output(c.in * 3 * c.units),
          output(c.units * 3 * c.units),
          output(3 * c.units),
          output(state),
          output(3 * c.units)};
}

}  // namespace agreement

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/lstm.hpp>

#include "support/recurrent_case.hpp"

/// Arguments and operands of an LSTM under test.
namespace agreement {

template <class S>
ridgepoint::lstm_args<S> lstm_args_of(const recurrent_case& c, const std::vector<S*>& p, bool saved) {
  return {.operands = {.x = c.sequence<const S>(p[0], c.in),
                       .wx = p[1],
                       .wh = p[2],
                       .bias = p[3],
                       .h0 = c.states ? p[4] : nullptr,
                       .y = c.sequence<S>(c.whole ? p[6] : nullptr, c.units),
                       .last = c.whole && !c.states ? nullptr : p[7],
                       .mask = c.steps_that_count()},
          .c0 = c.states ? p[5] : nullptr,
          .c = saved ? p[8] : nullptr,
          .gates = saved ? p[9] : nullptr,
          .last_c = c.states ? p[10] : nullptr,
          .gate = c.gate()};
}
template <class T>
std::vector<operand> lstm_operands(const recurrent_case& c) {
  const index_t cells = c.steps * c.n * c.units, state = c.n * c.units;
  return {random_values<T>(c.steps * c.n * c.in, 1),
          random_values<T>(c.in * 4 * c.units, 2, -0.5, 0.5),
          random_values<T>(c.units * 4 * c.units, 3, -0.5, 0.5),
          random_values<T>(4 * c.units, 4),
          random_values<T>(state, 5),
          random_values<T>(state, 6),
          output(cells),
          output(state),
          output(cells),
          output(4 * cells),
          output(state)};
}
template <class S>
ridgepoint::lstm_backward_args<S> lstm_gradient_of(const recurrent_case& c, const std::vector<S*>& p) {
  return {.operands = {.x = c.sequence<const S>(p[0], c.in),
                       .wx = p[1],
                       .wh = p[2],
                       .h0 = c.states ? p[3] : nullptr,
                       .y = c.sequence<const S>(p[5], c.units),
                       .dy = c.sequence<const S>(c.whole ? p[6] : nullptr, c.units),
                       .dlast = c.whole && !c.states ? nullptr : p[7],
                       .dx = c.sequence<S>(c.states ? p[10] : nullptr, c.in),
                       .dwx = p[11],
                       .dwh = p[12],
                       .db = p[13],
                       .dh0 = c.states ? p[14] : nullptr,
                       .mask = c.steps_that_count()},
          .c0 = c.states ? p[4] : nullptr,
          .c = p[8],
          .gates = p[9],
          .dc0 = c.states ? p[15] : nullptr,
          .dlast_c = c.states ? p[16] : nullptr,
          .gate = c.gate()};
}
template <class T>
std::vector<operand> lstm_gradient_operands(const recurrent_case& c) {
  const index_t rows = c.steps * c.n, cells = rows * c.units, state = c.n * c.units;
  return {random_values<T>(rows * c.in, 1),
          random_values<T>(c.in * 4 * c.units, 2, -0.5, 0.5),
          random_values<T>(c.units * 4 * c.units, 3, -0.5, 0.5),
          random_values<T>(state, 4),
          random_values<T>(state, 5),
          random_values<T>(cells, 6, -1, 1),
          random_values<T>(cells, 7),
          random_values<T>(state, 8),
          random_values<T>(cells, 9),
          random_values<T>(4 * cells, 10, 0, 1),
          output(rows * c.in),
          output(c.in * 4 * c.units),
          output(c.units * 4 * c.units),
          output(4 * c.units),
          output(state),
          output(state),
          random_values<T>(state, 11)};
}

}  // namespace agreement

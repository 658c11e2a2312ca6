// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/rnn.hpp>

#include "support/recurrent_case.hpp"

/// Arguments and operands of a recurrent layer under test.
namespace agreement {

template <class S>
ridgepoint::rnn_args<S> rnn_args_of(const recurrent_case& c, ridgepoint::activation act, const std::vector<S*>& p) {
  return {.operands = {.x = c.sequence<const S>(p[0], c.in),
                       .wx = p[1],
                       .wh = p[2],
                       .bias = c.whole ? p[3] : nullptr,
                       .h0 = c.states ? p[4] : nullptr,
                       .y = c.sequence<S>(c.whole ? p[5] : nullptr, c.units),
                       .last = c.whole && !c.states ? nullptr : p[6],
                       .mask = c.steps_that_count()},
          .act = act};
}
template <class T>
std::vector<operand> rnn_operands(const recurrent_case& c) {
  return {random_values<T>(c.steps * c.n * c.in, 1),
          random_values<T>(c.in * c.units, 2, -0.5, 0.5),
          random_values<T>(c.units * c.units, 3, -0.5, 0.5),
          random_values<T>(c.units, 4),
          random_values<T>(c.n * c.units, 5),
          output(c.steps * c.n * c.units),
          output(c.n * c.units)};
}
template <class S>
ridgepoint::rnn_backward_args<S> rnn_gradient_of(const recurrent_case& c, ridgepoint::activation act,
                                                 const std::vector<S*>& p) {
  return {.operands = {.x = c.sequence<const S>(p[0], c.in),
                       .wx = p[1],
                       .wh = p[2],
                       .h0 = c.states ? p[3] : nullptr,
                       .y = c.sequence<const S>(p[4], c.units),
                       .dy = c.sequence<const S>(c.whole ? p[5] : nullptr, c.units),
                       .dlast = c.whole && !c.states ? nullptr : p[6],
                       .dx = c.sequence<S>(c.states ? p[7] : nullptr, c.in),
                       .dwx = p[8],
                       .dwh = p[9],
                       .db = c.whole ? p[10] : nullptr,
                       .dh0 = c.states ? p[11] : nullptr,
                       .mask = c.steps_that_count()},
          .act = act};
}
template <class T>
std::vector<operand> rnn_gradient_operands(const recurrent_case& c) {
  const index_t rows = c.steps * c.n, cells = rows * c.units, state = c.n * c.units;
  return {random_values<T>(rows * c.in, 1),
          random_values<T>(c.in * c.units, 2, -0.5, 0.5),
          random_values<T>(c.units * c.units, 3, -0.5, 0.5),
          random_values<T>(state, 4),
          random_values<T>(cells, 5, -1, 1),
          random_values<T>(cells, 6),
          random_values<T>(state, 7),
          output(rows * c.in),
          output(c.in * c.units),
          output(c.units * c.units),
          output(c.units),
          output(state)};
}

}  // namespace agreement

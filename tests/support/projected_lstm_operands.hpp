// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/projected_lstm.hpp>

#include "support/recurrent_case.hpp"

/// Arguments and operands of an LSTM with a projected state under test.
namespace agreement {

/// Test case of a projection to p values.
struct projected_case : recurrent_case {
  index_t p = 1;
};

template <class S>
ridgepoint::projected_lstm_args<S> projected_args_of(const projected_case& c, const std::vector<S*>& p, bool saved) {
  return {.operands = {.x = c.sequence<const S>(p[0], c.in),
                       .wx = p[1],
                       .wh = p[2],
                       .bias = c.whole ? p[4] : nullptr,
                       .h0 = c.states ? p[5] : nullptr,
                       .y = c.sequence<S>(c.whole ? p[7] : nullptr, c.p),
                       .last = c.whole && !c.states ? nullptr : p[8],
                       .mask = c.steps_that_count()},
          .units = c.units,
          .wp = p[3],
          .c0 = c.states ? p[6] : nullptr,
          .c = saved ? p[9] : nullptr,
          .gates = saved ? p[10] : nullptr,
          .h = saved ? p[11] : nullptr,
          .last_c = c.states ? p[12] : nullptr,
          .gate = c.gate()};
}
template <class T>
std::vector<operand> projected_operands(const projected_case& c) {
  const index_t rows = c.steps * c.n, cells = rows * c.units;
  return {random_values<T>(rows * c.in, 1),
          random_values<T>(c.in * 4 * c.units, 2, -0.5, 0.5),
          random_values<T>(c.p * 4 * c.units, 3, -0.5, 0.5),
          random_values<T>(c.units * c.p, 4, -0.5, 0.5),
          random_values<T>(4 * c.units, 5),
          random_values<T>(c.n * c.p, 6),
          random_values<T>(c.n * c.units, 7),
          output(rows * c.p),
          output(c.n * c.p),
          output(cells),
          output(4 * cells),
          output(cells),
          output(c.n * c.units)};
}
template <class S>
ridgepoint::projected_lstm_backward_args<S> projected_gradient_of(const projected_case& c, const std::vector<S*>& p) {
  return {.operands = {.x = c.sequence<const S>(p[0], c.in),
                       .wx = p[1],
                       .wh = p[2],
                       .h0 = c.states ? p[4] : nullptr,
                       .y = c.sequence<const S>(p[6], c.p),
                       .dy = c.sequence<const S>(c.whole ? p[7] : nullptr, c.p),
                       .dlast = c.whole && !c.states ? nullptr : p[8],
                       .dx = c.sequence<S>(c.states ? p[13] : nullptr, c.in),
                       .dwx = p[14],
                       .dwh = p[15],
                       .db = c.whole ? p[17] : nullptr,
                       .dh0 = c.states ? p[18] : nullptr,
                       .mask = c.steps_that_count()},
          .units = c.units,
          .wp = p[3],
          .c0 = c.states ? p[5] : nullptr,
          .c = p[9],
          .gates = p[10],
          .h = p[11],
          .dwp = p[16],
          .dc0 = c.states ? p[19] : nullptr,
          .dlast_c = c.states ? p[12] : nullptr,
          .gate = c.gate()};
}
template <class T>
std::vector<operand> projected_gradient_operands(const projected_case& c) {
  const index_t rows = c.steps * c.n, cells = rows * c.units;
  return {random_values<T>(rows * c.in, 1),
          random_values<T>(c.in * 4 * c.units, 2, -0.5, 0.5),
          random_values<T>(c.p * 4 * c.units, 3, -0.5, 0.5),
          random_values<T>(c.units * c.p, 4, -0.5, 0.5),
          random_values<T>(c.n * c.p, 5),
          random_values<T>(c.n * c.units, 6),
          random_values<T>(rows * c.p, 7, -1, 1),
          random_values<T>(rows * c.p, 8),
          random_values<T>(c.n * c.p, 9),
          random_values<T>(cells, 10),
          random_values<T>(4 * cells, 11, 0, 1),
          random_values<T>(cells, 12, -1, 1),
          random_values<T>(c.n * c.units, 13),
          output(rows * c.in),
          output(c.in * 4 * c.units),
          output(c.p * 4 * c.units),
          output(c.units * c.p),
          output(4 * c.units),
          output(c.n * c.p),
          output(c.n * c.units)};
}

}  // namespace agreement

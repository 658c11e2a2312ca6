// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/gru.hpp>

#include "support/cpu_copies.hpp"
#include "support/recurrent_shapes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

constexpr rp::gru_reset resets[] = {rp::gru_reset::before, rp::gru_reset::after};

template <class S>
rp::gru_args<S> gru_args_of(const recurrent_case& c, rp::gru_reset reset, const std::vector<S*>& p, bool saved) {
  return {.operands = {.x = c.sequence<const S>(p[0], c.in),
                       .wx = p[1],
                       .wh = p[2],
                       .bias = p[3],
                       .h0 = c.states ? p[4] : nullptr,
                       .y = c.sequence<S>(c.whole ? p[6] : nullptr, c.units),
                       .last = c.whole && !c.states ? nullptr : p[7],
                       .mask = c.steps_that_count()},
          .reset = reset,
          .recurrent_bias = reset == rp::gru_reset::after && c.states ? p[5] : nullptr,
          .gates = saved ? p[8] : nullptr,
          .gate = c.gate()};
}
template <class T>
std::vector<operand> gru_operands(const recurrent_case& c, rp::gru_reset reset) {
  const index_t cells = c.steps * c.n * c.units, state = c.n * c.units;
  return {random_values<T>(c.steps * c.n * c.in, 1),
          random_values<T>(c.in * 3 * c.units, 2, -0.5, 0.5),
          random_values<T>(c.units * 3 * c.units, 3, -0.5, 0.5),
          random_values<T>(3 * c.units, 4),
          random_values<T>(state, 5),
          random_values<T>(3 * c.units, 6),
          output(cells),
          output(state),
          output(rp::gru_args<T>::saved(reset) * cells)};
}
template <class S>
rp::gru_backward_args<S> gru_gradient_of(const recurrent_case& c, rp::gru_reset reset, const std::vector<S*>& p) {
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
          .drecurrent_bias = reset == rp::gru_reset::after && c.states ? p[13] : nullptr,
          .gate = c.gate()};
}
template <class T>
std::vector<operand> gru_gradient_operands(const recurrent_case& c, rp::gru_reset reset) {
  const index_t rows = c.steps * c.n, cells = rows * c.units, state = c.n * c.units;
  return {random_values<T>(rows * c.in, 1),
          random_values<T>(c.in * 3 * c.units, 2, -0.5, 0.5),
          random_values<T>(c.units * 3 * c.units, 3, -0.5, 0.5),
          random_values<T>(state, 4),
          random_values<T>(cells, 5, -1, 1),
          random_values<T>(cells, 6),
          random_values<T>(state, 7),
          random_values<T>(rp::gru_args<T>::saved(reset) * cells, 8, 0, 1),
          output(rows * c.in),
          output(c.in * 3 * c.units),
          output(c.units * 3 * c.units),
          output(3 * c.units),
          output(state),
          output(3 * c.units)};
}

}  // namespace

TEST_CASE_TEMPLATE("a GRU agrees with its definition, whether it resets before or after its product", T, float,
                   double) {
  for (const recurrent_case& c : recurrent_cases<T>())
    for (const rp::gru_reset reset : resets)
      for (const bool saved : {false, true}) {
        INFO(c.name());
        CAPTURE(to_string(reset));
        CAPTURE(saved);
        const auto run = [&](const auto& on, const auto& p, rp::step_state*) {
          execute(on, gru_args_of<element_t<decltype(p)>>(c, reset, p, saved));
        };
        agree_each<T>(gru_operands<T>(c, reset), run, on_cpu, on_cpu_of_constants, on_cpu_of_prepared);
      }
}

TEST_CASE_TEMPLATE("the gradient of a GRU agrees with its definition", T, float, double) {
  for (const recurrent_case& c : recurrent_cases<T>())
    for (const rp::gru_reset reset : resets) {
      INFO(c.name());
      CAPTURE(to_string(reset));
      const auto run = [&](const auto& on, const auto& p, rp::step_state*) {
        execute(on, gru_gradient_of<element_t<decltype(p)>>(c, reset, p));
      };
      agree_each<T>(gru_gradient_operands<T>(c, reset), run, on_cpu, on_cpu_of_prepared);
    }
}

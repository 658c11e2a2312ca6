// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/recurrent_layers.hpp>

#include "support/cpu_copies.hpp"
#include "support/lstm_operands.hpp"
#include "support/recurrent_shapes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

TEST_CASE_TEMPLATE(
    "an LSTM agrees with its definition, in inference and in training, with and without constant weights", T, float,
    double) {
  for (const recurrent_case& c : recurrent_cases<T>())
    for (const bool saved : {false, true}) {
      INFO(c.name());
      CAPTURE(saved);
      const auto run = [&](const auto& on, const auto& p, rp::step_state*) {
        execute(on, lstm_args_of<element_t<decltype(p)>>(c, p, saved));
      };
      agree_each<T>(lstm_operands<T>(c), run, on_cpu, on_cpu_of_constants, on_cpu_of_prepared);
    }
}

TEST_CASE_TEMPLATE("the gradient of an LSTM agrees with its definition", T, float, double) {
  for (const recurrent_case& c : recurrent_cases<T>()) {
    INFO(c.name());
    const auto run = [&](const auto& on, const auto& p, rp::step_state*) {
      execute(on, lstm_gradient_of<element_t<decltype(p)>>(c, p));
    };
    agree_each<T>(lstm_gradient_operands<T>(c), run, on_cpu, on_cpu_of_prepared);
  }
}

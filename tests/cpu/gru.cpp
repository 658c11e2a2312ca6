// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/recurrent_layers.hpp>

#include "support/cpu_copies.hpp"
#include "support/gru_operands.hpp"
#include "support/recurrent_shapes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

constexpr rp::gru_reset resets[] = {rp::gru_reset::before, rp::gru_reset::after};

}  // namespace

TEST_CASE_TEMPLATE("a GRU agrees with its definition, with reset before or after its product", T, float, double) {
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

// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/recurrent_layers.hpp>

#include <ridgepoint/core/float_control.hpp>

#include "support/cpu_copies.hpp"
#include "support/recurrent_shapes.hpp"
#include "support/rnn_operands.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

constexpr rp::activation activations[] = {rp::activation::tanh, rp::activation::relu, rp::activation::none,
                                          rp::activation::sigmoid, rp::activation::relu6};

}  // namespace

TEST_CASE_TEMPLATE("a recurrent layer agrees with its definition", T, float, double) {
  std::size_t number = 0;
  for (const recurrent_case& c : recurrent_cases<T>()) {
    const rp::activation act = activations[number++ % std::size(activations)];
    INFO(c.name());
    CAPTURE(to_string(act));
    const auto run = [&](const auto& on, const auto& p, rp::step_state*) {
      execute(on, rnn_args_of<element_t<decltype(p)>>(c, act, p));
    };
    agree_each<T>(rnn_operands<T>(c), run, on_cpu, on_cpu_of_constants, on_cpu_of_prepared);
  }
}

TEST_CASE_TEMPLATE("the gradient of a recurrent layer agrees with its definition", T, float, double) {
  std::size_t number = 0;
  for (const recurrent_case& c : recurrent_cases<T>()) {
    const rp::activation act = activations[number++ % std::size(activations)];
    INFO(c.name());
    CAPTURE(to_string(act));
    const auto run = [&](const auto& on, const auto& p, rp::step_state*) {
      execute(on, rnn_gradient_of<element_t<decltype(p)>>(c, act, p));
    };
    agree_each<T>(rnn_gradient_operands<T>(c), run, on_cpu, on_cpu_of_prepared);
  }
}

TEST_CASE("rows of states whose stride would be a multiple of 2 KiB") {
  for (const index_t n : {3, 20}) {
    const recurrent_case c{.steps = 2, .n = n, .in = 2, .units = 512};
    const auto forward = [&](const auto& on, const auto& p, rp::step_state*) {
      execute(on, rnn_args_of<element_t<decltype(p)>>(c, rp::activation::relu, p));
    };
    agree<float>(on_cpu_of_constants, rnn_operands<float>(c), forward);
  }
}

TEST_CASE("decaying states are flushed to zero, and the caller's subnormal mode is restored") {
  constexpr index_t steps = 3, n = 64, units = 2;
  const std::vector<float> x(steps * n, 0), wx(units, 0), wh{0.5F, 0, 0, 0.5F},
      h0(n * units, 1.5F * std::numeric_limits<float>::min());
  std::vector<float> y(steps * n * units, -1);
  const unsigned before = rp::float_control();
  const rp::rnn_args<float> decaying{.operands = {.x = {x.data(), steps, n, 1, n, 1},
                                                  .wx = wx.data(),
                                                  .wh = wh.data(),
                                                  .h0 = h0.data(),
                                                  .y = rp::sequence_view<float>::time_major(y.data(), steps, n, units)},
                                     .act = rp::activation::none};
  for (const int threads : {1, 4}) {
    execute(on_cpu(threads), decaying);
    for (const float value : y) CHECK(value == 0);
    execute(tested_cpu(threads, rp::subnormals::as_they_are), decaying);
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == std::ldexp(h0[0], -1 - static_cast<int>(i / (n * units))));
  }
  CHECK((rp::float_control() & ~0x3FU) == (before & ~0x3FU));
}

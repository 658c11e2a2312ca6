// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/elementwise.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
auto adding_bias(index_t rows, index_t channels, rp::activation act) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on,
            rp::add_bias_args<S>{.rows = rows, .channels = channels, .x = p[0], .bias = p[1], .y = p[2], .act = act});
  };
}
}  // namespace

TEST_CASE_TEMPLATE("add_bias with an activation agrees with its definition", T, float, double) {
  for (const rp::activation act :
       {rp::activation::none, rp::activation::relu, rp::activation::sigmoid, rp::activation::tanh})
    for (const index_t channels : {1, 3, 8, 17, 64, 131})
      for (const index_t rows : {0, 1, 7, 700}) {
        CAPTURE(rows);
        CAPTURE(channels);
        agree<T>(on_cpu, {random_values<T>(rows * channels, 1), random_values<T>(channels, 2), output(rows * channels)},
                 adding_bias(rows, channels, act));
      }
  const index_t channels = body_and_tail<T>();
  for (const std::size_t which : {0U, 1U})
    agree_on_nan<T>(on_cpu, {random_values<T>(2 * channels, 1), random_values<T>(channels, 2), output(2 * channels)},
                    which, adding_bias(2, channels, rp::activation::relu));
}

TEST_CASE("add_bias refuses invalid arguments") {
  float x[6] = {}, b[3] = {};
  rp::add_bias_args<float> a{.rows = 2, .channels = 3, .x = x, .bias = b, .y = x};
  const auto add = [&] { rp::add_bias(rp::reference, a); };
  add();
  a.act = rp::activation::leaky_relu;
  CHECK_THROWS_AS(add(), rp::value_error);
  a.act = rp::activation::none, a.channels = 0;
  CHECK_THROWS_WITH_AS(add(), "add_bias: rows is 2, channels is 0; must be >= 0 and > 0", rp::shape_error);
  a.channels = 3, a.bias = nullptr;
  CHECK_THROWS_AS(add(), rp::shape_error);
  a.bias = b, a.y = x + 1;
  CHECK_THROWS_AS(add(), rp::shape_error);
}

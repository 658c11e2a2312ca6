// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/activate.hpp>

#include "support/cpu_sizes.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
auto forward(rp::activation f, index_t size) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on, rp::activate_args<S>{.f = f, .slope = 0.125, .size = size, .x = p[0], .y = p[1]});
  };
}
auto backward(rp::activation f, index_t size) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on, rp::activate_backward_args<S>{.f = f, .slope = 0.125, .size = size, .y = p[0], .dy = p[1], .dx = p[2]});
  };
}
}  // namespace

TEST_CASE_TEMPLATE("activations agree with their definition", T, float, double) {
  for (int number = 0; number < rp::activation_count; ++number) {
    const auto f = static_cast<rp::activation>(number);
    CAPTURE(to_string(f));
    for (const index_t size : cpu_sizes<T>()) {
      agree<T>(on_cpu, {random_values<T>(size, 1, -9, 9), output(size)}, forward(f, size));
      agree<T>(on_cpu, {random_values<T>(size, 2, -1, 1), random_values<T>(size, 3), output(size)}, backward(f, size));
      agree<T>(on_cpu, {random_values<T>(size, 4, 0, 7), random_values<T>(size, 3), output(size)}, backward(f, size));
    }
    const index_t size = body_and_tail<T>();
    agree_on_nan<T>(on_cpu, {random_values<T>(size, 1), output(size)}, 0, forward(f, size));
    agree_on_nan<T>(on_cpu, {random_values<T>(size, 2, -1, 1), random_values<T>(size, 3), output(size)}, 1,
                    backward(f, size));
  }
}

TEST_CASE_TEMPLATE("activations at the ends of the number line", T, float, double) {
  const T infinity = std::numeric_limits<T>::infinity(), x[] = {infinity, -infinity, T(0), -T(0)};
  T y[4];
  const auto values_of = [&](rp::activation f) {
    execute(on_cpu(1), rp::activate_args<T>{.f = f, .size = 4, .x = x, .y = y});
    return std::vector<T>(y, y + 4);
  };
  CHECK(values_of(rp::activation::relu) == std::vector<T>{infinity, T(0), T(0), T(0)});
  CHECK(values_of(rp::activation::relu6) == std::vector<T>{T(6), T(0), T(0), T(0)});
  CHECK(values_of(rp::activation::sigmoid) == std::vector<T>{T(1), T(0), T(0.5), T(0.5)});
  CHECK(values_of(rp::activation::hard_sigmoid) == std::vector<T>{T(1), T(0), T(0.5), T(0.5)});
  CHECK(values_of(rp::activation::tanh)[0] == near(1, 1e-6));
  CHECK(values_of(rp::activation::tanh)[1] == near(-1, 1e-6));
}

TEST_CASE("an activation may work in place") {
  std::vector<float> x{-1, 2, -3, 4, -5}, y(5);
  execute(on_cpu(1), rp::activate_args<float>{.f = rp::activation::relu, .size = 5, .x = x.data(), .y = y.data()});
  execute(on_cpu(1), rp::activate_args<float>{.f = rp::activation::relu, .size = 5, .x = x.data(), .y = x.data()});
  CHECK(x == y);
}

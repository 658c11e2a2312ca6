// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/elementwise.hpp>

#include "support/close.hpp"
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

TEST_CASE_TEMPLATE("activations at the limits of the number range", T, float, double) {
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
  CHECK(values_of(rp::activation::gelu) == std::vector<T>{infinity, T(0), T(0), T(0)});
  const std::vector<T> dy(4, T(3));
  execute(on_cpu(1),
          rp::activate_backward_args<T>{.f = rp::activation::gelu, .size = 4, .y = x, .dy = dy.data(), .dx = y});
  CHECK(std::vector<T>(y, y + 4) == std::vector<T>{T(3), T(0), T(1.5), T(1.5)});
  CHECK(values_of(rp::activation::tanh)[0] == near(1, 1e-6));
  CHECK(values_of(rp::activation::tanh)[1] == near(-1, 1e-6));
}

TEST_CASE_TEMPLATE("activations and their gradients of extreme values agree with their definition", T, float, double) {
  using limits = std::numeric_limits<T>;
  std::vector<T> x;
  for (const T size : {T(0), limits::min(), T(1e-30), T(6), T(45), T(1e18), limits::max(), limits::infinity()})
    x.push_back(size), x.push_back(-size);
  const auto size = static_cast<index_t>(x.size());
  const std::vector<T> dy(x.size(), T(0.75));
  const auto run = [&](const auto& on, rp::activation f, bool backward, const std::vector<T>& from) {
    std::vector<T> to(x.size());
    if (backward)
      execute(on, rp::activate_backward_args<T>{
                      .f = f, .slope = 0.125, .size = size, .y = from.data(), .dy = dy.data(), .dx = to.data()});
    else execute(on, rp::activate_args<T>{.f = f, .slope = 0.125, .size = size, .x = from.data(), .y = to.data()});
    return to;
  };
  for (int number = 0; number < rp::activation_count; ++number) {
    const auto f = static_cast<rp::activation>(number);
    const std::vector<T> y = run(on_cpu(1), f, false, x), &from = derives_from_input(f) ? x : y;
    for (const bool backward : {false, true}) {
      const std::vector<T> got = backward ? run(on_cpu(1), f, true, from) : y;
      const std::vector<T> want = run(rp::reference, f, backward, backward ? from : x);
      CAPTURE(to_string(f));
      CAPTURE(backward);
      check_close(got, want, 1e-6, 1e-7);
    }
  }
}

TEST_CASE("tanh is ≤ 1 near saturation, and its slope is not negative") {
  const index_t size = 4096;
  std::vector<float> x(size), y(size), slope(size);
  const std::vector<float> ones(size, 1.0F);
  for (float next = 8.0F; next < 8.5F;) {
    for (float& value : x) value = next, next = std::nextafter(next, 9.0F);
    execute(on_cpu(1), rp::activate_args<float>{.f = rp::activation::tanh, .size = size, .x = x.data(), .y = y.data()});
    execute(on_cpu(1),
            rp::activate_backward_args<float>{
                .f = rp::activation::tanh, .size = size, .y = y.data(), .dy = ones.data(), .dx = slope.data()});
    CHECK(*std::max_element(y.begin(), y.end()) <= 1.0F);
    CHECK(*std::min_element(slope.begin(), slope.end()) >= 0.0F);
  }
}

TEST_CASE("an activation can run in place") {
  std::vector<float> x{-1, 2, -3, 4, -5}, y(5);
  execute(on_cpu(1), rp::activate_args<float>{.f = rp::activation::relu, .size = 5, .x = x.data(), .y = y.data()});
  execute(on_cpu(1), rp::activate_args<float>{.f = rp::activation::relu, .size = 5, .x = x.data(), .y = x.data()});
  CHECK(x == y);
}

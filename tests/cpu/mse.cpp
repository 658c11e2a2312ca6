// SPDX-License-Identifier: MIT
#include <cmath>

#include <ridgepoint/cpu/losses.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

TEST_CASE_TEMPLATE("mean squared error agrees with its definition", T, float, double) {
  const auto mse = [](index_t size, bool gradient, double weight = 1) {
    return [=](const auto& on, const auto& p, rp::step_state* state) {
      using S = element_t<decltype(p)>;
      execute(on, rp::mse_args<S>{.y = p[0],
                                  .target = p[1],
                                  .dy = gradient ? p[2] : nullptr,
                                  .size = size,
                                  .state = state,
                                  .weight = weight});
    };
  };
  std::vector<index_t> sizes = cpu_sizes<T>();
  sizes.push_back(300 * rp::part_elements / 64 + 1);
  for (const index_t size : sizes)
    for (const bool gradient : {true, false})
      agree<T>(on_cpu, {random_values<T>(size, 1), random_values<T>(size, 2), output(size)}, mse(size, gradient));
  const index_t size = body_and_tail<T>();
  agree<T>(on_cpu, {random_values<T>(size, 1), random_values<T>(size, 2), output(size)}, mse(size, true, 0.3));
  agree_on_nan<T>(on_cpu, {random_values<T>(size, 1), random_values<T>(size, 2), output(size)}, 0, mse(size, true));
}

TEST_CASE("errors whose squares overflow float are squared in double, whatever operand the gradient overwrites") {
  const double large = static_cast<double>(1e20F);
  for (const index_t size : {index_t{1}, body_and_tail<float>(), 3 * rp::part_elements})
    for (const int replaced : {0, 1, 2, 3}) {  // no gradient, its own vector, y, target
      CAPTURE(size);
      CAPTURE(replaced);
      std::vector<float> y(static_cast<std::size_t>(size), 1e20F), target(y.size(), 0), own(y.size());
      float* const dy[] = {nullptr, own.data(), y.data(), target.data()};
      rp::step_state state;
      execute(on_cpu(2), rp::mse_args<float>{.y = y.data(),
                                             .target = target.data(),
                                             .dy = dy[replaced],
                                             .size = size,
                                             .state = &state,
                                             .weight = 0.3});
      CHECK(std::abs(state.loss - large * large) <= 1e-6 * large * large);
    }
}

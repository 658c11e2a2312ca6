// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/mse.hpp>

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

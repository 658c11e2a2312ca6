// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/losses.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

TEST_CASE_TEMPLATE("binary cross-entropy agrees with its definition", T, float, double) {
  const auto loss = [](index_t size, bool gradient, double weight = 1) {
    return [=](const auto& on, const auto& p, rp::step_state* state) {
      using S = element_t<decltype(p)>;
      execute(on, rp::binary_cross_entropy_args<S>{.y = p[0],
                                                   .target = p[1],
                                                   .dy = gradient ? p[2] : nullptr,
                                                   .size = size,
                                                   .state = state,
                                                   .weight = weight});
    };
  };
  for (const index_t size : cpu_sizes<T>())
    for (const bool gradient : {true, false})
      agree<T>(on_cpu, {random_values<T>(size, 1, -30, 30), random_values<T>(size, 2, 0, 1), output(size)},
               loss(size, gradient));
  const index_t size = body_and_tail<T>();
  agree<T>(on_cpu, {random_values<T>(size, 1), random_values<T>(size, 2, 0, 1), output(size)}, loss(size, true, 0.3));
  agree_on_nan<T>(on_cpu, {random_values<T>(size, 1), random_values<T>(size, 2, 0, 1), output(size)}, 0,
                  loss(size, true));
}

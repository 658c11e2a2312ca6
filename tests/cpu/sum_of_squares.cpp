// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/sum_of_squares.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

TEST_CASE_TEMPLATE("the sum of squares agrees with its definition", T, float, double) {
  const auto sum = [](index_t size, bool accumulate) {
    return [=](const auto& on, const auto& p, rp::step_state* state) {
      using S = element_t<decltype(p)>;
      execute(on, rp::sum_of_squares_args<S>{.size = size, .x = p[0], .accumulate = accumulate, .state = state});
    };
  };
  std::vector<index_t> sizes = cpu_sizes<T>();
  sizes.push_back(300 * rp::part_elements / 64 + 1);
  for (const index_t size : sizes)
    for (const bool accumulate : {false, true}) agree<T>(on_cpu, {random_values<T>(size, 1)}, sum(size, accumulate));
  agree_on_nan<T>(on_cpu, {random_values<T>(body_and_tail<T>(), 1)}, 0, sum(body_and_tail<T>(), true));
}

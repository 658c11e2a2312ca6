// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/optimisers.hpp>

#include "support/cpu_sizes.hpp"
#include "support/near.hpp"

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

TEST_CASE("squares beyond the range of float are summed in double") {
  const auto squares = [](float value, index_t size) {
    const std::vector<float> x(static_cast<std::size_t>(size), value);
    rp::step_state state;
    execute(on_cpu(2), rp::sum_of_squares_args<float>{.size = size, .x = x.data(), .state = &state});
    return state.gradient_squares;
  };
  const double large = static_cast<double>(1e20F), small = static_cast<double>(1e-30F);
  for (const index_t size : {index_t{1}, body_and_tail<float>(), 3 * rp::part_elements}) {
    CHECK(squares(1e20F, size) == near(large * large * static_cast<double>(size)));
    CHECK(squares(-1e-30F, size) == near(small * small * static_cast<double>(size)));
    CHECK(squares(0, size) == 0);
  }
  CHECK(squares(std::numeric_limits<float>::infinity(), 3) == std::numeric_limits<double>::infinity());
}

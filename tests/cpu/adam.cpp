// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/optimisers.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

TEST_CASE_TEMPLATE("Adam agrees with its definition", T, float, double) {
  const auto update = [](index_t size) {
    return [=](const auto& on, const auto& p, rp::step_state* state) {
      using S = element_t<decltype(p)>;
      execute(on, rp::adam_update_args<S>{.size = size, .w = p[0], .g = p[1], .m = p[2], .v = p[3], .state = state});
    };
  };
  const auto operands = [](index_t size) {
    return std::vector<operand>{random_values<T>(size, 1), random_values<T>(size, 2), random_values<T>(size, 3, -1, 1),
                                random_values<T>(size, 4, 0, 1)};
  };
  for (const index_t size : cpu_sizes<T>()) agree<T>(on_cpu, operands(size), update(size));
  agree_on_nan<T>(on_cpu, operands(body_and_tail<T>()), 1, update(body_and_tail<T>()));
}

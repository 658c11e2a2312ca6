// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/elementwise.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

TEST_CASE_TEMPLATE("add agrees with its definition", T, float, double) {
  const auto add = [](index_t size) {
    return [=](const auto& on, const auto& p, rp::step_state*) {
      execute(on, rp::add_args<element_t<decltype(p)>>{.size = size, .a = p[0], .b = p[1], .y = p[2]});
    };
  };
  for (const index_t size : cpu_sizes<T>())
    agree<T>(on_cpu, {random_values<T>(size, 1), random_values<T>(size, 2), output(size)}, add(size));
  const index_t size = body_and_tail<T>();
  agree_on_nan<T>(on_cpu, {random_values<T>(size, 1), random_values<T>(size, 2), output(size)}, 1, add(size));
}

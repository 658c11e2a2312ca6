// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/elementwise.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

TEST_CASE_TEMPLATE("positions agree with their definition", T, float, double) {
  for (const index_t width : around(tested::lanes<T>()))
    for (const index_t n : {0, 1, 3})
      for (const bool in_place : {false, true}) {
        const index_t steps = 5, size = n * steps * width;
        CAPTURE(width);
        agree<T>(on_cpu, {random_values<T>(size, 1), output(size)},
                 [&](const auto& on, const auto& p, rp::step_state*) {
                   using S = element_t<decltype(p)>;
                   execute(on, rp::positions_args<S>{n, steps, width, 1.7, p[0], in_place ? p[0] : p[1]});
                   execute(on, rp::positions_backward_args<S>{size, -0.3, p[0], in_place ? p[0] : p[1]});
                   execute(on, rp::positions_args<S>{n, steps, width, 1, p[0], p[1]});
                 });
      }
}

TEST_CASE("positions are the same for any number of threads") {
  const index_t n = 3, steps = 40, width = 2 * rp::part_elements / (n * steps) + 3;
  agree<float>(on_cpu, {random_values<float>(n * steps * width, 1), output(n * steps * width)},
               [&](const auto& on, const auto& p, rp::step_state*) {
                 execute(on, rp::positions_args<element_t<decltype(p)>>{n, steps, width, 2, p[0], p[1]});
               });
}

TEST_CASE("sinusoids: wavelengths from 2 pi to 10000 times that, each sine next to its cosine") {
  CHECK(rp::sinusoid(0, 0, 8) == 0);
  CHECK(rp::sinusoid(0, 7, 8) == 1);
  CHECK(rp::sinusoid(3, 0, 8) == std::sin(3.0));
  CHECK(rp::sinusoid(3, 1, 8) == std::cos(3.0));
  CHECK(std::abs(rp::sinusoid(3, 2, 8) - std::sin(0.3)) < 1e-15);
  CHECK(std::abs(rp::sinusoid(3, 7, 8) - std::cos(0.003)) < 1e-15);
}

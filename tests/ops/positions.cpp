// SPDX-License-Identifier: MIT
#include <ridgepoint/ops/positions.hpp>

#include <ridgepoint/reference/elementwise.hpp>

#include "refuses.hpp"
#include "support/random_tensor.hpp"

namespace rp = ridgepoint;

TEST_CASE("positions of a batch of sequences, and their gradient") {
  const auto x = random_tensor({2, 3, 4}, 1);
  rp::tensor<double> y(x.shape()), dx(x.shape());
  CHECK(rp::positions(rp::reference, x, y, 2).flop == 2 * 24);
  CHECK(rp::positions_backward(rp::reference, x.values(), dx.values(), 2).flop == 24);
  for (rp::index_t i = 0; i < 24; ++i) {
    CHECK(y[i] == 2 * x[i] + rp::sinusoid(i / 4 % 3, i % 4, 4));
    CHECK(dx[i] == 2 * x[i]);
  }
}

TEST_CASE("positions refuse bad input") {
  using args = rp::positions_args<float>;
  bad::refuses<rp::shape_error>(args{.n = 1, .steps = 2, .width = 3, .x = bad::m.out + 1, .y = bad::m.out},
                                "positions: y overlaps x in part");
  bad::refuses<rp::value_error>(args{.n = 1, .steps = 2, .width = 3, .scale = NAN, .x = bad::m.a, .y = bad::m.out},
                                "positions: scale is nan");
  bad::refuses<rp::shape_error>(rp::positions_backward_args<float>{.size = 3, .dy = nullptr, .dx = bad::m.out},
                                "positions_backward: dy is a null pointer");
  const rp::tensor<float> x({2, 3, 4});
  rp::tensor<float> y({2, 4, 3});
  CHECK_THROWS_WITH_AS(rp::positions(rp::reference, x, y), "positions: y is 2x4x3; must be 2x3x4", rp::shape_error);
}

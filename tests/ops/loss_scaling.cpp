// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <ridgepoint/ops/step_state.hpp>
#include <ridgepoint/reference/optimisers.hpp>

namespace rp = ridgepoint;

TEST_CASE("a scale is a power of two >= 1, and grows after one step or more") {
  CHECK_NOTHROW(check(rp::loss_scaling{}));
  CHECK_NOTHROW(check(rp::loss_scaling{.first = 1, .steps_to_grow = 1}));
  for (const double first : {0.0, 0.5, 3.0, -2.0, std::nan(""), std::numeric_limits<double>::infinity()})
    CHECK_THROWS_AS(check(rp::loss_scaling{.first = first}), rp::value_error);
  CHECK_THROWS_WITH_AS(check(rp::loss_scaling{.steps_to_grow = 0}), "loss_scaling: steps_to_grow is 0; must be >= 1",
                       rp::value_error);
}

TEST_CASE("a scale is a power of two that keeps the bits of gradients in float") {
  for (const double scale : {1.0, 0.5, 65536.0, 0x1p126, 0x1p-126}) CHECK(rp::is_loss_scale(scale));
  for (const double scale : {0.0, -0.0, -1.0, 3.0, 0.75, 0x1p127, 0x1p-127, std::nextafter(1.0, 2.0), std::nan(""),
                             std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()})
    CHECK_FALSE(rp::is_loss_scale(scale));
}

TEST_CASE("the scale halves after a non-finite step, and doubles after steps_to_grow finite ones") {
  rp::step_state s{.loss_scale = 8};
  s.gradient_squares = std::nan("");
  rp::advance(rp::reference, &s);  // without scaling
  CHECK(s.loss_scale == 8);
  const auto end_scaled = [&](double squares) {
    s.gradient_squares = squares;
    rp::run(rp::reference, rp::advance_args{.state = &s, .steps_to_grow = 2});
    return s.loss_scale;
  };
  CHECK(updates_done(s) == 1);
  CHECK(end_scaled(std::nan("")) == 4);
  CHECK(last_loss_scale(s) == 8);
  CHECK(updates_done(s) == 1);
  CHECK(end_scaled(1) == 4);
  CHECK(last_loss_scale(s) == 4);
  CHECK(end_scaled(1) == 8);
  CHECK(last_loss_scale(s) == 4);
  CHECK(end_scaled(1) == 8);
  CHECK(last_loss_scale(s) == 8);
  CHECK(end_scaled(std::numeric_limits<double>::infinity()) == 4);
  CHECK(end_scaled(1) == 4);  // the count of finite steps restarts
  CHECK(end_scaled(1) == 8);
  CHECK(s.step == 8);
  CHECK(s.skipped_steps == 2);
  CHECK(updates_done(s) == 6);
}

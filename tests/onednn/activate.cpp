// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/onednn/elementwise.hpp>
#include <ridgepoint/reference/elementwise.hpp>

#include "operands.hpp"

namespace rp = ridgepoint;
using rp::index_t;

TEST_CASE("activations and their derivatives agree with the definition, also in place") {
  const rp::onednn on(1);
  rp::random_stream random(1);
  for (int f = 0; f < rp::activation_count; ++f)
    for (const std::size_t size : {0U, 1U, 7U, 64U, 1001U}) {
      CAPTURE(f);
      CAPTURE(size);
      std::vector<float> x(size), y(size), y0(size), dy(size), dx(size), dx0(size);
      for (float& v : x) v = static_cast<float>(random.uniform(-12, 12));
      for (float& v : dy) v = static_cast<float>(random.uniform(-1, 1));
      const auto act = static_cast<rp::activation>(f);
      CHECK(rp::activate<float>(on, act, x, std::span(y), 0.1F) ==
            receipt(rp::activate_args<float>{.f = act, .size = static_cast<index_t>(size)}));
      rp::activate<float>(rp::reference, act, x, std::span(y0), 0.1F);
      rp::activate_backward<float>(on, act, y0, dy, std::span(dx), 0.1F);
      rp::activate_backward<float>(rp::reference, act, y0, dy, std::span(dx0), 0.1F);
      for (std::size_t i = 0; i < size; ++i) {
        CHECK(std::abs(y[i] - y0[i]) <= test::special_error * std::max(1.0F, std::abs(y0[i])));
        CHECK(std::abs(dx[i] - dx0[i]) <= test::special_error);
      }
      rp::activate<float>(on, act, x, std::span(x), 0.1F);
      CHECK(x == y);
      rp::activate_backward<float>(on, act, y0, dy, std::span(dy), 0.1F);
      CHECK(dy == dx);
    }
}

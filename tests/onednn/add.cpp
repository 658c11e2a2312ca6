// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/onednn/elementwise.hpp>

namespace rp = ridgepoint;

TEST_CASE("add is exact, also in place of its first or second operand") {
  const rp::onednn on(1);
  for (const std::size_t size : {0U, 1U, 7U, 64U, 1001U}) {
    CAPTURE(size);
    std::vector<float> a(size), b(size), y(size), sum(size);
    for (std::size_t i = 0; i < size; ++i)
      a[i] = static_cast<float>(i), b[i] = 0.25F * static_cast<float>(i % 7), sum[i] = a[i] + b[i];
    rp::add<float>(on, a, b, std::span(y));
    CHECK(y == sum);
    std::vector<float> over = b;
    rp::add<float>(on, a, over, std::span(over));
    CHECK(over == sum);
    rp::add<float>(on, a, b, std::span(a));
    CHECK(a == sum);
  }
}

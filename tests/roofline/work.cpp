// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/work.hpp>

namespace rp = ridgepoint;

TEST_CASE("receipts add up field by field and give their intensity") {
  constexpr rp::work a{.flop = 12, .matrix_flop = 8, .special = 1, .bytes = {.inputs = 2, .weights = 1, .outputs = 1}};
  static_assert((a + a).flop == 24 && (a + a).matrix_flop == 16 && (a + a).special == 2);
  CHECK((a + a).bytes == rp::traffic{4, 2, 2});
  CHECK(a.bytes.total() == 4);
  CHECK(a.flop_per_byte() == 3);
  CHECK(rp::work{}.flop_per_byte() == 0);
  CHECK(a + rp::work{} == a);
}

TEST_CASE("passes have names") {
  CHECK(to_string(rp::pass::forward) == "forward");
  CHECK(to_string(rp::pass::backward_weights) == "backward-weights");
  CHECK(to_string(rp::pass::feed) == "feed");
}

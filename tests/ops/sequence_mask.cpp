// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/ops/recurrent.hpp>

namespace rp = ridgepoint;
using rp::index_t;

TEST_CASE("a mask of lengths counts the first steps of each sample, or the last ones, in either order of memory") {
  const std::int32_t lengths[] = {4, 1, 3};
  for (const bool steps_outermost : {true, false})
    for (const auto padding : {rp::padding_at::the_end, rp::padding_at::the_start}) {
      std::vector<std::int32_t> memory(12, -1);
      const auto mask = steps_outermost ? rp::sequence_view<std::int32_t>::time_major(memory.data(), 4, 3, 1)
                                        : rp::sequence_view<std::int32_t>::sample_major(memory.data(), 4, 3, 1);
      rp::mask_of_lengths(lengths, mask, padding);
      for (index_t i = 0; i < 3; ++i)
        for (index_t t = 0; t < 4; ++t) {
          const bool counts = padding == rp::padding_at::the_end ? t < lengths[i] : t >= 4 - lengths[i];
          CHECK(mask(t, i, 0) == (counts ? 1 : 0));
          CHECK(rp::is_skipped(mask, t, i) == !counts);
          CHECK(rp::is_skipped(mask.reversed(), 3 - t, i) == !counts);
        }
    }
  CHECK_FALSE(rp::is_skipped({}, 3, 5));
}

TEST_CASE("invalid lengths") {
  std::vector<std::int32_t> memory(120, -1);
  const auto mask = rp::sequence_view<std::int32_t>::time_major(memory.data(), 40, 3, 1);
  const std::int32_t long_one[] = {40, 41, 1}, empty_one[] = {40, 1, 0}, two[] = {1, 1}, good[] = {1, 40, 3};
  CHECK_THROWS_WITH_AS(rp::mask_of_lengths(long_one, mask), "mask_of_lengths: length 1 is 41; must be 1 to 40",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(rp::mask_of_lengths(empty_one, mask), "mask_of_lengths: length 2 is 0; must be 1 to 40",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(rp::mask_of_lengths(two, mask),
                       "mask_of_lengths: 2 lengths for a mask of 40x3x1 (steps x batch x width); must equal the "
                       "samples, and the width 1",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::mask_of_lengths(good, {nullptr, 40, 3, 1, 3, 1}),
                       "mask_of_lengths: the mask is a null pointer; must point to 120 elements", rp::shape_error);
  for (const std::int32_t value : memory) CHECK(value == -1);
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <concepts>

#include <ridgepoint/core/tensor.hpp>

namespace rp = ridgepoint;

TEST_CASE("a static view equals the matrix view of the same extents") {
  int data[24];
  for (int i = 0; i < 24; ++i) data[i] = i;
  const rp::static_view<int, 4, 5, 6> inside(data);
  const rp::matrix_view<int> same = inside;
  CHECK(same.rows == 4);
  CHECK(same.cols == 5);
  CHECK(same.row_stride == 6);
  CHECK(inside(2, 3) == 15);
  CHECK(&inside(3, 4) == &same(3, 4));
  const rp::static_view<const int, 4, 5, 6> read_only = inside;
  CHECK(read_only(2, 3) == 15);
  static_assert(!std::convertible_to<rp::static_view<const int, 2, 2>, rp::static_view<int, 2, 2>>);
  static_assert(!std::convertible_to<rp::static_view<int, 2, 2>, rp::static_view<int, 2, 3>>);
  static_assert(sizeof(inside) == sizeof(int*));
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <concepts>

#include <ridgepoint/core/view.hpp>

namespace rp = ridgepoint;

TEST_CASE("a vector view steps over its elements") {
  double data[] = {0, 1, 2, 3, 4, 5};
  const rp::vector_view<double> every_other{data, 3, 2};
  CHECK(every_other[2] == 4);
  every_other[1] = -2;
  CHECK(data[2] == -2);
  const rp::vector_view<const double> read_only = every_other;
  CHECK(read_only[1] == -2);
  static_assert(!std::convertible_to<rp::vector_view<const double>, rp::vector_view<double>>);
}

TEST_CASE("element (i, j) is at the address given by the strides") {
  int data[24];
  for (int i = 0; i < 24; ++i) data[i] = i;
  const rp::matrix_view<int> dense(data, 4, 6), narrow(data, 4, 5, 6), columns(data, 6, 4, 1, 6);
  CHECK(dense(2, 3) == 15);
  CHECK(narrow(2, 3) == 15);
  CHECK(columns(3, 2) == 15);
  const rp::matrix_view<const int> read_only = dense;
  CHECK(read_only(3, 5) == 23);
  static_assert(!std::convertible_to<rp::matrix_view<const int>, rp::matrix_view<int>>);
  CHECK(rp::matrix_view<int>().data == nullptr);
}

TEST_CASE("transposing swaps extents and strides and touches no data") {
  float data[6] = {};
  const rp::matrix_view<float> a(data, 2, 3);
  const auto at = a.transposed();
  CHECK(at.rows == 3);
  CHECK(at.cols == 2);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) CHECK(&at(j, i) == &a(i, j));
  CHECK(&at.transposed()(1, 2) == &a(1, 2));
}

TEST_CASE("a block is a window with the same strides") {
  float data[24] = {};
  const rp::matrix_view<float> a(data, 4, 6);
  const auto block = a.block(1, 2, 2, 3);
  CHECK(block.rows == 2);
  CHECK(block.cols == 3);
  CHECK(&block(1, 2) == &a(2, 4));
  CHECK(&a.transposed().block(2, 1, 3, 2)(2, 1) == &a(2, 4));
}

TEST_CASE("a view prints its strides if they are not dense") {
  float data[24] = {};
  CHECK(to_string(rp::matrix_view<float>(data, 4, 6)) == "4x6");
  CHECK(to_string(rp::matrix_view<const float>(data, 4, 5, 6)) == "4x5 (strides 6, 1)");
  CHECK(to_string(rp::matrix_view<float>(data, 4, 6).transposed()) == "6x4 (strides 1, 6)");
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <ridgepoint/core/tensor.hpp>

namespace rp = ridgepoint;

TEST_CASE_TEMPLATE("a new tensor is zero, aligned and has its shape", T, float, double, std::int32_t, std::uint8_t) {
  const rp::tensor<T> a({3, 5, 7});
  CHECK(a.shape() == rp::shape{3, 5, 7});
  CHECK(a.size() == 105);
  CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % rp::alignment_bytes == 0);
  for (const T value : a.values()) CHECK(value == T{});
  CHECK(rp::tensor<T>().size() == 0);
  CHECK(rp::tensor<T>(rp::shape{}).size() == 1);  // a scalar
}

TEST_CASE("a tensor is built from its values in row-major order") {
  const rp::tensor<float> a({2, 3}, {0, 1, 2, 3, 4, 5});
  CHECK(a(0, 1) == 1);
  CHECK(a(1, 0) == 3);
  const std::vector<double> values{1, 2, 3, 4};
  rp::tensor<double> b({2, 1, 2}, values);
  b(1, 0, 1) = -4;
  CHECK(b[3] == -4);
  CHECK(rp::tensor<float>({2, 3}, a)(1, 2) == 5);
  CHECK(rp::tensor<float>(rp::shape{}, {7})() == 7);
  float sum = 0;
  for (const float x : a) sum += x;
  CHECK(sum == 15);
  CHECK_THROWS_WITH_AS(rp::tensor<float>({2, 3}, {1, 2}), "tensor: 2 values for 2x3; must be 6", rp::shape_error);
}

TEST_CASE("an element takes one index per extent, each in range") {
  const rp::tensor<float> a({2, 3});
  CHECK_THROWS_WITH_AS(static_cast<void>(a(1)), "tensor: 1 indices into 2x3; must be 2", rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(a(0, 3)), "tensor: index 3 into 2x3; must be 0 to 2", rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(a(-1, 0)), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(a(2, 0)), rp::shape_error);
}

TEST_CASE("a tensor of rank 2 is a matrix, a tensor of rank 1 a single row") {
  rp::tensor<float> a({6, 4});
  std::iota(a.values().begin(), a.values().end(), 0.0F);
  CHECK(a.matrix().rows == 6);
  CHECK(a.matrix().cols == 4);
  CHECK(a.matrix()(5, 3) == 23);
  a.matrix()(1, 2) = -1;
  CHECK(a[6] == -1);
  const rp::tensor<float> row({7});
  CHECK(row.matrix().rows == 1);
  CHECK(row.matrix().cols == 7);
}

TEST_CASE("a tensor of another rank needs extents to become a matrix") {
  rp::tensor<float> image({2, 3, 4});
  std::iota(image.values().begin(), image.values().end(), 0.0F);
  const rp::tensor<float>& same = image;
  CHECK_THROWS_WITH_AS(static_cast<void>(image.matrix()),
                       "matrix: tensor is 2x3x4; must have 1 or 2 extents, or use matrix(rows, cols)", rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(same.matrix()), rp::shape_error);
  CHECK(image.matrix(6, 4)(5, 3) == 23);
  CHECK(same.matrix(2, 12)(1, 11) == 23);
  CHECK_THROWS_WITH_AS(static_cast<void>(image.matrix(5, 4)),
                       "matrix: tensor is 2x3x4, seen as 5x4; sizes must be equal", rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(image.matrix(-6, -4)), rp::shape_error);
  const rp::tensor<float> scalar(rp::shape{});
  CHECK_THROWS_AS(static_cast<void>(scalar.matrix()), rp::shape_error);
  CHECK(scalar.matrix(1, 1).cols == 1);
}

TEST_CASE("a copy is independent; a move transfers the memory") {
  rp::tensor<float> a({4});
  a[2] = 5;
  rp::tensor<float> b = a;
  b[2] = 6;
  CHECK(a[2] == 5);
  const float* const memory = b.data();
  const rp::tensor<float> c = std::move(b);
  CHECK(c.data() == memory);
  CHECK(b.values().empty());
  a = c;
  CHECK(a[2] == 6);
  CHECK(a.data() != c.data());
}

TEST_CASE("a tensor too large to address is refused before it is allocated") {
  CHECK_THROWS_AS(rp::tensor<float>({rp::index_t{1} << 31, rp::index_t{1} << 31}), rp::shape_error);  // 2^64 bytes
  CHECK_THROWS_AS(rp::tensor<double>({rp::index_t{1} << 62}), rp::shape_error);
  CHECK_THROWS_AS(rp::tensor<float>({-1}), rp::shape_error);
}

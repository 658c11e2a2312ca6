// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <concepts>
#include <vector>

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/reference/convolution.hpp>
#include <ridgepoint/reference/elementwise.hpp>
#include <ridgepoint/reference/gemm.hpp>
#include <ridgepoint/reference/pooling.hpp>

namespace rp = ridgepoint;

namespace elsewhere {
/// Column-major matrix of another library that exposes its strides.
struct by_columns {
  float values[6] = {1, 2, 3, 4, 5, 6};
};
rp::matrix_view<float> matrix_of(by_columns& m) { return {m.values, 3, 2, 1, 3}; }
rp::matrix_view<const float> matrix_of(const by_columns& m) { return {m.values, 3, 2, 1, 3}; }
}  // namespace elsewhere

TEST_CASE("an op takes tensors, views, braces and foreign matrices") {
  const rp::tensor<float> a({2, 3}, {1, 0, 2, 0, 1, 0});
  const elsewhere::by_columns b;  // 1 4, 2 5, 3 6
  const rp::tensor<float> expected({2, 2}, {7, 16, 2, 5});
  rp::tensor<float> c({2, 2});
  const auto is_expected = [&](const auto& result) {
    for (rp::index_t i = 0; i < 4; ++i) CHECK(result[i] == expected[i]);
    for (float& x : c) x = -1;
  };
  CHECK(rp::gemm(rp::reference, a, b, c) ==
        receipt(rp::gemm_args<float>{.a = a.matrix(), .b = matrix_of(b), .c = c.matrix()}));
  is_expected(c);
  rp::gemm(rp::reference, a.matrix(), matrix_of(b), c.matrix());
  is_expected(c);
  rp::gemm<float>(rp::reference, {a.data(), 2, 3}, b, {c.data(), 2, 2});
  is_expected(c);
  rp::gemm(rp::reference, {a.data(), 2, 3}, {b.values, 3, 2, 1, 3}, c);
  is_expected(c);
  rp::gemm(rp::reference, a.matrix(), b, rp::matrix_view<float>(c));
  is_expected(c);
  rp::gemm(rp::reference, rp::tensor<float>(a), b, c);  // the temporary outlives the op
  is_expected(c);
  elsewhere::by_columns d;
  rp::gemm(rp::reference, rp::tensor<float>({3, 2}, {1, 0, 0, 1, 1, 1}), expected, d, {.alpha = 2});
  CHECK(matrix_of(d)(2, 1) == 42);
}

TEST_CASE("a tensor that is not a matrix is refused at run time") {
  const rp::tensor<float> image({2, 3, 4}), b({4, 2});
  rp::tensor<float> c({6, 2});
  CHECK_THROWS_WITH_AS(rp::gemm(rp::reference, image, b, c), doctest::Contains("tensor is 2x3x4"), rp::shape_error);
  CHECK_NOTHROW(rp::gemm(rp::reference, image.matrix(6, 4), b, c));
}

TEST_CASE("an op takes every contiguous range as a vector") {
  const std::vector<double> a{1, 2, 3};
  const std::array<double, 3> b{10, 20, 30};
  rp::tensor<double> y({3});
  double plain[3] = {};
  rp::add(rp::reference, a, b, y);
  CHECK(y(2) == 33);
  rp::add(rp::reference, y, b, plain);
  CHECK(plain[0] == 21);
  rp::add(rp::reference, plain, plain, std::span(plain));
  CHECK(plain[0] == 42);
  rp::add<double>(rp::reference, {a.data(), 2}, {b.data(), 2}, {plain, 2});
  CHECK(plain[1] == 22);
}

TEST_CASE("the size of a range is checked if images give it; a pointer is not checked") {
  const rp::tensor<float> x({1, 3, 3, 1}), w({2, 2, 1, 2});
  rp::tensor<float> y({1, 2, 2, 2});
  const std::vector<float> bias{1, 2};
  CHECK(rp::conv2d(rp::reference, x, w, bias, y).flop == 2 * 32 + 8);
  CHECK(y(0, 1, 1, 1) == 2);
  CHECK_NOTHROW(rp::conv2d(rp::reference, x, w, bias.data(), y));
  CHECK_NOTHROW(rp::conv2d(rp::reference, x, w, nullptr, y));
  CHECK(y(0, 1, 1, 1) == 0);
  CHECK_THROWS_WITH_AS(rp::conv2d(rp::reference, x, w, x, y), "conv2d: bias has 9 elements; must have 2",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::conv2d(rp::reference, x, w, nullptr, y, {}, rp::activation::none, x),
                       "conv2d: residual has 9 elements; must have 8", rp::shape_error);
  std::vector<std::uint8_t> index(2), too_many(3);
  rp::tensor<float> most({1, 1, 1, 2});
  CHECK_NOTHROW(rp::max_pool2d(rp::reference, y, most, index, {.window = 2}));
  CHECK_THROWS_WITH_AS(rp::max_pool2d(rp::reference, y, most, too_many, {.window = 2}),
                       "max_pool2d: index has 3 elements; must have 2", rp::shape_error);
}

TEST_CASE("writable and non-writable arguments are distinguished") {
  using tensor = rp::tensor<float>;
  static_assert(std::same_as<rp::matrix_element<tensor&, rp::deduced>, float>);
  static_assert(std::same_as<rp::matrix_element<tensor, rp::deduced>, rp::refused>);  // a temporary
  static_assert(std::same_as<rp::matrix_element<const tensor&, rp::deduced>, rp::refused>);
  static_assert(std::same_as<rp::matrix_element<rp::matrix_view<double>, rp::deduced>, double>);
  static_assert(std::same_as<rp::matrix_element<rp::matrix_view<const double>&, rp::deduced>, rp::refused>);
  static_assert(std::same_as<rp::matrix_element<tensor&, double>, rp::refused>);  // another element type was requested
  static_assert(std::same_as<rp::matrix_element<std::vector<float>&, rp::deduced>, rp::refused>);
  static_assert(std::same_as<rp::matrix_element<rp::tensor<int>&, rp::deduced>, rp::refused>);
  static_assert(std::same_as<rp::vector_element<std::vector<float>&, rp::deduced>, float>);
  static_assert(std::same_as<rp::vector_element<std::vector<float>, rp::deduced>, rp::refused>);
  static_assert(std::same_as<rp::vector_element<std::span<float>, rp::deduced>, float>);
}

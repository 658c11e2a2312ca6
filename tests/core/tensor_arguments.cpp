// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <concepts>

#include <ridgepoint/core/dense_arguments.hpp>

namespace rp = ridgepoint;

TEST_CASE("an operand of rank N is a tensor or view of rank N") {
  rp::tensor<float> image({2, 3, 4});
  image(1, 2, 3) = 5;
  const rp::tensor_input<float, 3> whole = image, seen = rp::tensor_view<float, 3>(image);
  CHECK(whole(1, 2, 3) == 5);
  CHECK(seen(1, 2, 3) == 5);
  CHECK_THROWS_AS((rp::tensor_input<float, 2>(image)), rp::shape_error);
  rp::tensor_output<float, 3>(image)(0, 0, 0) = 7;
  CHECK(image[0] == 7);
}

TEST_CASE("an output of rank N is mutable, numeric and not a temporary") {
  static_assert(std::same_as<rp::tensor_element<rp::tensor<float>&, 3>, float>);
  static_assert(std::same_as<rp::tensor_element<rp::tensor_view<double, 3>, 3>, double>);
  static_assert(std::same_as<rp::tensor_element<rp::tensor_view<double, 3>, 4>, rp::refused>);
  static_assert(std::same_as<rp::tensor_element<const rp::tensor<float>&, 3>, rp::refused>);
  static_assert(std::same_as<rp::tensor_element<rp::tensor<float>, 3>, rp::refused>);
  static_assert(std::same_as<rp::tensor_element<rp::tensor<int>&, 3>, rp::refused>);
  static_assert(std::same_as<rp::tensor_element<rp::tensor_view<const float, 3>&, 3>, rp::refused>);
}

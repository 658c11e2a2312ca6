// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <sstream>

#include <ridgepoint/core/print.hpp>

namespace rp = ridgepoint;

namespace {
template <class X>
std::string printed(const X& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}
rp::tensor<float> counting(const rp::shape& extents) {
  rp::tensor<float> a(extents);
  std::iota(a.begin(), a.end(), 0.0F);
  return a;
}
}  // namespace

TEST_CASE("a tensor is printed in brackets with aligned columns") {
  CHECK(printed(rp::tensor<float>({2, 3}, {1, -2.5F, 3, 4, 5, 1000})) ==
        "[[   1, -2.5,    3],\n"
        " [   4,    5, 1000]]");
  CHECK(printed(counting({4})) == "[0, 1, 2, 3]");
  CHECK(printed(counting({2, 2, 2})) ==
        "[[[0, 1],\n"
        "  [2, 3]],\n"
        "\n"
        " [[4, 5],\n"
        "  [6, 7]]]");
  CHECK(printed(rp::tensor<double>(rp::shape{}, {0.125})) == "0.125");
  CHECK(printed(rp::tensor<float>()) == "[]");
  CHECK(printed(counting({2, 0})) == "[[],\n []]");
  CHECK(printed(rp::tensor<std::uint8_t>({2}, {65, 255})) == "[ 65, 255]");
  CHECK(printed(rp::tensor<rp::float16>({2}, {rp::float16(1), rp::float16(-2.5)})) == "[   1, -2.5]");
  CHECK(printed(rp::tensor<rp::bfloat16>({2}, {rp::bfloat16(1), rp::bfloat16(-2.5)})) == "[   1, -2.5]");
}

TEST_CASE("above 1000 elements only the edges are printed") {
  CHECK(printed(counting({1001})) == "[   0,    1,    2, ...,  998,  999, 1000]");
  CHECK(printed(counting({1000})).find("...") == std::string::npos);
  CHECK(printed(counting({200, 7})) ==
        "[[   0,    1,    2, ...,    4,    5,    6],\n"
        " [   7,    8,    9, ...,   11,   12,   13],\n"
        " [  14,   15,   16, ...,   18,   19,   20],\n"
        " ...,\n"
        " [1379, 1380, 1381, ..., 1383, 1384, 1385],\n"
        " [1386, 1387, 1388, ..., 1390, 1391, 1392],\n"
        " [1393, 1394, 1395, ..., 1397, 1398, 1399]]");
  CHECK(printed(counting({400, 3})).find("[3, 4, 5]") == std::string::npos);  // as wide as 1199
  CHECK(printed(counting({400, 3})).find("[   3,    4,    5]") != std::string::npos);
}

TEST_CASE("views are printed by their strides, a shape by its extents") {
  const rp::tensor<float> a = counting({2, 3});
  CHECK(printed(a.matrix().transposed()) == "[[0, 3],\n [1, 4],\n [2, 5]]");
  CHECK(printed(rp::vector_view<const float>{a.data(), 3, 2}) == "[0, 2, 4]");
  CHECK(printed(rp::tensor_view<const float, 3>(a.data(), {1, 3, 2}, {9, 1, 3})) == "[[[0, 3],\n  [1, 4],\n  [2, 5]]]");
  CHECK(printed(a.shape()) == "2x3");
  CHECK(printed(rp::shape{}) == "scalar");
}

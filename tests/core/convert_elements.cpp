// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include <ridgepoint/core/element.hpp>

namespace rp = ridgepoint;
using rp::element;

TEST_CASE("elements are converted, with rounding to narrower types") {
  const std::array<double, 4> x = {1, -1.00390625, 3e-39, std::nan("")};
  std::array<float, 4> single;
  rp::convert_elements(single.data(), element::f32, x.data(), element::f64, 4);
  CHECK((single[0] == 1 && single[1] == -1.00390625F && single[2] == 3e-39F && std::isnan(single[3])));
  std::array<rp::bfloat16, 4> narrow;
  rp::convert_elements(narrow.data(), element::bf16, single.data(), element::f32, 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(narrow[i].bits() == rp::bfloat16(single[i]).bits());
  rp::convert_elements(narrow.data(), element::bf16, x.data(), element::f64, 4);
  CHECK(narrow[1].bits() == rp::bfloat16(-1.0F).bits());  // halfway: to the even neighbour
  std::array<double, 4> wide;
  rp::convert_elements(wide.data(), element::f64, narrow.data(), element::bf16, 4);
  CHECK((wide[0] == 1 && wide[1] == -1 && std::isnan(wide[3])));
  std::array<rp::float16, 4> half;
  rp::convert_elements(half.data(), element::f16, x.data(), element::f64, 4);
  rp::convert_elements(single.data(), element::f32, half.data(), element::f16, 4);
  CHECK((single[0] == 1 && single[1] == -1.00390625F && single[2] == 0 && std::isnan(single[3])));
  rp::convert_elements(narrow.data(), element::bf16, half.data(), element::f16, 4);
  CHECK(narrow[1].bits() == rp::bfloat16(-1.0F).bits());
}

TEST_CASE("elements of the same type are copied as bytes; zero elements touch no memory") {
  const std::array<std::int32_t, 2> ids = {-1, 7};
  std::array<std::int32_t, 2> to = {};
  rp::convert_elements(to.data(), element::i32, ids.data(), element::i32, 1);
  CHECK((to[0] == -1 && to[1] == 0));
  rp::convert_elements(nullptr, element::f32, nullptr, element::f32, 0);
}

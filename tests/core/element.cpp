// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/element.hpp>
#include <ridgepoint/ops/add.hpp>

namespace rp = ridgepoint;
using rp::element;

static_assert(rp::element_of<float> == element::f32);
static_assert(rp::element_of<const double> == element::f64);
static_assert(rp::element_of<rp::bfloat16> == element::bf16);
static_assert(rp::element_of<rp::float16> == element::f16);
static_assert(rp::element_of<std::int32_t> == element::i32);
static_assert(rp::element_of<std::uint8_t> == element::u8);
static_assert(rp::element_of<const rp::stored> == element::stored);
static_assert(rp::element_of<char> == element::other);
static_assert(rp::scalar<rp::stored>);

TEST_CASE("an element has a name and a size") {
  CHECK(to_string(element::bf16) == "bf16");
  CHECK(to_string(element::f16) == "f16");
  CHECK(to_string(element::stored) == "stored");
  CHECK(rp::bytes_of(element::f32) == sizeof(float));
  CHECK(rp::bytes_of(element::f64) == sizeof(double));
  CHECK(rp::bytes_of(element::bf16) == sizeof(rp::bfloat16));
  CHECK(rp::bytes_of(element::f16) == sizeof(rp::float16));
  CHECK(rp::bytes_of(element::i32) == sizeof(std::int32_t));
  CHECK(rp::bytes_of(element::u8) == 1);
  CHECK(rp::bytes_of(element::other) == 0);
  CHECK(rp::is_number(element::bf16));
  CHECK(rp::is_number(element::f16));
  CHECK_FALSE(rp::is_number(element::i32));
}

TEST_CASE("operands of stored elements take the stored type") {
  const auto all = operands(rp::add_args<rp::stored>{.size = 3});
  CHECK(all[0].type == element::stored);
  const rp::operand x = all[0].stored_as(element::bf16);
  CHECK(x.type == element::bf16);
  CHECK(x.element_bytes == 2);
  CHECK(x.receipt_bytes == 2);
  const rp::operand ids = rp::operand::input("ids", static_cast<const std::int32_t*>(nullptr), 3);
  CHECK(ids.stored_as(element::f64).element_bytes == sizeof(std::int32_t));
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdint>

#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/ops/array_gemm.hpp>

#include "support/counting.hpp"

namespace rp = ridgepoint;
using rp::operand;

namespace {
constexpr rp::index_t rows = 3, cols = 5;

template <class... Args>
constexpr bool all_list_operands(rp::type_list<Args...>) {
  return (rp::lists_operands<Args> && ...);
}
}  // namespace

TEST_CASE("every op lists its operands") {
  static_assert(all_list_operands(rp::all_ops<float>{} + rp::all_ops<double>{} + rp::untyped_ops{} + rp::array_ops{}));
}

TEST_CASE("an operand is dense elements or a matrix") {
  float y[64];
  constexpr operand image = operand::input("x", static_cast<const float*>(nullptr), 2, 3, 4, 5);
  static_assert(image.rank == 4 && image.strides == std::array<rp::index_t, 4>{60, 20, 5, 1});
  static_assert(image.counted == 120 && image.element_bytes == 4 && image.receipt_bytes == 4);
  const rp::matrix_view<float> turned = rp::matrix_view<float>(y, rows, cols, 8).transposed();
  const operand matrix = operand::output("y", turned);
  CHECK(matrix.data == y);
  CHECK((matrix.extents[0] == cols && matrix.extents[1] == rows));
  CHECK((matrix.strides[0] == 1 && matrix.strides[1] == 8));
  CHECK(matrix.counted == rows * cols);
  CHECK((image.empty() == false && operand::output("y", y, 3, 0).empty()));
}

TEST_CASE("the traffic of operands follows their roles; non-numbers and missing operands do not count") {
  const float* const in = nullptr;
  float* const out = nullptr;
  constexpr std::uint64_t bytes = 4 * rows * cols;
  const auto one = [](const operand& o) { return rp::traffic_of({&o, 1}); };
  CHECK(one(operand::input("x", in, rows, cols)) == rp::traffic{.inputs = bytes});
  CHECK(one(operand::weight("x", in, rows, cols)) == rp::traffic{.weights = bytes});
  CHECK(one(operand::output("x", out, rows, cols)) == rp::traffic{.outputs = bytes});
  CHECK(one(operand::update("x", out, rows, cols)) == rp::traffic{.weights = bytes, .outputs = bytes});
  CHECK(one(operand::sum("x", out, rows, cols)) == rp::traffic{.inputs = bytes, .outputs = bytes});
  CHECK(one(operand::output("x", out, rows, cols).optional()) == rp::traffic{});
  CHECK(one(operand::input("x", in, rows, cols).counting(rows)) == rp::traffic{.inputs = 4 * rows});
  CHECK(one(operand::input("x", in, rows, cols).counting_if(false)) == rp::traffic{});
  CHECK(one(operand::update("state", static_cast<rp::step_state*>(nullptr))) == rp::traffic{});
  CHECK(one(operand::input("x", static_cast<const std::int32_t*>(nullptr), rows)) == rp::traffic{.inputs = 4 * rows});
  CHECK(one(operand::input("x", static_cast<const std::uint8_t*>(nullptr), rows)) == rp::traffic{.inputs = rows});
  const witness::counting* const counting = nullptr;  // takes the place of a float
  CHECK(one(operand::input("x", counting, rows)) == rp::traffic{.inputs = witness::counting_bytes * rows});
}

TEST_CASE("a receipt requested before allocation counts the requested operands") {
  static float dy;  // any address
  static double moving;
  static std::uint8_t index;
  static_assert(receipt(rp::mse_args<float>{.dy = &dy, .size = 10}).bytes == rp::traffic{.inputs = 80, .outputs = 40});
  static_assert(receipt(rp::mse_args<float>{.size = 10}).bytes == rp::traffic{.inputs = 80});
  static_assert(
      receipt(rp::batch_norm_args<double>{.rows = 4, .channels = 2, .moving_mean = &moving, .moving_variance = &moving})
          .bytes == rp::traffic{.inputs = 64, .weights = 64, .outputs = 128});
  static_assert(
      receipt(rp::max_pool2d_args<float>{.geometry = {.h = 4, .w = 4, .kh = 2, .kw = 2, .stride = 2}, .index = &index})
          .bytes == rp::traffic{.inputs = 64, .outputs = 16 + 4});
  CHECK(true);
}

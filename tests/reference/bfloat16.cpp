// SPDX-License-Identifier: MIT
// Checks the definitions in bfloat16 storage: computed and summed in float, rounded once.
#include <ridgepoint/reference/all.hpp>

#include "support/every_op.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

constexpr auto on_definition = [](int) { return rp::reference; };

rp::bfloat16 stored(double x) { return rp::bfloat16(x); }

}  // namespace

TEST_CASE("in bfloat16 the ops of a dense network are their float results, rounded once") {
  for (const index_t size : {0, 1, 7, 300}) agree_on_elementwise_ops<rp::bfloat16>(on_definition, size);
  agree_on_elementwise_ops<rp::bfloat16>(on_definition, 5, true);
  agree_on_softmax<rp::bfloat16>(on_definition, 7, 10, 3);
  agree_on_softmax<rp::bfloat16>(on_definition, 3, 70, 0, true);
  agree_on_softmax<rp::bfloat16>(on_definition, 0, 4, 0);
  for (const product_extents& e : {product_extents{1, 1, 1}, {3, 5, 7}, {16, 200, 10}, {4, 0, 3}, {0, 4, 3}})
    agree_on_products<rp::bfloat16>(on_definition, e);
}

TEST_CASE("in bfloat16 the ops of a convolutional network are their float results, rounded once") {
  agree_on_image_ops<rp::bfloat16>(on_definition);
}

TEST_CASE("a sum in bfloat16 accumulates in float: addends too small for the storage add up") {
  std::vector<rp::bfloat16> x(1025, stored(0x1p-9)), ones(1025, stored(1));
  x[0] = stored(1);
  rp::bfloat16 y;
  rp::gemm(rp::reference, {x.data(), 1, 1025}, {ones.data(), 1025, 1}, rp::matrix_view<rp::bfloat16>(&y, 1, 1));
  CHECK(static_cast<float>(y) == 3.0F);
}

TEST_CASE("options of an op in bfloat16 are floats: an alpha that is not exact in bfloat16") {
  const float alpha = 1.00390625F;  // 1 + 2⁻⁸
  const rp::bfloat16 a = stored(256), b = stored(1);
  rp::bfloat16 c;
  rp::gemm(rp::reference, {&a, 1, 1}, {&b, 1, 1}, rp::matrix_view<rp::bfloat16>(&c, 1, 1), {.alpha = alpha});
  CHECK(static_cast<float>(c) == 256.0F);  // 257 is a tie
  const rp::bfloat16 three = stored(3);
  rp::gemm(rp::reference, {&a, 1, 1}, {&three, 1, 1}, rp::matrix_view<rp::bfloat16>(&c, 1, 1), {.alpha = alpha});
  CHECK(static_cast<float>(c) == 772.0F);  // 771 = 3·257 is a tie; 768 if alpha were 1
}

TEST_CASE("receipts count two bytes per element of bfloat16") {
  static constexpr rp::bfloat16 bias;  // any address
  static_assert(receipt(rp::add_args<rp::bfloat16>{.size = 10}).bytes ==
                rp::traffic{.inputs = 40, .weights = 0, .outputs = 20});
  static_assert(receipt(rp::dense_args<rp::bfloat16>{
                            .x = {nullptr, 2, 3}, .w = {nullptr, 3, 4}, .bias = &bias, .y = {nullptr, 2, 4}})
                    .bytes == rp::traffic{.inputs = 12, .weights = 32, .outputs = 16});
  static_assert(receipt(rp::convert_args<rp::bfloat16, float>{.size = 8}).bytes ==
                rp::traffic{.inputs = 32, .outputs = 16});
  CHECK(true);
}

// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/bfloat16.hpp>

#include "mxu/backend.hpp"
#include "support/every_op.hpp"

namespace rp = ridgepoint;
using namespace agreement;

TEST_CASE("ops of dense networks stored in bfloat16 agree with their definition, on an array in fp32 and in bf16") {
  const auto check = [](const auto& on) {
    for (const product_extents& e : {product_extents{1, 1, 1}, {3, 5, 7}, {4, 8, 4}, {17, 9, 10}, {0, 4, 3}, {4, 0, 3}})
      agree_on_products<rp::bfloat16>(on, e);
    agree_on_elementwise_ops<rp::bfloat16>(on, 37);
    agree_on_softmax<rp::bfloat16>(on, 5, 10, 2);
  };
  check(mxu_backend::on_fp32);
  check(mxu_backend::on_bf16);
}

TEST_CASE("ops of convolutional networks stored in bfloat16 agree with their definition") {
  agree_on_image_ops<rp::bfloat16>(mxu_backend::on_fp32);
  agree_on_image_ops<rp::bfloat16>(mxu_backend::on_bf16);
}

TEST_CASE("operands stored in bfloat16 give an array in bf16 the bits of their floats, rounded once") {
  const auto on = mxu_backend::small_mxu(rp::systolic::number_format::bf16);
  const index_t m = 5, k = 23, n = 6;
  const operand a = random_values<rp::bfloat16>(m * k, 1), b = random_values<rp::bfloat16>(k * n, 2);
  const std::vector<float> wide_a(a.values.begin(), a.values.end()), wide_b(b.values.begin(), b.values.end());
  const auto stored = [](const operand& o) {
    std::vector<rp::bfloat16> all;
    for (const double x : o.values) all.emplace_back(x);
    return all;
  };
  const std::vector<rp::bfloat16> narrow_a = stored(a), narrow_b = stored(b);
  std::vector<float> wide(static_cast<std::size_t>(m * n));
  std::vector<rp::bfloat16> narrow(wide.size());
  rp::gemm(on, {wide_a.data(), m, k}, {wide_b.data(), k, n}, rp::matrix_view<float>(wide.data(), m, n));
  rp::gemm(on, {narrow_a.data(), m, k}, {narrow_b.data(), k, n}, rp::matrix_view<rp::bfloat16>(narrow.data(), m, n));
  for (std::size_t i = 0; i < wide.size(); ++i) CHECK(narrow[i].bits() == rp::bfloat16(wide[i]).bits());
}

// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/gemm_bfloat16.hpp>

#include <ridgepoint/cpu/dense.hpp>

#include "support/cpu_sizes.hpp"
#include "support/every_op.hpp"

namespace rp = ridgepoint;
using namespace agreement;

TEST_CASE("products in bfloat16 agree with their definition around tiles, registers and empty extents") {
  for (const product_extents& e : {product_extents{1, 1, 1},
                                   {3, 5, 7},
                                   {16, 33, 10},
                                   {5, 17, 31},
                                   {1, 40, 66},
                                   {33, 1, 17},
                                   {0, 4, 3},
                                   {4, 0, 3},
                                   {4, 3, 0}})
    agree_on_products<rp::bfloat16>(on_cpu, e);
}

TEST_CASE("products in bfloat16 agree with their definition around the blocks they are made of") {
  using block = rp::detail::stored_block;
  for (const product_extents& e : {product_extents{block::rows + 1, 9, block::cols + 1},
                                   {3, block::depth + 1, 5},
                                   {block::rows, 2 * block::depth, 2},
                                   {2, block::depth - 1, block::cols}})
    agree_on_products<rp::bfloat16>(on_cpu, e);
}

TEST_CASE("a product in bfloat16 keeps a NaN, and with beta 0 does not read c") {
  const product_extents e{3, 300, 5};
  const auto multiply = [&](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    rp::run(on, rp::gemm_args<S>{.a = {p[0], e.m, e.k}, .b = {p[1], e.k, e.n}, .c = {p[2], e.m, e.n}});
  };
  operand a = random_values<rp::bfloat16>(e.m * e.k, 1);
  a.values[299] = std::numeric_limits<double>::quiet_NaN();
  agree<rp::bfloat16>(on_cpu, {a, random_values<rp::bfloat16>(e.k * e.n, 2), output(e.m * e.n)}, multiply);
}

TEST_CASE("the sum of a long product in bfloat16 is made in float from end to end") {
  const index_t k = 3000;  // many parts of the depth
  std::vector<rp::bfloat16> x(k, rp::bfloat16(0x1p-9)), ones(k, rp::bfloat16(1));
  x[0] = rp::bfloat16(256);
  rp::bfloat16 y;
  rp::gemm(on_cpu(1), {x.data(), 1, k}, {ones.data(), k, 1}, rp::matrix_view<rp::bfloat16>(&y, 1, 1));
  CHECK(static_cast<float>(y) == 262.0F);  // 256 + 2999/512 = 261.86: 256 if a part were stored
}

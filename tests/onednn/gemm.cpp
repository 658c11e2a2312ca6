// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/onednn/gemm.hpp>
#include <ridgepoint/reference/gemm.hpp>

#include "operands.hpp"

namespace rp = ridgepoint;
using rp::index_t;

static_assert(rp::executes<rp::onednn, rp::gemm_args<float>>);
static_assert(!rp::executes<rp::onednn, rp::gemm_args<double>>, "oneDNN has no f64 product");

namespace {

/// Checks c by oneDNN and by the cpu backend against the reference, within (|α||A||B| + |β||C| + |bias|)·γ.
void check_gemm(const rp::onednn& on, const test::matrix& a, const test::matrix& b, const test::matrix& c,
                const rp::gemm_options<float>& options) {
  const auto m = c.view().rows, n = c.view().cols, k = a.view().cols;
  test::matrix expected = c, got = c, own = c;
  if (options.beta == 0) got.fill(std::numeric_limits<float>::quiet_NaN());
  rp::gemm<float>(rp::reference, a.view(), b.view(), expected.view(), options);
  CHECK(rp::gemm<float>(on, a.view(), b.view(), got.view(), options) ==
        receipt(rp::gemm_args<float>{.a = a.view(), .b = b.view(), .c = got.view(), .options = options}));
  rp::gemm<float>(rp::cpu(1), a.view(), b.view(), own.view(), options);
  const bool special = options.act == rp::activation::sigmoid || options.act == rp::activation::tanh;
  index_t wrong = 0, different = 0;
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j) {
      double size = std::abs(static_cast<double>(options.beta)) * std::abs(c.at(i, j));
      if (options.bias != nullptr) size += std::abs(static_cast<double>(options.bias[j]));
      for (index_t p = 0; p < k; ++p) size += std::abs(static_cast<double>(options.alpha) * a.at(i, p) * b.at(p, j));
      const double bound = test::gamma(k + 5) * size + (special ? test::special_error : 0);
      if (!(std::abs(got.at(i, j) - expected.at(i, j)) <= bound)) ++wrong;
      if (!(std::abs(own.at(i, j) - got.at(i, j)) <= 2 * bound)) ++different;
    }
  CHECK(wrong == 0);
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("gemm agrees with the definition and the cpu backend on random shapes, layouts and epilogues") {
  const rp::onednn on(1);
  rp::random_stream random(1);
  for (int trial = 0; trial < 150; ++trial) {
    const auto extent = [&] { return trial % 3 == 0 ? index_t{1 + random.below(8)} : index_t{1 + random.below(90)}; };
    const index_t m = extent(), n = extent(), k = extent();
    const bool ta = random.below(2) != 0, tb = random.below(2) != 0;
    const auto gap = [&] { return random.below(2) != 0 ? index_t{random.below(5)} : index_t{0}; };
    const test::matrix a(m, k, random, ta, gap()), b(k, n, random, tb, gap()), c(m, n, random, trial % 7 == 0, gap()),
        bias(1, n, random);
    constexpr float factors[] = {0, 1, -0.5F, 2};
    constexpr rp::activation fs[] = {rp::activation::none, rp::activation::relu, rp::activation::sigmoid,
                                     rp::activation::tanh};
    const rp::gemm_options<float> options{.alpha = factors[1 + random.below(3)],
                                          .beta = factors[random.below(4)],
                                          .bias = random.below(2) != 0 ? bias.view().data : nullptr,
                                          .act = fs[random.below(4)]};
    CAPTURE(m);
    CAPTURE(n);
    CAPTURE(k);
    CAPTURE(ta);
    CAPTURE(tb);
    CAPTURE(options.alpha);
    CAPTURE(options.beta);
    CAPTURE(options.act);
    check_gemm(on, a, b, c, options);
  }
}

TEST_CASE("gemm takes vectors for every operand") {
  const rp::onednn on(1);
  rp::random_stream random(2);
  for (const index_t m : {1, 5})
    for (const index_t n : {1, 5})
      for (const index_t k : {1, 33})
        for (const bool ta : {false, true})
          for (const bool tb : {false, true}) {
            CAPTURE(m);
            CAPTURE(n);
            CAPTURE(k);
            CAPTURE(ta);
            CAPTURE(tb);
            check_gemm(on, test::matrix(m, k, random, ta, 3), test::matrix(k, n, random, tb, 2),
                       test::matrix(m, n, random, false, 1), {});
          }
}

TEST_CASE("gemm with zero depth writes f(βC + bias)") {
  const rp::onednn on(1);
  rp::random_stream random(3);
  const test::matrix a(4, 0, random), b(0, 6, random), c(4, 6, random), bias(1, 6, random);
  check_gemm(on, a, b, c, {});
  check_gemm(on, a, b, c, {.beta = 2, .bias = bias.view().data, .act = rp::activation::relu});
}

TEST_CASE("gemm refuses layouts that oneDNN cannot read") {
  const rp::onednn on(1);
  float a[6] = {}, b[4] = {}, c[6] = {};
  const rp::matrix_view<const float> backwards(a + 4, 3, 2, -2), repeated(a, 3, 2, 0);
  CHECK_THROWS_WITH_AS(rp::gemm<float>(on, backwards, {b, 2, 2}, {c, 3, 2}),
                       "onednn: gemm: a is 3x2 (strides -2, 1); strides must be positive", rp::unsupported);
  CHECK_THROWS_AS(rp::gemm<float>(on, repeated, {b, 2, 2}, {c, 3, 2}), rp::unsupported);
  CHECK_THROWS_AS(rp::gemm<float>(on, {a, 2, 3}, {b, 2, 2}, {c, 2, 2}), rp::shape_error);
}

TEST_CASE("a batch equals its problems one by one") {
  const rp::onednn on(1);
  const float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
  float c[2] = {};
  rp::gemm_batched(on, rp::gemm_batched_args<float>{.first = {.a = {a, 1, 2}, .b = {b, 2, 1}, .c = {c, 1, 1}},
                                                    .count = 2,
                                                    .a_step = 2,
                                                    .b_step = 2,
                                                    .c_step = 1});
  CHECK(c[0] == 1 * 5 + 2 * 6);
  CHECK(c[1] == 3 * 7 + 4 * 8);
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/onednn/gemm.hpp>
#include <ridgepoint/reference/gemm.hpp>

#include "operands.hpp"

namespace rp = ridgepoint;
using rp::index_t;

static_assert(rp::executes<rp::onednn, rp::dense_args<float>> && !rp::executes<rp::onednn, rp::dense_args<double>>);

namespace {

/// Counts elements of got further from expected than γ(depth + 3)·(sum of magnitudes), each magnitude being ≤ 1.
index_t wrong_elements(const test::matrix& got, const test::matrix& expected, index_t depth, double more = 0) {
  index_t wrong = 0;
  const double bound = test::gamma(depth + 3) * static_cast<double>(depth + 1) + more;
  for (index_t i = 0; i < got.view().rows; ++i)
    for (index_t j = 0; j < got.view().cols; ++j)
      if (!(std::abs(got.at(i, j) - expected.at(i, j)) <= bound)) ++wrong;
  return wrong;
}

void check_dense(const rp::onednn& on, index_t n, index_t in, index_t out, index_t gap, bool bias, rp::activation f,
                 rp::random_stream& random) {
  CAPTURE(n);
  CAPTURE(in);
  CAPTURE(out);
  CAPTURE(gap);
  CAPTURE(bias);
  CAPTURE(f);
  const test::matrix x(n, in, random, false, gap), w(in, out, random, false, gap), b(1, out, random),
      dy(n, out, random, false, gap);
  test::matrix y(n, out, random, false, gap), dx(n, in, random, false, gap), dw(in, out, random, false, gap),
      db(1, out, random);
  for (test::matrix* result : {&y, &dx, &dw, &db}) result->fill(std::numeric_limits<float>::quiet_NaN());
  test::matrix y0 = y, dx0 = dx, dw0 = dw, db0 = db;

  const float* some_bias = bias ? b.view().data : nullptr;
  CHECK(rp::dense<float>(on, x.view(), w.view(), some_bias, y.view(), f) ==
        receipt(rp::dense_args<float>{.x = x.view(), .w = w.view(), .bias = some_bias, .y = y.view(), .act = f}));
  rp::dense<float>(rp::reference, x.view(), w.view(), some_bias, y0.view(), f);
  CHECK(wrong_elements(y, y0, in, test::special_error) == 0);

  rp::dense_backward_data<float>(on, dy.view(), w.view(), dx.view());
  rp::dense_backward_data<float>(rp::reference, dy.view(), w.view(), dx0.view());
  CHECK(wrong_elements(dx, dx0, out) == 0);

  rp::dense_backward_weights<float>(on, x.view(), dy.view(), dw.view(), bias ? db.data() : nullptr);
  rp::dense_backward_weights<float>(rp::reference, x.view(), dy.view(), dw0.view(), bias ? db0.data() : nullptr);
  CHECK(wrong_elements(dw, dw0, n) == 0);
  if (bias) CHECK(wrong_elements(db, db0, n) == 0);
}

}  // namespace

TEST_CASE("dense forward and backward agree with the definition on random shapes") {
  const rp::onednn on(1);
  rp::random_stream random(1);
  constexpr rp::activation fs[] = {rp::activation::none, rp::activation::relu, rp::activation::sigmoid,
                                   rp::activation::tanh};
  for (int trial = 0; trial < 60; ++trial) {
    const auto extent = [&] { return trial % 3 == 0 ? index_t{1 + random.below(6)} : index_t{1 + random.below(80)}; };
    check_dense(on, extent(), extent(), extent(), random.below(4), random.below(2) != 0, fs[random.below(4)], random);
  }
}

TEST_CASE("dense layers with zero depth") {
  const rp::onednn on(1);
  rp::random_stream random(2);
  for (const auto& [n, in, out] : {std::array<index_t, 3>{0, 3, 4}, {3, 0, 4}, {3, 4, 0}, {0, 0, 0}})
    for (const bool bias : {false, true}) check_dense(on, n, in, out, 0, bias, rp::activation::relu, random);
}

// SPDX-License-Identifier: MIT
// Checks that a prepared call builds its primitives once, and that running it writes the same as a plain call.
#include <doctest/doctest.h>

#include <limits>
#include <string_view>

#include <ridgepoint/core/either.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/onednn/all.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace rp = ridgepoint;

static_assert(rp::prepares<rp::onednn, rp::dense_args<float>> && rp::prepares<rp::onednn, rp::add_args<float>>);
static_assert(!rp::prepares<rp::onednn, rp::dense_args<double>>);

TEST_CASE("a prepared call writes nothing until it runs, then the same as a plain call") {
  const rp::onednn on(1);
  constexpr float untouched = std::numeric_limits<float>::max();
  float x[6 * 20], w[20 * 9], y[6 * 9], plain[6 * 9];
  for (int i = 0; i < 6 * 20; ++i) x[i] = static_cast<float>(i % 7) - 3;
  for (int i = 0; i < 20 * 9; ++i) w[i] = static_cast<float>(i % 5) - 2;
  std::fill_n(y, 6 * 9, untouched);
  const rp::prepared call(on, rp::dense_args<float>{.x = {x, 6, 20}, .w = {w, 20, 9}, .y = {y, 6, 9}});
  CHECK(std::count(y, y + 6 * 9, untouched) == 6 * 9);
  CHECK(std::string_view(call.info().algorithm) != "");
  CHECK(call.info().executed == receipt(call.args()));
  call.run();
  rp::run(on, rp::dense_args<float>{.x = {x, 6, 20}, .w = {w, 20, 9}, .y = {plain, 6, 9}});
  CHECK(std::equal(y, y + 6 * 9, plain));
}

TEST_CASE("ops without a oneDNN primitive also run prepared") {
  const rp::onednn on(1);
  float y[3] = {7, 7, 7}, a[3] = {1, 2, 3};
  const rp::prepared nothing_to_sum(on, rp::gemm_args<float>{.a = {a, 1, 0}, .b = {a, 0, 3}, .c = {y, 1, 3}});
  CHECK(std::string_view(nothing_to_sum.info().algorithm) == "");
  nothing_to_sum.run();
  CHECK(y[2] == 0);
  const rp::prepared copies(on, rp::activate_args<float>{.f = rp::activation::none, .size = 3, .x = a, .y = y});
  copies.run();
  CHECK(y[2] == 3);
  CHECK_THROWS_AS(
      static_cast<void>(prepare(on, rp::gemm_args<float>{.a = {a, 2, 1, 0, 1}, .b = {a, 1, 3}, .c = {y, 2, 3}})),
      rp::unsupported);
}

TEST_CASE("the first of two backends prepares the ops that it has") {
  const rp::either<rp::onednn, rp::cpu> on(rp::onednn(1), rp::cpu(1));
  float a[3] = {1, 2, 3}, y[3];
  const rp::prepared call(on, rp::add_args<float>{.size = 3, .a = a, .b = a, .y = y});
  call.run();
  CHECK(y[2] == 6);
}

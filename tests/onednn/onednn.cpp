// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/openmp_runtime.hpp>
#include <ridgepoint/onednn/elementwise.hpp>
#include <ridgepoint/onednn/onednn.hpp>

namespace rp = ridgepoint;

static_assert(rp::backend<rp::onednn>);

TEST_CASE("the number of threads is checked, used and restored") {
  CHECK_THROWS_WITH_AS(rp::onednn(-1), "onednn: threads is -1; must be 0 (all) to 1024", rp::value_error);
  CHECK_THROWS_AS(rp::onednn(1025), rp::value_error);
  CHECK(rp::onednn().thread_count() == rp::available_threads());
  const rp::openmp_runtime openmp;
  REQUIRE(openmp.found());
  const int before = openmp.max_threads();
  const rp::onednn more(before + 1);
  CHECK(more.thread_count() == before + 1);
  int inside = 0;
  static_cast<void>(more.recipe_of({{99}}, [&](const dnnl::engine& engine) {
    inside = openmp.max_threads();
    return std::vector{rp::onednn_detail::recipe(engine)};
  }));
  CHECK(inside == before + 1);
  CHECK(openmp.max_threads() == before);
}

TEST_CASE("a shape is prepared once, and its primitives run on any memory") {
  const rp::onednn on(1);
  const rp::onednn copy = on;
  int built = 0;
  const auto run = [&](const rp::onednn& where) {
    const auto build = [&](const dnnl::engine& engine) {
      ++built;
      return std::vector{rp::onednn_detail::recipe(engine)};
    };
    where.run(where.recipe_of({{99, 3}}, build), {});
  };
  run(on), run(copy), run(on);
  CHECK(built == 1);

  float a[] = {1, 2, 3}, b[] = {10, 20, 30}, c[] = {5, 5, 5}, y[3], z[3];
  rp::add<float>(on, a, b, std::span(y));
  rp::add<float>(on, a, c, std::span(z));
  CHECK(y[2] == 33);
  CHECK(z[2] == 8);
}

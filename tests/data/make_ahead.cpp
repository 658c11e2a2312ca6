// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>

#include <ridgepoint/data/make_ahead.hpp>

namespace rp = ridgepoint;

namespace {
/// Makes a number. The delay falls with the number modulo three, so items finish out of order.
rp::index_t made_slowly(rp::index_t i) {
  std::this_thread::sleep_for(std::chrono::microseconds(300 * (2 - i % 3)));
  return i;
}
}  // namespace

TEST_CASE("all items are taken once, in order, with any number of threads") {
  for (const int threads : {0, 1, 2, 7})
    for (const rp::index_t count : {0, 1, 5, 200}) {
      rp::index_t next = 0;
      rp::make_ahead(count, threads, made_slowly, [&](rp::index_t i) { CHECK(i == next++); });
      CHECK(next == count);
    }
}

TEST_CASE("at most four items per thread are made ahead") {
  std::atomic<rp::index_t> made = 0;
  rp::index_t taken = 0, most = 0;
  rp::make_ahead(
      100, 2, [&](rp::index_t) { return ++made, 0; },
      [&](int) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        most = std::max(most, made - ++taken);
      });
  CHECK(made == 100);
  CHECK(most <= 8);
  CHECK(most >= 2);
}

TEST_CASE("the first failure in order is thrown, after earlier items were taken") {
  for (const int threads : {1, 3}) {
    rp::index_t taken = 0;
    const auto make = [](rp::index_t i) {
      rp::require<rp::data_error>(made_slowly(i) != 6 && i != 7, "number ", i, " is bad; must be good");
      return i;
    };
    CHECK_THROWS_WITH_AS(rp::make_ahead(50, threads, make, [&](rp::index_t) { ++taken; }),
                         "number 6 is bad; must be good", rp::data_error);
    CHECK(taken == 6);
  }
}

TEST_CASE("an exception of the consumer is passed on") {
  rp::index_t taken = 0;
  const auto take = [&](rp::index_t i) {
    rp::require<rp::value_error>(i < 3, "enough");
    ++taken;
  };
  CHECK_THROWS_WITH_AS(rp::make_ahead(1000, 2, made_slowly, take), "enough", rp::value_error);
  CHECK(taken == 3);
  CHECK_THROWS_AS(rp::make_ahead(1, -1, made_slowly, take), rp::value_error);
}

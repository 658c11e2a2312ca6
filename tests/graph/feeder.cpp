// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include <ridgepoint/graph/feeder.hpp>

#include "toy.hpp"

namespace rp = ridgepoint;

TEST_CASE_TEMPLATE("batches hold the samples of their rows, in the network's type", T, float, double) {
  const toy::corners data(50);
  rp::feeder<T> batches(data, {6}, 3, 20);
  batches.take(10, 20);
  REQUIRE(batches.x().size() == 120);
  REQUIRE(batches.targets().size() == 20);
  float x[6];
  std::int32_t label = 0;
  const rp::index_t row = 13;
  data.gather(std::span(&row, 1), x, &label);
  CHECK(std::equal(x, x + 6, batches.x().begin() + 3 * 6));
  CHECK(batches.targets()[3] == label);
  CHECK(batches.rows()[3] == row);
  batches.take(40, 10);
  CHECK(batches.x().size() == 60);
  CHECK(batches.rows().size() == 10);
}

TEST_CASE("an epoch's shuffle is a permutation that depends on seed and epoch alone") {
  toy::corners data(100);
  data.features = 1;
  const auto order = [&](std::uint64_t seed, std::uint64_t epoch, std::uint64_t before) {
    rp::feeder<float> batches(data, {1}, 3, 100);
    batches.shuffle(seed, before);
    batches.shuffle(seed, epoch);
    batches.take(0, 100);
    return std::vector<float>(batches.x().begin(), batches.x().end());
  };
  const auto a = order(1, 0, 5);
  CHECK(a == order(1, 0, 9));
  CHECK(a != order(1, 1, 0));
  CHECK(a != order(2, 0, 0));
  auto sorted = a, other = order(1, 1, 0);
  std::sort(sorted.begin(), sorted.end());
  std::sort(other.begin(), other.end());
  CHECK(sorted == other);
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/training_core.hpp>

TEST_CASE("the network for whole batches is cached, and one more, for any number of sizes") {
  ridgepoint::by_batch<int> networks(8);
  int made = 0;
  const auto get = [&](int batch) { return networks.get(batch, [&] { return ++made, std::make_unique<int>(batch); }); };
  CHECK(get(8) == 8);
  for (int rest = 1; rest < 8; ++rest) {
    CHECK(get(rest) == rest);
    CHECK(get(rest) == rest);
    CHECK(get(8) == 8);
    CHECK(networks.count() == 2);
  }
  CHECK(made == 8);
}

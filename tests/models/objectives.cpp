// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/all.hpp>

namespace rp = ridgepoint;

TEST_CASE("a model trains its output, or its objectives if it has any") {
  rp::graph one("one");
  const auto alone = rp::models::objectives_of(rp::models::mnist_mlp{}, one);
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].output.extents() == rp::shape{10});
  CHECK(alone[0].loss.name() == "softmax_cross_entropy");
  CHECK(alone[0].weight == 1);

  rp::graph two("two");
  const auto both = rp::models::objectives_of(rp::models::text_generator_keras{}, two);
  REQUIRE(both.size() == 2);
  CHECK((both[0].weight == 1 && both[1].weight == 0.2));
  const std::vector<rp::node> outputs = rp::models::outputs_of(both);
  REQUIRE(outputs.size() == 2);
  CHECK((two.index_of(outputs[0]) == two.index_of(both[0].output) &&
         two.index_of(outputs[1]) == two.index_of(both[1].output)));
}

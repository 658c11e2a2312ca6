// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/text.hpp>

#include "counts.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;
using rp::models::transformer;

TEST_CASE("Transformer base and big have the published parameters and multiply-adds") {
  const auto check = [](const auto& model, rp::index_t parameters, double per_pair) {
    const counts c(model);
    CHECK(c.parameters == parameters);
    CHECK(model.extents.parameter_count() == parameters);
    CHECK(c.forward == 2 * static_cast<std::uint64_t>(model.extents.mac_count()));
    const transformer& e = model.extents;
    const rp::index_t hidden = e.layers * e.width * e.steps * (e.steps - 1);  // masked for causal tokens
    CHECK(static_cast<double>(e.mac_count() + hidden) / static_cast<double>(e.steps) == near(per_pair, 1e-3));
  };
  check(rp::models::transformer_base{}, 63'045'632, 0.0642e9);
  check(rp::models::transformer_big{}, 214'171'648, 0.2164e9);
}

TEST_CASE("parameters set the shape of a Transformer") {
  const auto model = rp::models::configured<rp::models::transformer_base>(
      {{"layers", 1}, {"width", 8}, {"hidden", 12}, {"heads", 2}, {"vocabulary", 11}, {"length", 5}});
  CHECK(counts(model).parameters == model.extents.parameter_count());
  CHECK(counts(model).forward == 2 * static_cast<std::uint64_t>(model.extents.mac_count()));
  rp::graph net("none");
  CHECK_THROWS_WITH_AS(static_cast<void>(transformer{.layers = 0}.logits(net)),
                       "transformer: layers is 0; must be >= 1", rp::value_error);
}

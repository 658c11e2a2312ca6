// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/all.hpp>

namespace rp = ridgepoint;
namespace models = ridgepoint::models;

TEST_CASE("a parameterised model takes its numbers by name") {
  const auto fc = models::configured<models::paradnn_fc>({{"layers", 32}, {"nodes", 2048}});
  CHECK(fc.layers == 32);
  CHECK(fc.nodes == 2048);
  CHECK(fc.inputs == 2000);  // unchanged
  const auto cnn = models::configured<models::paradnn_cnn>({{"blocks", 5}, {"blocks3", 7}, {"bottleneck", 0}});
  CHECK(cnn.blocks == std::array<rp::index_t, 4>{5, 5, 7, 5});
  CHECK(!cnn.bottleneck);
  CHECK_THROWS_WITH_AS(static_cast<void>(models::configured<models::paradnn_cnn>({{"bottleneck", 2}})),
                       "paradnn-cnn: bottleneck is 2; must be 0 or 1", rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(models::configured<models::paradnn_fc>({{"depth", 3}})),
                       "paradnn-fc: has no option \"depth\"; must be one of: layers, nodes, inputs, outputs",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(models::configured<models::paradnn_fc>({{"layer", 3}})),
      "paradnn-fc: has no option \"layer\"; must be one of: layers, nodes, inputs, outputs (did you mean layers?)",
      rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(models::configured<models::mnist_mlp>({{"layers", 3}})),
                       "mnist-mlp: has no option \"layers\"; it has none", rp::value_error);
}

TEST_CASE("a parameter of one number reads what was set") {
  const auto check = []<class Model>(Model model) {
    for (const models::model_parameter<Model>& p : Model::parameters()) {
      CAPTURE(p.name);
      CHECK((p.get == nullptr) == (p.name == "blocks"));  // which sets four numbers
      if (p.get == nullptr) continue;
      const rp::index_t before = p.get(model), other = before == 1 ? 0 : 1;
      p.set(model, other);
      CHECK(p.get(model) == other);
      p.set(model, before);
      CHECK(p.get(model) == before);
    }
  };
  check(models::paradnn_cnn{});
  check(models::paradnn_fc{});
  check(models::paradnn_gru{});
  check(models::retinanet{});
  check(models::lstm_text_generation{});
  check(models::imdb_fasttext{});
  check(models::transformer_big{});
  CHECK(models::transformer_big::parameters()[1].get({}) == 1024);
}

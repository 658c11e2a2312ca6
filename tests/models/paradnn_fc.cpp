// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/paradnn.hpp>

#include "counts.hpp"
#include "support/near.hpp"
#include "support/reference_data.hpp"

namespace rp = ridgepoint;
using rp::models::paradnn_fc;

TEST_CASE("parameters and FLOP are ParaDnn's: 2·W forward, 6·W in training without the first layer's gradient") {
  for (const rp::index_t layers : {1, 2, 4, 16})
    for (const rp::index_t nodes : {32, 256, 1024})
      for (const rp::index_t inputs : {2000, 8000})
        for (const rp::index_t outputs : {200, 1000}) {
          const paradnn_fc model{.layers = layers, .nodes = nodes, .inputs = inputs, .outputs = outputs};
          const counts c(model, 8);
          const auto w = static_cast<std::uint64_t>(model.weights());
          CHECK(c.parameters == model.parameter_count());
          CHECK(c.forward == 2 * w);
          CHECK(c.training == 6 * w - 2 * static_cast<std::uint64_t>(inputs * nodes));
        }
}

TEST_CASE("the ends of the published sweep: 73,800 to 557.1 million parameters, and 6·W of its rows") {
  CHECK(paradnn_fc{.layers = 4, .nodes = 32, .inputs = 2000, .outputs = 200}.parameter_count() == 73'800);
  CHECK(paradnn_fc{.layers = 4, .nodes = 32}.parameter_count() == 100'200);
  CHECK(paradnn_fc{.layers = 128, .nodes = 2048}.parameter_count() / 1e6 == near(539.1, 1e-4));
  CHECK(6e-9 * 64 * static_cast<double>(paradnn_fc{.layers = 64, .nodes = 512}.weights()) == near(6.9316, 1e-5));
  CHECK(6e-9 * 8192 * static_cast<double>(paradnn_fc{.layers = 128, .nodes = 512}.weights()) == near(1711.88, 1e-5));
}

TEST_CASE("paradnn-fc trains as ParaDnn does") {
  constexpr paradnn_fc::optimiser rmsprop;
  CHECK(rmsprop.learning_rate == 0.1);
  CHECK(rmsprop.options.rho == 0.9);
  CHECK(rmsprop.options.momentum == 0.9);
  CHECK(rmsprop.options.epsilon == 1);
}

TEST_CASE("invalid parameters are refused") {
  rp::graph net("bad");
  CHECK_THROWS_WITH_AS((paradnn_fc{.layers = 0}.build(net)), "paradnn-fc: layers is 0; must be >= 1", rp::value_error);
  CHECK_THROWS_AS((paradnn_fc{.nodes = 0}.build(net)), rp::shape_error);
  CHECK_THROWS_AS((paradnn_fc{.inputs = -3}.build(net)), rp::shape_error);
}

TEST_CASE("parameters and FLOP of every measured network" * doctest::test_suite("reference_data")) {
  for (const char* table : {"paradnn_tpu_fc.csv", "paradnn_gpu_fc.csv"}) {
    const auto rows = reference_data::read_csv(reference_data::folder() / table);
    const double cores = std::string_view(table) == "paradnn_tpu_fc.csv" ? 8 : 1;  // a TPU's rows are per core
    CHECK(rows.size() > 100);
    for (const auto& row : rows) {
      const auto number = [&](const char* column) { return static_cast<rp::index_t>(std::stoll(row.at(column))); };
      const paradnn_fc model{
          .layers = number("layer"), .nodes = number("node"), .inputs = number("input"), .outputs = number("output")};
      CHECK(model.parameter_count() == number("params_exact"));
      CHECK(6e-9 * static_cast<double>(number("batch") * model.weights()) / cores ==
            near(std::stod(row.at("fl_exact_6bW")), 1e-6));
    }
  }
}

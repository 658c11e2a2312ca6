// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/paradnn.hpp>

#include "counts.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;
using rp::index_t;
using rp::models::paradnn_cnn;

namespace {

/// Published parameters and GFLOP of a forward pass, for 1, 4 and 8 blocks per group and 16, 32 and 64 filters.
struct published {
  bool bottleneck;
  index_t pixels;
  index_t parameters[3][3];  // [filters][blocks]
  double forward[3][3];
};
constexpr published table[] = {
    {false,
     200,
     {{438'744, 1'616'664, 3'187'224}, {1'488'328, 6'194'248, 12'468'808}, {5'423'016, 24'235'176, 49'318'056}},
     {{.131, .431, .831}, {.431, 1.630, 3.228}, {1.535, 6.330, 12.724}}},
    {false,
     250,
     {{822'744, 2'000'664, 3'571'224}, {2'256'328, 6'962'248, 13'236'808}, {6'959'016, 25'771'176, 50'854'056}},
     {{.201, .651, 1.250}, {.656, 2.454, 4.851}, {2.325, 9.517, 19.105}}},
    {false,
     300,
     {{2'358'744, 3'536'664, 5'107'224}, {5'328'328, 10'034'248, 16'308'808}, {13'103'016, 31'915'176, 56'998'056}},
     {{.293, .945, 1.814}, {.953, 3.561, 7.037}, {3.374, 13.804, 27.710}}},
    {true,
     200,
     {{1'019'384, 2'137'784, 3'628'984}, {3'036'168, 7'492'488, 13'434'248}, {10'064'936, 27'855'656, 51'576'616}},
     {{.192, .475, .853}, {.673, 1.805, 3.315}, {2.501, 7.029, 13.068}}},
    {true,
     224,
     {{1'019'384, 2'137'784, 3'628'984}, {3'036'168, 7'492'488, 13'434'248}, {10'064'936, 27'855'656, 51'576'616}},
     {{.229, .556, .993}, {.794, 2.105, 3.852}, {2.938, 8.178, 15.166}}},
    {true,
     250,
     {{2'555'384, 3'673'784, 5'164'984}, {6'108'168, 10'564'488, 16'506'248}, {16'208'936, 33'999'656, 57'720'616}},
     {{.296, .721, 1.287}, {1.029, 2.727, 4.991}, {3.807, 10.599, 19.655}}},
    {true,
     300,
     {{8'699'384, 9'817'784, 11'308'984}, {18'396'168, 22'852'488, 28'794'248}, {40'784'936, 58'575'656, 82'296'616}},
     {{.437, 1.053, 1.874}, {1.505, 3.968, 7.251}, {5.532, 15.383, 28.516}}},
};

}  // namespace

TEST_CASE("parameters and FLOP of the published grid: 63 networks") {
  for (const published& row : table)
    for (int f = 0; f < 3; ++f)
      for (int b = 0; b < 3; ++b) {
        const index_t filters[] = {16, 32, 64}, blocks[] = {1, 4, 8};
        const index_t n = blocks[b];
        CAPTURE(row.pixels);
        CAPTURE(filters[f]);
        CAPTURE(n);
        const counts c(paradnn_cnn{
            .bottleneck = row.bottleneck, .blocks = {n, n, n, n}, .filters = filters[f], .pixels = row.pixels});
        CHECK(c.parameters == row.parameters[f][b]);
        CHECK(std::abs(static_cast<double>(c.forward) * 1e-9 - row.forward[f][b]) <= 0.00051);
      }
}

TEST_CASE("the default is ResNet-50 v1.5, with the exact FLOP") {
  const counts c(paradnn_cnn{});
  CHECK(c.parameters == 25'557'032);
  CHECK(c.forward == 8'178'368'512);
  CHECK(c.training == 24'299'077'632);
}

TEST_CASE("the smallest and the largest network of the paper's grid") {
  CHECK(counts(paradnn_cnn{.bottleneck = false, .blocks = {1, 1, 1, 1}, .filters = 16, .pixels = 200, .outputs = 500})
            .parameters == 374'244);
  CHECK(counts(paradnn_cnn{.blocks = {8, 8, 8, 8}, .filters = 64, .pixels = 300, .outputs = 1500}).parameters ==
        98'681'116);
}

TEST_CASE("paradnn-cnn trains as ParaDnn does: RMSProp, its rate decays by 0.97 over 25,000 steps, continuously") {
  constexpr paradnn_cnn::optimiser rmsprop;
  CHECK(rmsprop.options.rho == 0.9);
  CHECK(rmsprop.options.momentum == 0.9);
  CHECK(rmsprop.options.epsilon == 1);
  const auto rate = [&](std::uint64_t step) {
    return rp::scheduled_rate(rmsprop.schedule, rmsprop.learning_rate, step);
  };
  CHECK(rate(0) == 0.1);
  CHECK(rate(12'500) == near(0.1 * std::sqrt(0.97), 1e-12));
  CHECK(rate(25'000) == near(0.097, 1e-12));
  CHECK(rate(100'000) == near(0.1 * 0.97 * 0.97 * 0.97 * 0.97, 1e-12));
}

TEST_CASE("paradnn-cnn is initialised as in ParaDnn: head normal(0.01), convolutions variance 1 / in, branches zero") {
  rp::graph net("paradnn-cnn");
  const auto made = rp::plan_inference(net, paradnn_cnn{.blocks = {1, 1, 1, 1}}.build(net));
  const auto variance = [](const auto& spec) {
    rp::random_stream random(5);
    std::vector<double> draws(20'000);
    spec.initial(random, spec.fan, draws);
    double sum = 0;
    for (const double value : draws) sum += value * value;
    return sum / static_cast<double>(draws.size());
  };
  int convolutions = 0, zero_gammas = 0;
  for (const auto& p : made.parameters) {
    CAPTURE(p.name);
    if (p.name == "dense_1.w") CHECK(variance(p.spec) == near(1e-4, 0.04));
    if (p.spec.extents.rank() == 4) {
      ++convolutions;
      const auto& w = p.spec.extents;
      CHECK(variance(p.spec) == near(1.0 / static_cast<double>(w[0] * w[1] * w[2]), 0.04));
    }
    if (p.spec.name == "gamma" && variance(p.spec) == 0) ++zero_gammas;
  }
  CHECK(convolutions == 1 + 4 * 4);
  CHECK(zero_gammas == 4);
}

TEST_CASE("the head is not a global average: larger images give a larger dense layer") {
  const auto features = [](index_t pixels) {
    rp::graph net("head");
    const rp::node y = paradnn_cnn{.blocks = {1, 1, 1, 1}, .filters = 16, .pixels = pixels}.build(net);
    const auto made = rp::plan_inference(net, y);
    return made.parameters[made.parameters.size() - 2].spec.extents[0];
  };
  CHECK(features(200) == 512);
  CHECK(features(224) == 512);
  CHECK(features(250) == 4 * 512);
  CHECK(features(300) == 16 * 512);
}

TEST_CASE("invalid parameters are refused") {
  rp::graph net("bad");
  CHECK_THROWS_WITH_AS((paradnn_cnn{.pixels = 100}.build(net)),
                       "avg_pool: height is 4 with its padding but the window reaches 7; must fit", rp::shape_error);
  CHECK_THROWS_AS((paradnn_cnn{.pixels = 192}.build(net)), rp::shape_error);
  CHECK_NOTHROW((paradnn_cnn{.pixels = 193}.build(net)));
  CHECK_THROWS_WITH_AS((paradnn_cnn{.blocks = {3, 0, 6, 3}}.build(net)),
                       "paradnn-cnn: group 2 has 0 blocks; must be >= 1", rp::value_error);
  CHECK_THROWS_AS((paradnn_cnn{.filters = 0}.build(net)), rp::shape_error);
}

// SPDX-License-Identifier: MIT
// Valid inputs, state and initial values of layers on images and sequences.
#include <doctest/doctest.h>

#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/near.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

TEST_CASE("shapes of image layers") {
  rp::graph net("shapes");
  const rp::node x = net.input({28, 27, 3});
  CHECK((x | nn::conv2d{.filters = 8, .kernel = 3}).extents() == rp::shape{26, 25, 8});
  CHECK((x | nn::conv2d{.filters = 8, .kernel = 3, .stride = 2, .padding = nn::same}).extents() ==
        rp::shape{14, 14, 8});
  CHECK((x | nn::conv2d{.filters = 8, .kernel = {1, 5}, .padding = rp::padding2d{0, 0, 2, 2}}).extents() ==
        rp::shape{28, 27, 8});
  CHECK((x | nn::depthwise_conv2d{.multiplier = 2, .kernel = 3}).extents() == rp::shape{26, 25, 6});
  CHECK((x | nn::max_pool{}).extents() == rp::shape{14, 13, 3});
  CHECK((x | nn::avg_pool{.window = 3, .stride = 2, .padding = nn::same}).extents() == rp::shape{14, 14, 3});
  CHECK((x | nn::max_pool{.rounding = rp::rounding_rule::up}).extents() == rp::shape{14, 14, 3});
  CHECK((x | nn::avg_pool{.window = 3, .stride = {2, 3}, .rounding = rp::rounding_rule::up}).extents() ==
        rp::shape{14, 9, 3});
  CHECK((x | nn::global_avg_pool{}).extents() == rp::shape{3});
  CHECK((x | nn::global_max_pool{}).extents() == rp::shape{3});
  CHECK((x | nn::batch_norm{}).extents() == x.extents());
  CHECK((x | nn::layer_norm{}).extents() == x.extents());
  CHECK((x | nn::pad_channels{.before = 2, .after = 1}).extents() == rp::shape{28, 27, 6});
  CHECK((x | nn::reshape{{28 * 27, 3}}).extents() == rp::shape{756, 3});
  CHECK((x | nn::slice{.count = 2}).extents() == rp::shape{28, 27, 2});
  CHECK((x | nn::slice{.axis = 0, .first = 5, .count = 23}).extents() == rp::shape{23, 27, 3});
  CHECK((x | nn::slice{.axis = -2, .first = 26, .count = 1}).extents() == rp::shape{28, 1, 3});
}

TEST_CASE("transposed convolutions have the extents of Keras, or those requested") {
  rp::graph net("shapes");
  const rp::node x = net.input({7, 5, 3});
  using layer = nn::conv2d_transposed;
  const auto extents = [&](const layer& l) { return (x | l).extents(); };
  CHECK(extents({.filters = 4, .kernel = 3}) == rp::shape{9, 7, 4});
  CHECK(extents({.filters = 4, .kernel = 3, .stride = 2}) == rp::shape{15, 11, 4});
  CHECK(extents({.filters = 4, .kernel = 2, .stride = 3}) == rp::shape{21, 15, 4});
  CHECK(extents({.filters = 4, .kernel = 3, .stride = 2, .padding = nn::same}) == rp::shape{14, 10, 4});
  CHECK(extents({.filters = 4, .kernel = 3, .stride = 2, .padding = nn::same, .output_padding = 0}) ==
        rp::shape{13, 9, 4});
  CHECK(extents({.filters = 4, .kernel = 3, .stride = {2, 1}, .output_padding = rp::spatial{1, 0}}) ==
        rp::shape{16, 7, 4});
  CHECK(extents({.filters = 4, .kernel = 3, .stride = 2, .padding = rp::padding2d{1, 1, 1, 0}, .dilation = 2}) ==
        rp::shape{15, 12, 4});
  CHECK_THROWS_WITH_AS(extents({.filters = 4, .kernel = 3, .stride = 2, .output_padding = 2}),
                       "conv2d_transposed: output_padding is 2; must be from 0 to 1, below the stride",
                       rp::shape_error);
  CHECK_THROWS_AS(extents({.kernel = 3}), rp::shape_error);
  CHECK_THROWS_AS(extents({.filters = 4}), rp::shape_error);
  CHECK_THROWS_AS(extents({.filters = 4, .kernel = 3, .stride = 0}), rp::value_error);
  CHECK_THROWS_AS(extents({.filters = 4, .kernel = 3, .padding = rp::padding2d{9, 9, 9, 9}}), rp::shape_error);
  CHECK_THROWS_AS(extents({.filters = 4, .kernel = 2, .stride = rp::index_t{1} << 62}), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(net.input({5}) | layer{.filters = 4, .kernel = 3}), rp::shape_error);
}

TEST_CASE("shapes of sequence layers") {
  rp::graph net("shapes");
  const rp::node tokens = net.input({10}, rp::element::i32), x = tokens | nn::embedding{.vocabulary = 7, .width = 4};
  CHECK(x.extents() == rp::shape{10, 4});
  CHECK((x | nn::rnn{.units = 5}).extents() == rp::shape{5});
  CHECK((x | nn::conv1d{.filters = 6, .kernel = 3, .stride = 2}).extents() == rp::shape{4, 6});
  CHECK((x | nn::conv1d{.filters = 6, .kernel = 3, .padding = nn::same, .dilation = 2}).extents() == rp::shape{10, 6});
  CHECK((x | nn::conv1d{.filters = 6, .kernel = 3, .dilation = 2}).extents() == rp::shape{6, 6});
  CHECK((x | nn::lstm{.units = 5, .sequences = true}).extents() == rp::shape{10, 5});
  CHECK((x | nn::lstm{.units = 5, .projection = 3, .sequences = true}).extents() == rp::shape{10, 3});
  CHECK((x | nn::lstm{.units = 5, .projection = 8}).extents() == rp::shape{8});
  CHECK((x | nn::gru{.units = 5, .sequences = true}).extents() == rp::shape{10, 5});
  CHECK((x | nn::dropout{.shared_steps = true}).extents() == rp::shape{10, 4});
  CHECK((x | nn::global_avg_pool1d{}).extents() == rp::shape{4});
  CHECK((x | nn::dense{.units = 6}).extents() == rp::shape{10, 6});
  CHECK((x | nn::bidirectional<nn::rnn>{.cell = {.units = 5}}).extents() == rp::shape{10});
  CHECK((x | nn::bidirectional<nn::gru>{.cell = {.units = 5}, .merge = rp::merge_rule::sum}).extents() == rp::shape{5});
  using both = nn::bidirectional<nn::lstm>;
  CHECK((x | both{.cell = {.units = 5, .sequences = true}}).extents() == rp::shape{10, 10});
  CHECK((x | both{.cell = {.units = 5, .projection = 2, .sequences = true}}).extents() == rp::shape{10, 4});
  CHECK((x | both{.cell = {.units = 5, .sequences = true}, .merge = rp::merge_rule::average}).extents() ==
        rp::shape{10, 5});
}

namespace {

/// Returns a sequence with its steps reversed, for (samples, steps, width).
std::vector<double> turned(const std::vector<double>& x, std::size_t samples, std::size_t steps) {
  const std::size_t width = x.size() / samples / steps;
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < samples; ++i)
    for (std::size_t t = 0; t < steps; ++t)
      std::copy_n(&x[(i * steps + t) * width], width, &y[(i * steps + steps - 1 - t) * width]);
  return y;
}
std::vector<double> values_between(std::size_t count, std::uint64_t stream) {
  rp::random_stream random(23, stream);
  std::vector<double> values(count);
  for (double& v : values) v = random.uniform(-1, 1);
  return values;
}
/// Runs a network with these parameters on two samples of x.
std::vector<double> answers(const rp::graph& net, const rp::node& y, const std::vector<double>& x,
                            const std::vector<std::pair<std::string, std::vector<double>>>& parameters) {
  auto session = net.compile<double>(rp::reference, y, {.batch = 2});
  for (const auto& [name, values] : parameters) session.set_parameter(name, values);
  std::vector<double> result(static_cast<std::size_t>(2 * y.extents().size()));
  session.run(x, result);
  return result;
}

}  // namespace

TEST_CASE("a bidirectional layer is two layers, one on the reversed steps") {
  constexpr std::size_t samples = 2, steps = 5, in = 3, units = 4;
  const std::vector<double> x = values_between(samples * steps * in, 1);
  const auto parameters = [&](const std::string& before, std::uint64_t first) {
    return std::vector<std::pair<std::string, std::vector<double>>>{
        {before + "wx", values_between(in * 4 * units, first)},
        {before + "wh", values_between(units * 4 * units, first + 1)},
        {before + "b", values_between(4 * units, first + 2)}};
  };
  auto of_both = parameters("bidirectional_1.forward.", 2);
  for (auto& each : parameters("bidirectional_1.backward.", 5)) of_both.push_back(std::move(each));
  for (const bool sequences : {true, false}) {
    const nn::lstm cell{.units = units, .sequences = sequences};
    rp::graph alone("alone");
    const rp::node one = alone.input({steps, in}) | cell;
    const std::vector<double> ahead = answers(alone, one, x, parameters("lstm_1.", 2));
    std::vector<double> back = answers(alone, one, turned(x, samples, steps), parameters("lstm_1.", 5));
    if (sequences) back = turned(back, samples, steps);
    for (const auto merge : {rp::merge_rule::concat, rp::merge_rule::sum, rp::merge_rule::average}) {
      CAPTURE(sequences);
      CAPTURE(static_cast<int>(merge));
      rp::graph net("both");
      const rp::node y = net.input({steps, in}) | nn::bidirectional<nn::lstm>{.cell = cell, .merge = merge};
      const std::vector<double> got = answers(net, y, x, of_both);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < ahead.size(); ++i) {
        const std::size_t side = i / units * 2 * units + i % units;
        if (merge == rp::merge_rule::concat) wrong += got[side] != ahead[i] || got[side + units] != back[i];
        else if (merge == rp::merge_rule::sum) wrong += got[i] != ahead[i] + back[i];
        else wrong += got[i] != (ahead[i] + back[i]) / 2;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("with concat, sequences of both directions are written to their columns without a copy") {
  const auto calls = [](bool sequences, rp::merge_rule merge) {
    rp::graph net("both");
    const rp::node y =
        net.input({5, 3}) | nn::bidirectional<nn::gru>{.cell = {.units = 4, .sequences = sequences}, .merge = merge};
    std::vector<std::string> ops;
    for (const auto& call : rp::plan_inference(net, y).plan.calls) ops.push_back(to_string(*call.op));
    return ops;
  };
  using names = std::vector<std::string>;
  CHECK(calls(true, rp::merge_rule::concat) == names{"gru<float>", "gru<float>"});
  CHECK(calls(false, rp::merge_rule::concat) == names{"gru<float>", "gru<float>", "concat_channels<float>"});
  CHECK(calls(true, rp::merge_rule::sum) == names{"gru<float>", "gru<float>", "add<float>"});
  CHECK(calls(true, rp::merge_rule::average) == names{"gru<float>", "gru<float>", "avg_pool2d<float>"});
}

TEST_CASE("steps that share a mask drop the same features, and inference drops none") {
  rp::graph net("mask");
  const rp::node y = net.input({7, 40}) | nn::dropout{.rate = 0.5F, .shared_steps = true} | nn::global_avg_pool1d{} |
                     nn::dense{.units = 1, .bias = false};
  auto trainer = net.train<double>(rp::reference, y, nn::mse{}, nn::sgd{.learning_rate = 0}, {.batch = 1, .seed = 3});
  const std::vector<double> x(7 * 40, 1.0), target{5.0}, ones(40, 1.0);
  trainer.set_parameter("dense_1.w", ones);
  static_cast<void>(trainer.step(x, target));
  const rp::tensor<double> gradient = trainer.gradient("dense_1.w");
  int lost = 0;
  const double kept = *std::min_element(gradient.data(), gradient.data() + 40,
                                        [](double a, double b) { return std::abs(a) > std::abs(b); });
  for (const double g : gradient.values()) {
    CHECK((g == 0 || g == near(kept, 1e-12)));
    lost += g == 0 ? 1 : 0;
  }
  CHECK((lost > 5 && lost < 35));
  CHECK(trainer.predict(x)[0] == near(40, 1e-12));
}

TEST_CASE("layers refuse invalid arguments when the graph is built") {
  rp::graph net("bad");
  const rp::node flat = net.input({12}), image = net.input({4, 4, 2}), sequence = net.input({4, 3});
  CHECK_THROWS_WITH_AS(static_cast<void>(flat | nn::conv2d{.filters = 2, .kernel = 3}),
                       "conv2d: input is 12; must be height x width x channels", rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(image | nn::conv2d{.filters = 2, .kernel = 5}),
                       "conv2d: height is 4 with its padding but the window reaches 5; must fit", rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(image | nn::conv2d{.kernel = 3}), "conv2d: filters is 0; must be > 0",
                       rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(image | nn::conv2d{.filters = 2}), rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(image | nn::conv2d{.filters = 3, .kernel = 3, .groups = 2}),
                       "conv2d: groups is 2, c is 2, f is 3; must divide c and f", rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(image | nn::conv2d{.filters = 2, .kernel = 3, .groups = 0}), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(nn::conv2d{.filters = 2, .kernel = 3, .groups = 0}.parameters({8, 8, 3})),
                  rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(image | nn::depthwise_conv2d{}), rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(flat | nn::dense{}), "dense: units is 0; must be > 0", rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(image | nn::dense{.units = 3}),
                       "dense: input is 4x4x2; must be features or steps x features: nn::flatten{} makes features of "
                       "an image, nn::conv2d{.kernel = 1} computes each of its pixels",
                       rp::shape_error);
  CHECK((sequence | nn::dense{.units = 3}).extents() == rp::shape{4, 3});
  CHECK_THROWS_WITH_AS(static_cast<void>(image | nn::reshape{{3, 5}}),
                       "reshape: extents are 3x5, 15 values; must have the 32 of the input 4x4x2", rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::concat_channels(image, sequence)),
                       "concat_channels: a is 4x4x2 but b is 4x3; must differ in the last extent only",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(image | nn::pad_channels{.before = -1, .after = 3}),
                       "pad_channels: -1 before and 3 after; must be >= 0", rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(image | nn::slice{.axis = 3, .count = 1}),
                       "slice: axis is 3 of 4x4x2; must be one of its 3", rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(image | nn::slice{.axis = -4, .count = 1}), rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(image | nn::slice{.axis = 1, .first = 2, .count = 3}),
                       "slice: 3 from 2 on, of 4 along axis 1 of 4x4x2; must fit", rp::shape_error);
  for (const auto& odd : {nn::slice{.count = 0}, nn::slice{.first = -1, .count = 1}, nn::slice{.first = 2, .count = 1}})
    CHECK_THROWS_AS(static_cast<void>(image | odd), rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(image | nn::global_avg_pool1d{}),
                       "global_avg_pool1d: input is 4x4x2; must be steps x features", rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(flat | nn::dropout{.shared_steps = true}),
                       "dropout: input is 12; must be steps x features, to share a mask among its steps",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(flat | nn::bidirectional<nn::lstm>{.cell = {.units = 3}}),
                       "lstm: input is 12; must be steps x features", rp::shape_error);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(sequence |
                        nn::bidirectional<nn::rnn>{.cell = {.units = 3}, .merge = static_cast<rp::merge_rule>(9)}),
      "bidirectional: merge is number 9; must be concat, sum or average", rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(sequence | nn::rnn{}), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(sequence | nn::lstm{}), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(sequence | nn::gru{}), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(net.input({5}, rp::element::i32) | nn::embedding{.vocabulary = 9}),
                  rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(net.input({5}, rp::element::i32) | nn::embedding{.width = 9}), rp::value_error);
  for (const auto& padding : {nn::valid, nn::same})
    for (const rp::index_t stride : {0, -1})
      CHECK_THROWS_AS(static_cast<void>(image | nn::max_pool{.stride = stride, .padding = padding}), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(image | nn::depthwise_conv2d{.multiplier = -1, .kernel = 3}), rp::shape_error);
  constexpr rp::index_t huge = rp::index_t{1} << 62;
  for (const rp::index_t kernel : {huge, -huge, rp::index_t{0}})
    CHECK_THROWS_AS(
        static_cast<void>(image | nn::conv2d{.filters = 2, .kernel = kernel, .padding = nn::same, .dilation = 4}),
        rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(image | nn::conv2d{.filters = huge, .kernel = 2}), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(sequence | nn::global_avg_pool{}), rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(sequence | nn::global_max_pool{}),
                       "global_max_pool: input is 4x3; must be height x width x channels", rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(image | nn::conv1d{.filters = 2, .kernel = 3}),
                       "conv1d: input is 4x4x2; must be steps x features", rp::shape_error);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(sequence | nn::conv1d{.filters = 2, .kernel = 3, .padding = rp::padding2d{1, 1, 0, 0}}),
      "conv1d: padding is 1 above and 1 below; must be 0", rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(sequence | nn::conv1d{.filters = 2, .kernel = 5}), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(sequence | nn::conv1d{.filters = 2, .kernel = 3, .stride = 0}), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(image | nn::batch_norm{.epsilon = 0}), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(image | nn::layer_norm{.epsilon = -1}), rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(image | nn::group_norm{.groups = 4}),
                       "group_norm: groups is 4 of 2 channels; must divide them", rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(image | nn::lstm{.units = 3}),
                       "lstm: input is 4x4x2; must be steps x features", rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(sequence | nn::lstm{.units = 3, .projection = -1}),
                       "lstm: projection is -1; must be >= 0", rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(sequence | nn::gru{.units = 0}), "gru: units is 0; must be > 0",
                       rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(sequence | nn::rnn{.units = 3, .act = rp::activation::leaky_relu}),
                  rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(net.input({5}, rp::element::i32) | nn::embedding{.vocabulary = -1, .width = 2}),
                  rp::value_error);
}

TEST_CASE("training moves the statistics of batch_norm, inference uses them, and no optimiser touches them") {
  rp::graph net("statistics");
  const rp::node y = net.input({2}) | nn::batch_norm{.epsilon = 1e-9, .momentum = 0.5} | nn::dense{.units = 1};
  auto trainer = net.train<double>(rp::reference, y, nn::mse{}, nn::adam{}, {.batch = 2});
  const double x[] = {1, 10, 3, 30}, target[] = {0, 0};  // means 2 and 20, unbiased variances 2 and 200
  trainer.step(x, target);
  const auto mean = trainer.parameter("batch_norm_1.moving_mean");
  const auto variance = trainer.parameter("batch_norm_1.moving_variance");
  CHECK((mean[0] == 1 && mean[1] == 10));
  CHECK((variance[0] == 1.5 && variance[1] == 100.5));
  CHECK_THROWS_WITH_AS(static_cast<void>(trainer.gradient("batch_norm_1.moving_mean")),
                       "batch_norm_1.moving_mean: is not trainable; must be, to have a gradient", rp::value_error);
  CHECK(trainer.learning().made().trainable_size() == 2 + 2 + 2 + 1);
  CHECK(trainer.plan().bytes(rp::memory_region::gradients) < trainer.plan().bytes(rp::memory_region::parameters));

  rp::graph alone("alone");
  const rp::node z = alone.input({2}) | nn::batch_norm{.epsilon = 1e-9};
  auto session = alone.compile<double>(rp::reference, z);
  const auto& calls = session.answering().program().plan().calls;
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].op == rp::op_id_of<rp::batch_norm_inference_args<double>>);
}

TEST_CASE("a checkpoint keeps the moving statistics") {
  rp::graph net("kept");
  const rp::node y = net.input({2}) | nn::batch_norm{} | nn::dense{.units = 1};
  auto trainer = net.train<double>(rp::reference, y, nn::mse{}, nn::sgd{}, {.batch = 2});
  const double x[] = {1, 10, 3, 30}, target[] = {0, 0};
  trainer.step(x, target);
  const rp::checkpoint saved = trainer.learning().save("sgd", 0);
  rp::network<double, rp::reference_backend> loaded(
      rp::reference, rp::plan_training(net, y, nn::mse{}, nn::sgd{}, {.batch = 2, .precision = rp::precision::f64}),
      rp::all_ops<double>{} + rp::untyped_ops{});
  loaded.load(saved);
  const auto before = trainer.parameter("batch_norm_1.moving_variance");
  const auto after = loaded.parameter_values("batch_norm_1.moving_variance");
  CHECK(std::equal(before.data(), before.data() + 2, after.data()));
  CHECK(before[0] != 1);
  rp::checkpoint cut = saved;
  cut.tensors.back().values.resize(4);
  CHECK_THROWS_WITH_AS(loaded.load(cut), doctest::Contains("has 4 bytes; must have 8"), rp::data_error);
}

TEST_CASE("initial gate biases: the forget gate of an lstm at one, the gates of a gru as configured") {
  rp::graph net("start");
  const rp::node x = net.input({3, 2});
  const rp::node y = rp::add(x | nn::lstm{.units = 2}, x | nn::gru{.units = 2, .gate_bias = nn::ones});
  auto trainer = net.train<float>(rp::reference, y, nn::mse{}, nn::sgd{}, {.batch = 1});
  const auto lstm = trainer.parameter("lstm_1.b"), gru = trainer.parameter("gru_1.b");
  const float of_lstm[] = {0, 0, 1, 1, 0, 0, 0, 0}, of_gru[] = {1, 1, 1, 1, 0, 0};
  CHECK(std::equal(of_lstm, of_lstm + 8, lstm.data()));
  CHECK(std::equal(of_gru, of_gru + 6, gru.data()));
}

namespace {
/// A backend that supports one op.
struct adding : rp::host_memory {
  [[nodiscard]] std::string name() const { return "adding"; }
};
void execute(const adding&, const rp::add_args<float>&) {}
}  // namespace

TEST_CASE("a backend that lacks an op names the op and its layer") {
  rp::graph net("lacking");
  const auto refused = [&](const rp::node& y, const char* what) {
    CHECK_THROWS_WITH_AS(static_cast<void>(net.compile<float>(adding{}, y)), doctest::Contains(what), rp::unsupported);
  };
  const rp::node x = net.input({6, 6, 1});
  CHECK_NOTHROW(static_cast<void>(net.compile<float>(adding{}, rp::add(x, x))));
  refused(rp::add(x, x) | nn::conv2d{.filters = 2, .kernel = 3}, "has no conv2d<float> (layer conv2d_1)");
  refused(net.input({3, 2}) | nn::lstm{.units = 2}, "has no lstm<float> (layer lstm_1)");
}

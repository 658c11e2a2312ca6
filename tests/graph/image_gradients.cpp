// SPDX-License-Identifier: MIT
// Networks on images: the gradient a trainer computes is the slope of the loss it reports.
#include <doctest/doctest.h>

#include <cmath>

#include "slope.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;
using slope::worst_slope;

namespace {
constexpr std::int32_t image_labels[] = {2, 0, 1, 1, 2};

/// Returns the error of the gradient of this network, followed by a dense layer of 3 classes, against the slope.
double wrong(const rp::graph& net, const rp::node& y, std::size_t values_per_sample) {
  const rp::node flat = y.extents().rank() == 1 ? y : y | nn::flatten{};
  return worst_slope(net, flat | nn::dense{.units = 3}, nn::softmax_cross_entropy{}, image_labels,
                     5 * values_per_sample);
}
}  // namespace

TEST_CASE("the study's CNN in small: convolution, ReLU, max-pooling, dropout") {
  rp::graph net("cnn");
  rp::node y = net.input({7, 6, 2});
  y = y | nn::conv2d{.filters = 3, .kernel = 3, .padding = nn::same} | nn::relu{} | nn::max_pool{};
  y = y | nn::conv2d{.filters = 2, .kernel = {2, 3}} | nn::tanh{} | nn::dropout{.rate = 0.3F};
  CHECK(wrong(net, y, 7 * 6 * 2) < 1e-6);
}

TEST_CASE("strides, dilation, padding by side, no bias") {
  rp::graph net("windows");
  rp::node y = net.input({9, 8, 2});
  y = y | nn::conv2d{.filters = 3, .kernel = 3, .stride = {2, 1}, .padding = rp::padding2d{0, 1, 2, 0}, .bias = false};
  y = y | nn::sigmoid{} | nn::conv2d{.filters = 2, .kernel = 2, .dilation = 2} | nn::sigmoid{};
  y = y | nn::depthwise_conv2d{.multiplier = 2, .kernel = 2, .padding = nn::same} | nn::tanh{};
  CHECK(wrong(net, y, 9 * 8 * 2) < 1e-6);
}

TEST_CASE("convolutions and a dense layer with fused leaky ReLU and ReLU6") {
  rp::graph net("activations");
  rp::node y = net.input({6, 5, 2}) | nn::conv2d{.filters = 4, .kernel = 3} | nn::leaky_relu{.slope = 0.3};
  y = y | nn::conv2d{.filters = 3, .kernel = 2, .act = rp::activation::leaky_relu, .slope = 0.2};
  y = y | nn::conv2d{.filters = 3, .kernel = 1} | nn::relu6{} | nn::flatten{} | nn::dense{.units = 5} | nn::relu6{};
  CHECK(wrong(net, y, 6 * 5 * 2) < 1e-6);
}

TEST_CASE("convolutions in groups, as many as channels at last") {
  rp::graph net("grouped");
  rp::node y = net.input({6, 5, 4}) | nn::conv2d{.filters = 6, .kernel = 3, .padding = nn::same, .groups = 2};
  y = y | nn::tanh{} | nn::conv2d{.filters = 12, .kernel = 2, .stride = 2, .groups = 6} | nn::sigmoid{};
  CHECK(wrong(net, y, 6 * 5 * 4) < 1e-6);
}

TEST_CASE("a residual block with batch normalisation and average pooling") {
  rp::graph net("residual");
  const rp::node x = net.input({6, 6, 3}) | nn::conv2d{.filters = 4, .kernel = 3, .stride = 2, .padding = nn::same} |
                     nn::batch_norm{} | nn::relu{};
  rp::node y = x | nn::conv2d{.filters = 4, .kernel = 3, .padding = nn::same} | nn::batch_norm{.epsilon = 1e-5};
  y = rp::add(x, y) | nn::relu{} | nn::avg_pool{.window = 3, .stride = 2, .padding = nn::same} | nn::batch_norm{};
  CHECK(wrong(net, y, 6 * 6 * 3) < 1e-6);
}

TEST_CASE("group normalisation of the input, of an image and of features") {
  rp::graph net("groups");
  rp::node y = net.input({5, 4, 4}) | nn::group_norm{.groups = 2} | nn::conv2d{.filters = 6, .kernel = 3};
  y = y | nn::group_norm{.groups = 3} | nn::relu{} | nn::flatten{} | nn::dense{.units = 6};
  CHECK(wrong(net, y | nn::group_norm{.groups = 1, .epsilon = 1e-5} | nn::group_norm{.groups = 2}, 5 * 4 * 4) < 1e-6);
}

TEST_CASE("a decoder: upsampling, nearest and bilinear") {
  rp::graph net("decoder");
  rp::node y = net.input({4, 3, 2}) | nn::conv2d{.filters = 3, .kernel = 2} | nn::tanh{};
  y = y | nn::upsample{.factor = {2, 3}} | nn::conv2d{.filters = 2, .kernel = 3} | nn::tanh{};
  y = y | nn::upsample{.how = rp::upsampling::bilinear};
  CHECK(y.extents() == rp::shape{8, 8, 2});
  CHECK(wrong(net, y, 4 * 3 * 2) < 1e-6);
}

TEST_CASE("pools that round up, and means over windows with their padding") {
  rp::graph net("rounded");
  constexpr auto up = rp::rounding_rule::up;
  rp::node y = net.input({8, 6, 2}) | nn::conv2d{.filters = 3, .kernel = 1} | nn::max_pool{.window = 3, .rounding = up};
  CHECK(y.extents() == rp::shape{4, 3, 3});
  y = y | nn::conv2d{.filters = 2, .kernel = 1} | nn::tanh{};
  y = y | nn::avg_pool{.window = 3,
                       .stride = 2,
                       .padding = rp::padding2d{1, 1, 1, 1},
                       .rounding = up,
                       .over = rp::mean_over::window};
  CHECK(y.extents() == rp::shape{3, 2, 2});
  CHECK(wrong(net, y, 8 * 6 * 2) < 1e-6);
}

TEST_CASE("global max pooling, also in two steps over windows of up to 256 pixels") {
  for (const rp::shape& extents : {rp::shape{5, 4, 3}, rp::shape{17, 16, 2}, rp::shape{1, 300, 1}}) {
    rp::graph net("largest");
    const rp::node y = net.input(extents) | nn::conv2d{.filters = 3, .kernel = 1} | nn::tanh{};
    CHECK(wrong(net, y | nn::global_max_pool{}, static_cast<std::size_t>(extents.size())) < 1e-6);
  }
}

TEST_CASE("global max pooling finds the largest value at any position") {
  rp::graph net("largest");
  const rp::node y = net.input({35, 19, 2}) | nn::global_max_pool{};
  auto session = net.compile<double>(rp::reference, y);
  for (const std::size_t where : {0U, 15U, 304U, 500U, 664U}) {
    std::vector<double> x(35 * 19 * 2, -3), largest(2);
    x[2 * where] = -1, x[2 * (664 - where) + 1] = -2;
    session.run(x, largest);
    CHECK(largest == std::vector<double>{-1, -2});
  }
}

TEST_CASE("convolutions of sequences: strides, causal padding, groups, activations") {
  rp::graph net("sequences");
  rp::node y = net.input({9, 4}) | nn::conv1d{.filters = 6, .kernel = 3, .padding = rp::padding2d{.left = 2}};
  y = y | nn::tanh{} | nn::conv1d{.filters = 4, .kernel = 2, .stride = 2, .groups = 2, .bias = false} | nn::sigmoid{};
  y = y | nn::conv1d{.filters = 3, .kernel = 3, .padding = nn::same, .dilation = 2} | nn::leaky_relu{};
  CHECK(y.extents() == rp::shape{4, 3});
  CHECK(wrong(net, y | nn::flatten{}, 9 * 4) < 1e-6);
}

TEST_CASE("a convolution of sequences is that of images of height one") {
  rp::graph net("height of one");
  const rp::node x = net.input({8, 3});
  const nn::conv1d in_time{.filters = 4, .kernel = 3, .stride = 2, .padding = nn::same};
  const nn::conv2d in_space{.filters = 4, .kernel = {1, 3}, .stride = {1, 2}, .padding = nn::same};
  auto sequences = net.compile<double>(rp::reference, x | in_time);
  auto images = net.compile<double>(rp::reference, x | nn::reshape{{1, 8, 3}} | in_space);
  std::vector<double> w(3 * 3 * 4), values(8 * 3), y(4 * 4), y0(4 * 4);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = std::sin(static_cast<double>(i));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::cos(static_cast<double>(i));
  sequences.set_parameter("conv1d_1.w", w);
  images.set_parameter("conv2d_1.w", w);
  sequences.run(values, y);
  images.run(values, y0);
  CHECK(y == y0);
}

TEST_CASE("a shortcut without weights: averages, and channels of zeros") {
  rp::graph net("shortcut");
  const rp::node x = net.input({6, 4, 3}) | nn::conv2d{.filters = 2, .kernel = 1} | nn::leaky_relu{.slope = 0.1};
  const rp::node y = x | nn::conv2d{.filters = 5, .kernel = 3, .stride = 2, .padding = nn::same};
  const rp::node z = rp::add(y, x | nn::avg_pool{} | nn::pad_channels{.before = 1, .after = 2});
  CHECK(wrong(net, z | nn::tanh{} | nn::reshape{{6, 5}} | nn::dense{.units = 2}, 6 * 4 * 3) < 1e-6);
}

TEST_CASE("concatenated channels of two branches, and of a branch and its input") {
  rp::graph net("branches");
  const rp::node x = net.input({5, 4, 3}) | nn::conv2d{.filters = 2, .kernel = 1} | nn::tanh{};
  const rp::node y = rp::concat_channels(x | nn::conv2d{.filters = 3, .kernel = 3, .padding = nn::same}, x);
  CHECK(y.extents() == rp::shape{5, 4, 5});
  CHECK(wrong(net, rp::concat_channels(y, y | nn::conv2d{.filters = 1, .kernel = 1}) | nn::tanh{}, 5 * 4 * 3) < 1e-6);
}

TEST_CASE("a decoder of transposed convolutions: strides, paddings, activations, no bias") {
  rp::graph net("transposed");
  rp::node y =
      net.input({3, 4, 2}) | nn::conv2d_transposed{.filters = 3, .kernel = 3, .stride = 2, .padding = nn::same};
  y = y | nn::tanh{} | nn::conv2d_transposed{.filters = 2, .kernel = 2, .stride = {1, 3}, .bias = false} |
      nn::sigmoid{};
  y = y | nn::conv2d_transposed{.filters = 2, .kernel = 3, .padding = rp::padding2d{1, 0, 2, 1}, .dilation = 2};
  y = y | nn::avg_pool{.window = 3, .stride = 3} | nn::conv2d_transposed{.filters = 1, .kernel = 1, .bias = false};
  CHECK(wrong(net, y, 3 * 4 * 2) < 1e-6);
}

TEST_CASE("a decoder of transposed convolutions with output padding") {
  rp::graph net("output padding");
  rp::node y = net.input({3, 2, 2}) |
               nn::conv2d_transposed{.filters = 3, .kernel = 3, .stride = 2, .padding = nn::same, .output_padding = 0};
  CHECK(y.extents() == rp::shape{5, 3, 3});
  y = y | nn::tanh{} |
      nn::conv2d_transposed{.filters = 2, .kernel = 2, .stride = {2, 3}, .output_padding = rp::spatial{1, 2}};
  CHECK(y.extents() == rp::shape{11, 10, 2});
  y = y | nn::sigmoid{} |
      nn::conv2d_transposed{
          .filters = 1, .kernel = 3, .stride = 2, .padding = rp::padding2d{1, 1, 1, 1}, .output_padding = 1};
  CHECK(y.extents() == rp::shape{22, 20, 1});
  CHECK(wrong(net, y | nn::avg_pool{.window = 5, .stride = 5}, 3 * 2 * 2) < 1e-6);
}

TEST_CASE("output padding adds the bias where no window reaches, else the values that were cut off") {
  rp::graph net("output padding");
  const rp::node x = net.input({1, 2, 1});
  const auto row = [&](nn::conv2d_transposed layer, std::size_t count) {
    layer.filters = 1, layer.kernel = {1, 3}, layer.stride = {1, 2};
    const rp::node y = x | layer;
    CHECK(y.extents() == rp::shape{1, static_cast<rp::index_t>(count), 1});
    auto session = net.compile<double>(rp::reference, y);
    for (const auto& p : session.answering().made().parameters)
      session.set_parameter(p.name, p.spec.name == "w" ? std::vector<double>{1, 10, 100} : std::vector<double>{0.5});
    std::vector<double> values(count);
    session.run(std::vector<double>{2, 3}, values);
    return values;
  };
  using values = std::vector<double>;
  CHECK(row({.output_padding = rp::spatial{0, 0}}, 5) == values{2.5, 20.5, 203.5, 30.5, 300.5});
  CHECK(row({.output_padding = rp::spatial{0, 1}}, 6) == values{2.5, 20.5, 203.5, 30.5, 300.5, 0.5});
  constexpr rp::padding2d sides{.left = 1, .right = 1};
  CHECK(row({.padding = sides, .output_padding = rp::spatial{0, 0}}, 3) == values{20.5, 203.5, 30.5});
  CHECK(row({.padding = sides, .output_padding = rp::spatial{0, 1}}, 4) == values{20.5, 203.5, 30.5, 300.5});
  CHECK(row({.padding = nn::same, .output_padding = rp::spatial{0, 0}}, 3) == values{20.5, 203.5, 30.5});
  CHECK(row({.padding = nn::same, .output_padding = rp::spatial{0, 1}}, 4) == values{2.5, 20.5, 203.5, 30.5});
}

TEST_CASE("a transposed convolution spreads each value over its window") {
  rp::graph net("spread");
  const rp::node y = net.input({1, 2, 1}) | nn::conv2d_transposed{.filters = 1, .kernel = {1, 3}, .stride = {1, 2}};
  auto session = net.compile<double>(rp::reference, y);
  session.set_parameter("conv2d_transposed_1.w", std::vector<double>{1, 10, 100});
  session.set_parameter("conv2d_transposed_1.b", std::vector<double>{0.5});
  std::vector<double> values(5);
  session.run(std::vector<double>{2, 3}, values);
  CHECK(values == std::vector<double>{2.5, 20.5, 203.5, 30.5, 300.5});
  const rp::node same = net.input({2, 1, 1}) |
                        nn::conv2d_transposed{.filters = 1, .kernel = {3, 1}, .stride = {2, 1}, .padding = nn::same};
  auto cut = net.compile<double>(rp::reference, same);
  cut.set_parameter("conv2d_transposed_2.w", std::vector<double>{1, 10, 100});
  values.resize(4);
  cut.run(std::vector<double>{2, 3}, values);
  CHECK(values == std::vector<double>{2, 20, 203, 30});  // as in TensorFlow: the excess is cut off at the end
}

TEST_CASE("rows, columns and channels of an image, sliced and concatenated in another order") {
  rp::graph net("slices");
  const rp::node x = net.input({5, 4, 3}) | nn::conv2d{.filters = 5, .kernel = 1} | nn::tanh{};
  const rp::node rows = x | nn::slice{.axis = 0, .first = 1, .count = 3};
  const rp::node columns = rows | nn::slice{.axis = -2, .first = 2, .count = 2};
  const rp::node y =
      rp::concat_channels(columns | nn::slice{.first = 3, .count = 2}, columns | nn::slice{.axis = 2, .count = 4});
  CHECK(wrong(net, y | nn::tanh{}, 5 * 4 * 3) < 1e-6);
}

TEST_CASE("a slice has the values at its position") {
  rp::graph net("slices");
  const rp::node x = net.input({2, 3, 2});
  const std::vector<double> image{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const auto sliced = [&](const nn::slice& what, std::size_t count) {
    std::vector<double> values(count);
    net.compile<double>(rp::reference, x | what).run(image, values);
    return values;
  };
  using values = std::vector<double>;
  CHECK(sliced({.axis = 0, .first = 1, .count = 1}, 6) == values{6, 7, 8, 9, 10, 11});
  CHECK(sliced({.axis = 1, .first = 1, .count = 2}, 8) == values{2, 3, 4, 5, 8, 9, 10, 11});
  CHECK(sliced({.first = 1, .count = 1}, 6) == values{1, 3, 5, 7, 9, 11});
}

TEST_CASE("depthwise separable layers under a global average; overlapping maxima") {
  rp::graph net("separable");
  rp::node y = net.input({7, 7, 2}) | nn::conv2d{.filters = 3, .kernel = 1};
  y = y | nn::max_pool{.window = 3, .stride = 2, .padding = nn::same};
  y = y | nn::depthwise_conv2d{.kernel = 3, .padding = nn::same, .bias = false} | nn::batch_norm{} | nn::relu{};
  y = y | nn::conv2d{.filters = 4, .kernel = 1} | nn::global_avg_pool{};
  CHECK(wrong(net, y, 7 * 7 * 2) < 1e-6);
}

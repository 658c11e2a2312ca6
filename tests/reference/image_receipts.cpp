// SPDX-License-Identifier: MIT
// Checks receipts of the ops on images against counted execution.
#include <doctest/doctest.h>

#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/receipt_proof.hpp"

namespace rp = ridgepoint;
using rp::index_t;
using witness::counting;
using witness::draw;
using witness::prove;
using witness::role;
using witness::store;

namespace {

/// Draws window, stride, padding and dilation, and an image large enough for them. Padding may exceed the window by
/// `beyond`.
template <class Geometry>
void draw_window(draw& d, Geometry& g, index_t beyond) {
  g.n = d.extent(0, 2);
  g.kh = d.extent(1, 3);
  g.kw = d.extent(1, 3);
  g.stride = {d.extent(1, 3), d.extent(1, 3)};
  const auto side = [&](index_t taps) { return d.extent(0, taps - 1 + beyond); };
  g.padding = {side(g.kh), side(g.kh), side(g.kw), side(g.kw)};
  index_t reach_h = g.kh, reach_w = g.kw;
  if constexpr (requires { g.dilation; }) {
    g.dilation = {d.extent(1, 2), d.extent(1, 2)};
    reach_h = g.rows().reach(), reach_w = g.columns().reach();
  }
  g.h = d.extent(std::max<index_t>(1, reach_h - g.padding.top - g.padding.bottom), 6);
  g.w = d.extent(std::max<index_t>(1, reach_w - g.padding.left - g.padding.right), 6);
}

/// Draws channels in one to three groups.
rp::conv2d_geometry draw_channels(draw& d) {
  const index_t groups = d.extent(1, 3);
  return {.c = groups * d.extent(1, 3), .f = groups * d.extent(1, 3), .groups = groups};
}

void prove_conv2d(draw d) {
  rp::conv2d_geometry g = draw_channels(d);
  draw_window(d, g, 4);
  const rp::activation fusable[] = {rp::activation::none,    rp::activation::relu, rp::activation::leaky_relu,
                                    rp::activation::sigmoid, rp::activation::tanh, rp::activation::relu6};
  {
    store o(1);
    prove(rp::conv2d_args<counting>{.geometry = g,
                                    .x = o.add(g.input_size()),
                                    .w = o.add(g.filter_size(), role::weights),
                                    .bias = d.coin() ? o.add(g.f, role::weights) : nullptr,
                                    .y = o.add(g.output_size()),
                                    .act = fusable[d.extent(0, 5)],
                                    .residual = d.coin() ? o.add(g.output_size()) : nullptr});
  }
  {
    store o(2);
    prove(rp::conv2d_backward_data_args<counting>{.geometry = g,
                                                  .dy = o.add(g.output_size()),
                                                  .w = o.add(g.filter_size(), role::weights),
                                                  .dx = o.add(g.input_size())});
  }
  store o(3);
  prove(rp::conv2d_backward_weights_args<counting>{.geometry = g,
                                                   .x = o.add(g.input_size()),
                                                   .dy = o.add(g.output_size()),
                                                   .dw = o.add(g.filter_size()),
                                                   .db = d.coin() ? o.add(g.f) : nullptr});
}

void prove_depthwise(draw d) {
  rp::depthwise_geometry g{.c = d.extent(1, 4), .multiplier = d.extent(1, 2)};
  draw_window(d, g, 4);
  {
    store o(4);
    prove(rp::depthwise_conv2d_args<counting>{.geometry = g,
                                              .x = o.add(g.input_size()),
                                              .w = o.add(g.filter_size(), role::weights),
                                              .bias = d.coin() ? o.add(g.f(), role::weights) : nullptr,
                                              .y = o.add(g.output_size())});
  }
  {
    store o(5);
    prove(rp::depthwise_conv2d_backward_data_args<counting>{.geometry = g,
                                                            .dy = o.add(g.output_size()),
                                                            .w = o.add(g.filter_size(), role::weights),
                                                            .dx = o.add(g.input_size())});
  }
  store o(6);
  prove(rp::depthwise_conv2d_backward_weights_args<counting>{.geometry = g,
                                                             .x = o.add(g.input_size()),
                                                             .dy = o.add(g.output_size()),
                                                             .dw = o.add(g.filter_size()),
                                                             .db = d.coin() ? o.add(g.f()) : nullptr});
}

void prove_pools(draw d) {
  rp::pool2d_geometry g{.c = d.extent(1, 3)};
  draw_window(d, g, 0);
  if (d.coin()) g.rounding = rp::rounding_rule::up;
  const rp::mean_over over = d.coin() ? rp::mean_over::window : rp::mean_over::image;
  const auto outputs = static_cast<std::uint64_t>(g.output_size());
  std::vector<std::uint8_t> index(outputs + 1);
  {
    store o(7);
    const bool wanted = d.coin();
    prove(rp::max_pool2d_args<counting>{.geometry = g,
                                        .x = o.add(g.input_size()),
                                        .y = o.add(g.output_size()),
                                        .index = wanted ? index.data() : nullptr},
          {.outputs = wanted ? outputs : 0});
  }
  {
    store o(8);
    prove(
        rp::max_pool2d_backward_args<counting>{
            .geometry = g, .dy = o.add(g.output_size()), .index = index.data(), .dx = o.add(g.input_size())},
        {.inputs = outputs});
  }
  {
    store o(9);
    prove(rp::avg_pool2d_args<counting>{
        .geometry = g, .x = o.add(g.input_size()), .y = o.add(g.output_size()), .over = over});
  }
  store o(10);
  prove(rp::avg_pool2d_backward_args<counting>{
      .geometry = g, .dy = o.add(g.output_size()), .dx = o.add(g.input_size()), .over = over});
}

void prove_image_ops(int first, int shapes) {
  witness::prove_all(first, shapes, prove_conv2d, prove_depthwise, prove_pools);
  witness::prove_others(first, shapes, rp::image_ops<counting>{});
}

}  // namespace

TEST_CASE("receipts of image ops match the work of the definitions, on 250 random shapes per op") {
  prove_image_ops(0, 250);
}
TEST_CASE("receipts of image ops match the work of the definitions, on 800 random shapes per op" *
          doctest::test_suite("slow")) {
  prove_image_ops(250, 800);
}

TEST_CASE("the work without padding matches an oracle that walks the image") {
  witness::prove_all(0, 250, [](draw d) {
    rp::conv2d_geometry g = draw_channels(d);
    draw_window(d, g, 4);
    index_t inside = 0;
    std::vector<bool> read(static_cast<std::size_t>(g.n * g.h * g.w));
    rp::detail::for_each_output(g, [&](index_t n, index_t, auto&& taps) {
      taps([&](index_t, index_t pixel) {
        if (pixel < 0) return;
        ++inside;
        read[static_cast<std::size_t>(n * g.h * g.w + pixel)] = true;
      });
    });
    CHECK(g.unpadded_macs() == inside * (g.c / g.groups) * g.f);
    CHECK(g.input_read() == std::count(read.begin(), read.end(), true) * g.c);
    CHECK(g.unpadded_macs() <= g.macs());
  });
}

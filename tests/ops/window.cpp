// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <limits>

#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>
#include <ridgepoint/ops/dropout.hpp>
#include <ridgepoint/ops/geometry.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>
#include <ridgepoint/ops/upsample.hpp>

namespace rp = ridgepoint;
using rp::index_t;

TEST_CASE("outputs of a window: TensorFlow's VALID and SAME") {
  static_assert(rp::conv2d_geometry{.h = 28, .w = 27, .kh = 3, .kw = 5}.oh() == 26);
  static_assert(rp::conv2d_geometry{.h = 28, .w = 27, .kh = 3, .kw = 5}.ow() == 23);
  for (const index_t extent : {1, 2, 5, 28, 112})
    for (const index_t taps : {1, 2, 3, 7})
      for (const index_t stride : {1, 2, 3})
        for (const index_t dilation : {1, 2}) {
          const rp::conv2d_geometry g{.h = extent,
                                      .w = extent,
                                      .kh = taps,
                                      .kw = taps,
                                      .stride = stride,
                                      .padding = rp::same_padding(extent, taps, stride, dilation),
                                      .dilation = dilation};
          CHECK(g.oh() == rp::ceil_div(extent, stride));
          CHECK(g.padding.bottom - g.padding.top >= 0);
          CHECK(g.padding.bottom - g.padding.top <= 1);
          CHECK(g.padding.right == g.padding.bottom);
        }
  CHECK(rp::same_padding(28, 3) == rp::padding2d{1, 1, 1, 1});
  CHECK(rp::same_padding({224, 112}, 3, 2) == rp::padding2d{0, 1, 0, 1});
  CHECK(rp::same_padding(7, {3, 1}) == rp::padding2d{1, 1, 0, 0});
}

TEST_CASE("divisors in geometries are refused unless positive") {
  constexpr index_t least = std::numeric_limits<index_t>::min();
  for (const index_t bad : {index_t{0}, index_t{-1}, least}) {
    CAPTURE(bad);
    const rp::conv2d_geometry strided{.stride = bad}, grouped{.groups = bad}, spread{.dilation = bad};
    CHECK_THROWS_AS(static_cast<void>(strided.oh()), rp::value_error);
    CHECK_THROWS_AS(static_cast<void>(strided.output_size()), rp::value_error);
    CHECK_THROWS_AS(static_cast<void>(strided.input_read()), rp::value_error);
    CHECK_THROWS_AS(static_cast<void>(strided.rows().reads(0)), rp::value_error);
    CHECK_THROWS_AS(static_cast<void>(spread.unpadded_macs()), rp::value_error);
    CHECK_THROWS_AS(static_cast<void>(spread.rows().taps_padded(0)), rp::value_error);
    CHECK_THROWS_AS(static_cast<void>(grouped.group_c()), rp::value_error);
    CHECK_THROWS_AS(static_cast<void>(grouped.filter_size()), rp::value_error);
    CHECK_THROWS_AS(static_cast<void>(to_string(grouped)), rp::value_error);
    CHECK_THROWS_AS(static_cast<void>(rp::conv1d_geometry{.stride = bad}.outputs()), rp::value_error);
    CHECK_THROWS_AS(static_cast<void>(receipt(rp::conv2d_args<float>{.geometry = grouped})), rp::value_error);
    CHECK_THROWS_AS(static_cast<void>(receipt(rp::conv2d_backward_data_args<float>{.geometry = strided})),
                    rp::value_error);
    const rp::depthwise_geometry by_channel{.stride = bad};
    CHECK_THROWS_AS(static_cast<void>(by_channel.ow()), rp::value_error);
    CHECK_THROWS_AS(static_cast<void>(receipt(rp::depthwise_conv2d_args<float>{.geometry = by_channel})),
                    rp::value_error);
    for (const auto rounding : {rp::rounding_rule::down, rp::rounding_rule::up}) {
      const rp::pool2d_geometry pool{.stride = bad, .rounding = rounding};
      CHECK_THROWS_AS(static_cast<void>(pool.oh()), rp::value_error);
      CHECK_THROWS_AS(static_cast<void>(pool.taps()), rp::value_error);
      CHECK_THROWS_AS(static_cast<void>(receipt(rp::avg_pool2d_args<float>{.geometry = pool})), rp::value_error);
      CHECK_THROWS_AS(static_cast<void>(receipt(rp::max_pool2d_backward_args<float>{.geometry = pool})),
                      rp::value_error);
    }
    CHECK_THROWS_AS(static_cast<void>(rp::same_padding(28, 3, bad)), rp::value_error);
    CHECK_THROWS_AS(static_cast<void>(rp::taps_of(0, 4, bad, rp::upsampling::bilinear)), rp::value_error);
    CHECK_THROWS_AS(static_cast<void>(rp::dropout_args<float>{.steps = 2, .width = bad}.masked_by(0)), rp::value_error);
  }
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::conv2d_geometry{.stride = {1, 0}}.ow()),
                       "window: stride is 0; must be > 0", rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(to_string(rp::conv2d_geometry{.groups = 0})),
                       "conv2d: groups is 0; must be > 0", rp::value_error);
}

TEST_CASE("one axis: taps on the image and inputs that are read, against a walk") {
  for (const index_t extent : {1, 3, 6})
    for (const index_t taps : {1, 2, 3})
      for (const index_t stride : {1, 2, 4})
        for (const index_t before : {0, 1, 4})
          for (const index_t after : {0, 2})
            for (const index_t dilation : {1, 2, 3}) {
              const rp::window_axis a{extent, taps, stride, before, after, dilation};
              index_t inside = 0, read = 0;
              for (index_t o = 0; o < a.outputs(); ++o) {
                index_t of_output = 0;
                for (index_t t = 0; t < taps; ++t) of_output += a.inside(a.input(o, t)) ? 1 : 0;
                CHECK(a.taps_inside(o) == of_output);
                inside += of_output;
              }
              for (index_t i = 0; i < extent; ++i) read += a.reads(i) ? 1 : 0;
              CHECK(a.taps_inside() == inside);
              CHECK(a.inputs_read() == read);
              if (a.outputs() > 0) {
                CHECK(a.input(a.outputs() - 1, taps - 1) < extent + after);  // the last window fits
                CHECK(a.input(a.outputs(), taps - 1) >= extent + after);     // the next one does not
              }
            }
}

TEST_CASE("outputs rounded up match PyTorch's ceil_mode, and every window begins on the image or before it") {
  for (const index_t extent : {1, 2, 3, 5, 8, 54})
    for (const index_t taps : {1, 2, 3, 5})
      for (const index_t stride : {1, 2, 3, 7})
        for (const index_t padding : {index_t{0}, taps / 2}) {
          const rp::window_axis a{extent, taps, stride, padding, padding, 1, rp::rounding_rule::up};
          const rp::pool2d_geometry g{.h = extent,
                                      .w = 1,
                                      .kh = taps,
                                      .stride = {stride, 1},
                                      .padding = {padding, padding, 0, 0},
                                      .rounding = rp::rounding_rule::up};
          const index_t room = extent + 2 * padding - taps;
          index_t outputs = rp::ceil_div(std::max<index_t>(room + stride, 0), stride);  // ⌈room / stride⌉ + 1
          if ((outputs - 1) * stride >= extent + padding) --outputs;
          CAPTURE(to_string(g));
          CHECK(a.outputs() == outputs);
          CHECK(g.oh() == outputs);
          if (outputs < 1) {
            CHECK_THROWS_WITH_AS(check(g), doctest::Contains("; must fit except for less than the stride"),
                                 rp::shape_error);
            continue;
          }
          CHECK_NOTHROW(check(g));
          const index_t last = a.input(outputs - 1, 0);
          CHECK(last < extent);
          CHECK(a.reached_after() == std::max<index_t>(0, last + taps - extent));
          index_t inside = 0, padded = 0;
          for (index_t t = 0; t < taps; ++t) {
            inside += a.inside(last + t) ? 1 : 0;
            padded += last + t < extent + padding ? 1 : 0;
          }
          CHECK(inside > 0);
          CHECK(a.taps_inside(outputs - 1) == inside);
          CHECK(a.taps_padded(outputs - 1) == padded);
        }
  constexpr rp::pool2d_geometry squeezed{
      .h = 54, .w = 54, .c = 256, .kh = 3, .kw = 3, .stride = 2, .rounding = rp::rounding_rule::up};
  static_assert(squeezed.oh() == 27 && squeezed.ow() == 27);
  static_assert(rp::pool2d_geometry{.h = 54, .kh = 3, .stride = 2}.oh() == 26);
  CHECK(to_string(squeezed) == "1x54x54x256 window 3x3 /2 rounded up");
  const index_t most = std::numeric_limits<index_t>::max();
  const rp::pool2d_geometry once{.h = 5, .w = 5, .kh = 2, .kw = 7, .stride = most, .rounding = rp::rounding_rule::up};
  CHECK_NOTHROW(check(once));
  CHECK((once.oh() == 1 && once.ow() == 1));
}

TEST_CASE("published counts: padding taps count, and the count without them is smaller") {
  constexpr rp::conv2d_geometry stem{
      .n = 1, .h = 224, .w = 224, .c = 3, .f = 64, .kh = 7, .kw = 7, .stride = 2, .padding = {3, 3, 3, 3}};
  static_assert(stem.oh() == 112 && stem.macs() == 118'013'952);
  static_assert(stem.unpadded_macs() < stem.macs());
  constexpr rp::conv2d_geometry projection{.n = 1, .h = 56, .w = 56, .c = 256, .f = 512, .stride = 2};
  static_assert(projection.input_read() == projection.input_size() / 4);  // every other pixel of every other row
  constexpr rp::depthwise_geometry mobile{.h = 112, .w = 112, .c = 32, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}};
  static_assert(mobile.macs() == 112 * 112 * 32 * 9 && mobile.f() == 32);
  constexpr rp::pool2d_geometry global{.h = 7, .w = 7, .c = 2048, .kh = 7, .kw = 7};
  static_assert(global.output_size() == 2048 && global.taps() == 7 * 7 * 2048);
  CHECK(to_string(stem) == "1x224x224x3 * 7x7x3x64 /2");
  CHECK(to_string(mobile) == "1x112x112x32 * 3x3x32x1");
  CHECK(to_string(rp::pool2d_geometry{.h = 9, .w = 8, .kh = 3, .kw = 2, .stride = {2, 1}}) ==
        "1x9x8x1 window 3x2 /2x1");
}

TEST_CASE("invalid geometries") {
  const auto refused = [](const rp::conv2d_geometry& g, const char* what) {
    CHECK_THROWS_WITH_AS(check(g), doctest::Contains(what), rp::error);
  };
  const rp::conv2d_geometry g{.n = 2, .h = 5, .w = 6, .c = 3, .f = 4, .kh = 3, .kw = 3};
  check(g);
  auto b = g;
  b.kh = 6;
  refused(b, "conv2d: height is 5 with its padding but the window reaches 6; must fit");
  b.padding = {0, 1, 0, 0};
  CHECK_NOTHROW(check(b));
  b = g, b.dilation = 3;
  refused(b, "height is 5 with its padding but the window reaches 7");
  b = g, b.c = 0;
  refused(b, "n is 2, c is 0, f is 4; n must be >= 0, c and f > 0");
  b = g, b.n = -1;
  refused(b, "n is -1");
  b = g, b.w = 0;
  refused(b, "width is 0 with a window of 3; both must be > 0");
  b = g, b.kw = -2;
  refused(b, "width is 6 with a window of -2");
  b = g, b.stride = {1, 0};
  refused(b, "stride is 0, dilation 1 along the width; must be > 0");
  b = g, b.dilation = -1;
  refused(b, "dilation -1 along the height");
  b = g, b.padding.left = -1;
  refused(b, "padding is -1 and 0 along the width; must be >= 0");
  constexpr index_t large = index_t{1} << 40;
  b = g, b.n = large, b.h = large;
  refused(b, "does not fit; must be < 2^63");
  b = g, b.f = large, b.c = large;
  refused(b, "does not fit; must be < 2^63");
  b = g, b.n = index_t{1} << 20, b.c = index_t{1} << 20, b.f = index_t{1} << 20;
  refused(b, "does not fit; must be < 2^63");  // the multiply-adds alone
  CHECK(rp::conv2d_geometry{.h = 1, .kh = 5, .stride = {4, 1}, .padding = {10, 0, 0, 0}}.input_read() == 0);
  b = g, b.padding.top = std::numeric_limits<index_t>::max() - 2;
  refused(b, "does not fit; must be < 2^63");
  CHECK_THROWS_AS(check(rp::depthwise_geometry{.h = 5, .w = 5, .c = 4, .multiplier = 0}), rp::shape_error);
  CHECK_THROWS_AS(check(rp::depthwise_geometry{.h = 5, .w = 5, .c = large, .multiplier = large}), rp::shape_error);
  CHECK_THROWS_AS(check(rp::depthwise_geometry{.n = large, .h = 5, .w = 5, .c = large / 16}), rp::shape_error);
  CHECK_THROWS_WITH_AS(check(rp::pool2d_geometry{.h = 5, .w = 5, .kh = 2, .kw = 2, .padding = {2, 0, 0, 0}}),
                       "pool2d: padding is 2 0 0 0 (top bottom left right) of a window of 2x2; must be less than the "
                       "window",
                       rp::value_error);
  CHECK_THROWS_AS(check(rp::pool2d_geometry{.n = large, .h = 5, .w = 5, .c = large}), rp::shape_error);
  CHECK_THROWS_AS(check(rp::pool2d_geometry{.h = 5, .w = 5, .c = 0}), rp::shape_error);
}

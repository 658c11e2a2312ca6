// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <ridgepoint/core/dense_arguments.hpp>
#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A number per direction; one number sets both: stride = 2 is stride = {2, 2}.
struct spatial {
  index_t h = 1, w = 1;
  constexpr spatial(index_t both = 1) noexcept : h(both), w(both) {}
  constexpr spatial(index_t h_, index_t w_) noexcept : h(h_), w(w_) {}
  friend constexpr bool operator==(const spatial&, const spatial&) = default;
};

/// Rows and columns added around an image: zeros for a convolution, ignored by a pooling.
struct padding2d {
  index_t top = 0, bottom = 0, left = 0, right = 0;
  friend constexpr bool operator==(const padding2d&, const padding2d&) = default;
};

/// Rounding of the number of windows. down: a window must be inside the image and its padding. up: it may extend beyond
/// by less than a stride if it starts on the image or before it. PyTorch's ceil_mode.
enum class rounding_rule : std::uint8_t { down, up };

/// One direction of a sliding window: output o reads inputs o·stride − before + tap·dilation for tap < taps.
struct window_axis {
  index_t extent = 1, taps = 1, stride = 1, before = 0, after = 0, dilation = 1;
  rounding_rule rounding = rounding_rule::down;

  /// Returns the number of inputs from the first tap to the last.
  [[nodiscard]] constexpr index_t reach() const noexcept { return (taps - 1) * dilation + 1; }
  /// Returns how often the window fits; 0 if it does not. Throws, like all functions that divide by it: value_error for
  /// a stride or dilation < 1.
  [[nodiscard]] constexpr index_t outputs() const {
    const index_t room = extent + before + after - reach(), step = checked_divisor("window: stride", stride);
    if (rounding == rounding_rule::down) return room < 0 ? 0 : room / step + 1;
    const index_t last = room / step + (room % step > 0 ? 1 : 0), last_on_image = (extent + before - 1) / step;
    return room <= -step ? 0 : (std::min)(last, last_on_image) + 1;
  }
  /// Returns the padding after the image that windows reach: as given, unless outputs are rounded up.
  [[nodiscard]] constexpr index_t reached_after() const {
    if (rounding == rounding_rule::down) return after;
    return std::max<index_t>(0, input(outputs() - 1, 0) + reach() - extent);
  }
  [[nodiscard]] constexpr index_t input(index_t output, index_t tap) const noexcept {
    return output * stride - before + tap * dilation;
  }
  [[nodiscard]] constexpr bool inside(index_t input) const noexcept { return input >= 0 && input < extent; }
  /// Returns the taps of one output that are inside the image.
  [[nodiscard]] constexpr index_t taps_inside(index_t output) const {
    const index_t first = input(output, 0), step = checked_divisor("window: dilation", dilation);
    const index_t skipped = first >= 0 ? 0 : ceil_div(-first, step);
    const index_t end = first >= extent ? 0 : ceil_div(extent - first, step);
    return std::max<index_t>(0, (std::min)(end, taps) - skipped);
  }
  /// Returns the taps of one output inside the image or its padding: all except taps of a window beyond the padding.
  [[nodiscard]] constexpr index_t taps_padded(index_t output) const {
    return (std::min)(taps, ceil_div(extent + after - input(output, 0), checked_divisor("window: dilation", dilation)));
  }
  /// Returns the taps inside the image, over all outputs.
  [[nodiscard]] constexpr index_t taps_inside() const {
    index_t sum = 0;
    for (index_t o = 0; o < outputs(); ++o) sum += taps_inside(o);
    return sum;
  }
  /// Returns the number of inputs that some output reads: a stride of 2 with one tap skips every other one.
  [[nodiscard]] constexpr index_t inputs_read() const {
    if (outputs() == 0) return 0;
    if (stride >= reach()) return taps_inside();  // windows do not overlap
    if (dilation == 1) return std::max<index_t>(0, (std::min)(extent, input(outputs() - 1, taps)));
    index_t count = 0;
    for (index_t i = 0; i < extent; ++i) count += reads(i) ? 1 : 0;
    return count;
  }
  /// Returns true if some output reads input i.
  [[nodiscard]] constexpr bool reads(index_t i) const {
    const index_t step = checked_divisor("window: stride", stride);
    for (index_t tap = 0; tap < taps; ++tap) {
      const index_t start = i + before - tap * dilation;
      if (start >= 0 && start % step == 0 && start / step < outputs()) return true;
    }
    return false;
  }
};

/// Returns padding that gives ⌈extent / stride⌉ outputs; an odd one goes after the image. TensorFlow's SAME.
/// Throws: value_error for a stride < 1.
[[nodiscard]] constexpr padding2d same_padding(spatial extent, spatial taps, spatial stride = 1, spatial dilation = 1) {
  const auto total = [](index_t size, index_t count, index_t step, index_t spread) {
    const index_t outputs = ceil_div(size, checked_divisor("same_padding: stride", step));
    return std::max<index_t>(0, (outputs - 1) * step + (count - 1) * spread + 1 - size);
  };
  const index_t rows = total(extent.h, taps.h, stride.h, dilation.h);
  const index_t cols = total(extent.w, taps.w, stride.w, dilation.w);
  return {.top = rows / 2, .bottom = rows - rows / 2, .left = cols / 2, .right = cols - cols / 2};
}

namespace detail {
/// Formats as " /2", " /2x1"; empty for a stride of one.
[[nodiscard]] inline std::string stride_text(spatial stride) {
  if (stride == spatial{}) return "";
  return stride.h == stride.w ? concat(" /", stride.h) : concat(" /", stride.h, 'x', stride.w);
}

/// Throws: shape_error unless extents, taps, stride and dilation are positive, the padding is not negative and the
/// window fits at least once under its rounding, all within an index_t.
constexpr void check_axis(std::string_view op, std::string_view direction, const window_axis& a) {
  require<shape_error>(a.extent > 0 && a.taps > 0, op, ": ", direction, " is ", a.extent, " with a window of ", a.taps,
                       "; both must be > 0");
  require<value_error>(a.stride > 0 && a.dilation > 0, op, ": stride is ", a.stride, ", dilation ", a.dilation,
                       " along the ", direction, "; must be > 0");
  require<value_error>(a.before >= 0 && a.after >= 0, op, ": padding is ", a.before, " and ", a.after, " along the ",
                       direction, "; must be >= 0");
  const index_t padded = checked_add(checked_add(a.extent, a.before), a.after);
  const index_t reach = checked_add(checked_mul(a.taps - 1, a.dilation), 1);
  const bool down = a.rounding == rounding_rule::down;
  require<shape_error>(reach - padded < (down ? 1 : a.stride), op, ": ", direction, " is ", padded,
                       " with its padding but the window reaches ", reach, "; must fit",
                       down ? "" : " except for less than the stride");
}
}  // namespace detail

/// Extents of a 2-D convolution: x (n, h, w, c), filter (kh, kw, c / groups, f), y (n, oh(), ow(), f).
///
/// In groups, block j of f / groups channels of y reads block j of c / groups channels of x, and nothing else.
/// A depthwise convolution has the same extents with f = c·multiplier and a filter (kh, kw, c, multiplier).
/// Example (ResNet's stem):
///   constexpr rp::conv2d_geometry stem{.n = 128, .h = 224, .w = 224, .c = 3, .f = 64, .kh = 7, .kw = 7, .stride = 2,
///                                      .padding = {3, 3, 3, 3}};
///   stem.oh() == 112 && stem.macs() == 128 * 112 * 112 * 7 * 7 * 3 * 64
struct conv2d_geometry {
  index_t n = 1, h = 1, w = 1, c = 1, f = 1, kh = 1, kw = 1;
  spatial stride = 1;
  padding2d padding = {};
  spatial dilation = 1;
  index_t groups = 1;

  [[nodiscard]] constexpr window_axis rows() const noexcept {
    return {h, kh, stride.h, padding.top, padding.bottom, dilation.h};
  }
  [[nodiscard]] constexpr window_axis columns() const noexcept {
    return {w, kw, stride.w, padding.left, padding.right, dilation.w};
  }
  [[nodiscard]] constexpr index_t oh() const { return rows().outputs(); }
  [[nodiscard]] constexpr index_t ow() const { return columns().outputs(); }

  /// Returns the channels of x or y in a group. Throws: value_error for groups < 1.
  [[nodiscard]] constexpr index_t group_c() const { return c / checked_divisor("conv2d: groups", groups); }
  [[nodiscard]] constexpr index_t group_f() const { return f / checked_divisor("conv2d: groups", groups); }

  /// Elements of x, the filter and y.
  [[nodiscard]] constexpr index_t input_size() const noexcept { return n * h * w * c; }
  [[nodiscard]] constexpr index_t filter_size() const { return kh * kw * group_c() * f; }
  [[nodiscard]] constexpr index_t output_size() const { return n * oh() * ow() * f; }
  /// Returns the elements of x that windows touch.
  [[nodiscard]] constexpr index_t input_read() const { return n * rows().inputs_read() * columns().inputs_read() * c; }
  /// Returns the multiply-adds of one pass including taps on padding, as in published totals.
  [[nodiscard]] constexpr index_t macs() const { return output_size() * kh * kw * group_c(); }
  /// Returns the multiply-adds of one pass whose input is inside the image.
  [[nodiscard]] constexpr index_t unpadded_macs() const {
    return n * rows().taps_inside() * columns().taps_inside() * group_c() * f;
  }
  friend constexpr bool operator==(const conv2d_geometry&, const conv2d_geometry&) = default;
};

/// Formats as "128x224x224x3 * 7x7x3x64 /2", "8x14x14x256 * 3x3x8x256 in 32 groups".
[[nodiscard]] inline std::string to_string(const conv2d_geometry& g) {
  std::string text = concat(g.n, 'x', g.h, 'x', g.w, 'x', g.c, " * ", g.kh, 'x', g.kw, 'x', g.group_c(), 'x', g.f,
                            detail::stride_text(g.stride));
  if (g.dilation != spatial{}) text += concat(" dilation ", g.dilation.h, 'x', g.dilation.w);
  if (g.groups != 1) text += concat(" in ", g.groups, " groups");
  return text;
}

/// Throws: shape_error or value_error unless n ≥ 0, everything else is positive, groups divide c and f, the window fits
/// the padded image, and every size and twice the multiply-adds fit an index_t with elements of up to 8 bytes.
constexpr void check(const conv2d_geometry& g, std::string_view op = "conv2d") {
  require<shape_error>(g.n >= 0 && g.c > 0 && g.f > 0, op, ": n is ", g.n, ", c is ", g.c, ", f is ", g.f,
                       "; n must be >= 0, c and f > 0");
  require<value_error>(g.groups >= 1, op, ": groups is ", g.groups, "; must be >= 1");
  require<shape_error>(g.c % g.groups == 0 && g.f % g.groups == 0, op, ": groups is ", g.groups, ", c is ", g.c,
                       ", f is ", g.f, "; must divide c and f");
  detail::check_axis(op, "height", g.rows());
  detail::check_axis(op, "width", g.columns());
  constexpr index_t widest = 8;
  const index_t input = checked_mul(checked_mul(g.n, checked_mul(g.h, g.w)), g.c);
  const index_t filter = checked_mul(checked_mul(g.kh, g.kw), checked_mul(g.group_c(), g.f));
  const index_t pixels = checked_mul(g.n, checked_mul(g.oh(), g.ow()));
  for (const index_t size : {input, filter, checked_mul(pixels, g.f)}) static_cast<void>(checked_mul(size, widest));
  static_cast<void>(checked_mul(checked_mul(pixels, filter), 2));
}

/// Extents of a 1-D convolution: x (n, t, c), filter (taps, c / groups, f), y (n, outputs(), f):
///   y(n, o, f) = Σ_{tap, c} x(n, o·stride − before + tap·dilation, c) · w(tap, c, f)
///
/// Equals the 2-D convolution of an image of height one: the memory of x, filter and y is the same.
/// Example:
///   const rp::conv1d_geometry g{.n = 8, .t = 100, .c = 16, .f = 32, .taps = 3, .before = 2};  // causal
///   rp::run(on, rp::conv2d_args<float>{.geometry = g.image(), .x = x, .w = w, .bias = bias, .y = y});
struct conv1d_geometry {
  index_t n = 1, t = 1, c = 1, f = 1, taps = 1;
  index_t stride = 1;
  index_t before = 0, after = 0;  // zeros around the sequence
  index_t dilation = 1;
  index_t groups = 1;

  [[nodiscard]] constexpr conv2d_geometry image() const noexcept {
    return {.n = n,
            .w = t,
            .c = c,
            .f = f,
            .kw = taps,
            .stride = {1, stride},
            .padding = {.left = before, .right = after},
            .dilation = {1, dilation},
            .groups = groups};
  }
  [[nodiscard]] constexpr index_t outputs() const { return image().ow(); }
  friend constexpr bool operator==(const conv1d_geometry&, const conv1d_geometry&) = default;
};

/// Throws: as check() of the image's geometry.
constexpr void check(const conv1d_geometry& g, std::string_view op = "conv1d") { check(g.image(), op); }

/// Extents of a depthwise 2-D convolution with `multiplier` filters for every channel: x (n, h, w, c),
/// filter (kh, kw, c, multiplier), y (n, oh(), ow(), f()); output channel c·multiplier + m reads channel c.
struct depthwise_geometry {
  index_t n = 1, h = 1, w = 1, c = 1, multiplier = 1, kh = 1, kw = 1;
  spatial stride = 1;
  padding2d padding = {};
  spatial dilation = 1;

  [[nodiscard]] constexpr window_axis rows() const noexcept {
    return {h, kh, stride.h, padding.top, padding.bottom, dilation.h};
  }
  [[nodiscard]] constexpr window_axis columns() const noexcept {
    return {w, kw, stride.w, padding.left, padding.right, dilation.w};
  }
  [[nodiscard]] constexpr index_t oh() const { return rows().outputs(); }
  [[nodiscard]] constexpr index_t ow() const { return columns().outputs(); }
  [[nodiscard]] constexpr index_t f() const noexcept { return c * multiplier; }

  /// Elements of x, the filter and y.
  [[nodiscard]] constexpr index_t input_size() const noexcept { return n * h * w * c; }
  [[nodiscard]] constexpr index_t filter_size() const noexcept { return kh * kw * f(); }
  [[nodiscard]] constexpr index_t output_size() const { return n * oh() * ow() * f(); }
  /// Returns the elements of x that windows touch.
  [[nodiscard]] constexpr index_t input_read() const { return n * rows().inputs_read() * columns().inputs_read() * c; }
  /// Returns the multiply-adds of one pass including taps on padding, as in published totals.
  [[nodiscard]] constexpr index_t macs() const { return output_size() * kh * kw; }
  /// Returns the multiply-adds of one pass whose input is inside the image.
  [[nodiscard]] constexpr index_t unpadded_macs() const {
    return n * rows().taps_inside() * columns().taps_inside() * f();
  }
  friend constexpr bool operator==(const depthwise_geometry&, const depthwise_geometry&) = default;
};

namespace detail {
/// Returns the convolution over the same windows from c to f channels.
[[nodiscard]] constexpr conv2d_geometry with_channels(const depthwise_geometry& g, index_t c, index_t f) noexcept {
  return {.n = g.n,
          .h = g.h,
          .w = g.w,
          .c = c,
          .f = f,
          .kh = g.kh,
          .kw = g.kw,
          .stride = g.stride,
          .padding = g.padding,
          .dilation = g.dilation};
}
}  // namespace detail

/// Formats as "128x112x112x32 * 3x3x32x1 /2".
[[nodiscard]] inline std::string to_string(const depthwise_geometry& g) {
  return to_string(detail::with_channels(g, g.c, g.multiplier));
}

/// Throws: shape_error or value_error as for a conv2d_geometry.
constexpr void check(const depthwise_geometry& g, std::string_view op = "depthwise_conv2d") {
  require<shape_error>(g.c > 0 && g.multiplier > 0, op, ": c is ", g.c, ", multiplier is ", g.multiplier,
                       "; must be > 0");
  check(detail::with_channels(g, 1, checked_mul(g.c, g.multiplier)), op);  // each output reads one channel
  static_cast<void>(checked_mul(checked_mul(g.n, checked_mul(g.h, g.w)), checked_mul(g.c, 8)));
}

/// Extents of a 2-D pooling, channel by channel: x (n, h, w, c), a window of kh × kw, y (n, oh(), ow(), c). Taps
/// outside the image are ignored, except in a mean over windows (avg_pool2d.hpp). A window as large as the image is a
/// global pooling.
struct pool2d_geometry {
  index_t n = 1, h = 1, w = 1, c = 1, kh = 1, kw = 1;
  spatial stride = 1;
  padding2d padding = {};
  rounding_rule rounding = rounding_rule::down;  // of oh() and ow()

  [[nodiscard]] constexpr window_axis rows() const noexcept {
    return {h, kh, stride.h, padding.top, padding.bottom, 1, rounding};
  }
  [[nodiscard]] constexpr window_axis columns() const noexcept {
    return {w, kw, stride.w, padding.left, padding.right, 1, rounding};
  }
  [[nodiscard]] constexpr index_t oh() const { return rows().outputs(); }
  [[nodiscard]] constexpr index_t ow() const { return columns().outputs(); }

  /// Elements of x and y.
  [[nodiscard]] constexpr index_t input_size() const noexcept { return n * h * w * c; }
  [[nodiscard]] constexpr index_t output_size() const { return n * oh() * ow() * c; }
  /// Returns the elements of x that windows cover.
  [[nodiscard]] constexpr index_t input_read() const { return n * rows().inputs_read() * columns().inputs_read() * c; }
  /// Returns the elements covered by all windows together, including those outside the image.
  [[nodiscard]] constexpr index_t taps() const { return output_size() * kh * kw; }
  /// Returns taps() without padding.
  [[nodiscard]] constexpr index_t unpadded_taps() const {
    return n * rows().taps_inside() * columns().taps_inside() * c;
  }
  friend constexpr bool operator==(const pool2d_geometry&, const pool2d_geometry&) = default;
};

/// Formats as "128x112x112x64 window 3x3 /2", with " rounded up" if outputs are.
[[nodiscard]] inline std::string to_string(const pool2d_geometry& g) {
  return concat(g.n, 'x', g.h, 'x', g.w, 'x', g.c, " window ", g.kh, 'x', g.kw, detail::stride_text(g.stride),
                g.rounding == rounding_rule::up ? " rounded up" : "");
}

/// Throws: shape_error or value_error unless n ≥ 0, everything else is positive, the window fits the padded image,
/// every window covers a part of the image, and every size and the number of taps fit an index_t.
constexpr void check(const pool2d_geometry& g, std::string_view op = "pool2d") {
  require<shape_error>(g.n >= 0 && g.c > 0, op, ": n is ", g.n, ", c is ", g.c, "; n must be >= 0, c > 0");
  detail::check_axis(op, "height", g.rows());
  detail::check_axis(op, "width", g.columns());
  const auto& [top, bottom, left, right] = g.padding;
  require<value_error>(top < g.kh && bottom < g.kh && left < g.kw && right < g.kw, op, ": padding is ", top, ' ',
                       bottom, ' ', left, ' ', right, " (top bottom left right) of a window of ", g.kh, 'x', g.kw,
                       "; must be less than the window");
  constexpr index_t widest = 8;
  static_cast<void>(checked_mul(checked_mul(checked_mul(g.n, checked_mul(g.h, g.w)), g.c), widest));
  const index_t outputs = checked_mul(checked_mul(g.n, checked_mul(g.oh(), g.ow())), g.c);
  static_cast<void>(checked_mul(checked_mul(outputs, checked_mul(g.kh, g.kw)), widest));
}

/// Window of a pooling, with its stride and padding.
struct pooling_options {
  spatial window = 1;
  spatial stride = 1;
  padding2d padding = {};
  rounding_rule rounding = rounding_rule::down;
};

namespace detail {

using image_extents = std::array<index_t, 4>;

/// Throws: shape_error unless the view is dense and of these extents.
template <class T>
void check_image(std::string_view op, std::string_view name, const tensor_view<T, 4>& v,
                 const image_extents& expected) {
  require<shape_error>(v.extents == expected, op, ": ", name, " is ", v.shape(), "; must be ",
                       shape(expected.begin(), expected.end()));
  require<shape_error>(v.dense(), op, ": ", name, " is ", v.shape(), " with gaps or in another order; must be dense");
}
template <class Geometry>
[[nodiscard]] image_extents input_of(const Geometry& g) noexcept {
  return {g.n, g.h, g.w, g.c};
}
[[nodiscard]] inline image_extents output_of(const conv2d_geometry& g) { return {g.n, g.oh(), g.ow(), g.f}; }
[[nodiscard]] inline image_extents output_of(const pool2d_geometry& g) { return {g.n, g.oh(), g.ow(), g.c}; }
[[nodiscard]] inline image_extents output_of(const depthwise_geometry& g) { return {g.n, g.oh(), g.ow(), g.f()}; }
[[nodiscard]] inline image_extents filter_of(const conv2d_geometry& g) { return {g.kh, g.kw, g.group_c(), g.f}; }
[[nodiscard]] inline image_extents filter_of(const depthwise_geometry& g) { return {g.kh, g.kw, g.c, g.multiplier}; }
/// An image or a filter, with its operand name.
template <class T>
struct named_image {
  std::string_view name;
  const tensor_view<T, 4>& view;
};
template <class T>
named_image(std::string_view, const tensor_view<T, 4>&) -> named_image<T>;

/// Returns the geometry of a pooling of x, and checks x and y against it.
/// Throws: as max_pool2d().
template <class X, class Y>
[[nodiscard]] pool2d_geometry pooling_of(std::string_view op, const named_image<X>& x, const named_image<Y>& y,
                                         const pooling_options& o) {
  const auto& [n, height, width, c] = x.view.extents;
  const pool2d_geometry g{.n = n,
                          .h = height,
                          .w = width,
                          .c = c,
                          .kh = o.window.h,
                          .kw = o.window.w,
                          .stride = o.stride,
                          .padding = o.padding,
                          .rounding = o.rounding};
  check(g, op);
  check_image(op, x.name, x.view, input_of(g));
  check_image(op, y.name, y.view, output_of(g));
  return g;
}

}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

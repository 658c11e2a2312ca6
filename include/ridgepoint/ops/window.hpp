// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

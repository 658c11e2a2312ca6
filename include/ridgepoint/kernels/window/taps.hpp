// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/geometry.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Taps tap, tap + tap_step …, `count` of them, and their sources: source, source + source_step …
struct tap_run {
  index_t count = 0, tap = 0, tap_step = 1, source = 0, source_step = 1;

  /// Returns the run without the first `skipped` taps.
  [[nodiscard]] constexpr tap_run after(index_t skipped) const noexcept {
    return {count - skipped, tap + skipped * tap_step, tap_step, source + skipped * source_step, source_step};
  }
  /// Returns the part whose sources are in [0, extent): always contiguous.
  [[nodiscard]] constexpr tap_run inside(index_t extent) const noexcept {
    index_t first = 0, end = count;
    const auto is_inside = [&](index_t i) {
      const index_t at = source + i * source_step;
      return at >= 0 && at < extent;
    };
    while (first < end && !is_inside(first)) ++first;
    while (end > first && !is_inside(end - 1)) --end;
    tap_run part = after(first);
    part.count = end - first;
    return part;
  }
};

/// Destinations first, first + step …, `count` of them, with the same taps; the sources advance by `pace` from one
/// destination to the next. `taps` has the taps and sources of the first.
struct tap_line {
  index_t first = 0, step = 1, count = 1, pace = 1;
  tap_run taps = {};
};

/// One direction of a sliding window from the side of the destinations: outputs, with the inputs at the taps of their
/// windows, or, backwards, inputs, with the outputs whose windows cover them.
class window_walk {
 public:
  [[nodiscard]] static constexpr window_walk over_outputs(const window_axis& a) noexcept {
    return {a, direction::forward, a.outputs(), a.extent, 1, a.stride};
  }
  [[nodiscard]] static constexpr window_walk over_inputs(const window_axis& a) noexcept {
    return {a, direction::backward, a.extent, a.outputs(), a.stride, 1};
  }

  /// Returns the taps of destination d in the order of their sources, inside the extent or not.
  [[nodiscard]] constexpr tap_run all(index_t d) const noexcept {
    if (direction_ == direction::forward) return {axis_.taps, 0, 1, axis_.input(d, 0), axis_.dilation};
    index_t tap = 0, step = 1;  // output·stride = d + before − tap·dilation: every step-th tap, if any
    const auto from = [&](index_t t) { return d + axis_.before - t * axis_.dilation; };
    while (step * axis_.dilation % axis_.stride != 0) ++step;
    while (tap < step && from(tap) % axis_.stride != 0) ++tap;
    if (tap >= (std::min)(step, axis_.taps)) return {};
    const index_t count = ceil_div(axis_.taps - tap, step), last = tap + (count - 1) * step;
    return {count, last, -step, from(last) / axis_.stride, step * axis_.dilation / axis_.stride};
  }
  /// Returns the taps of destination d whose sources exist.
  [[nodiscard]] constexpr tap_run inside(index_t d) const noexcept { return all(d).inside(sources_); }

  /// Returns the line of all destinations if three taps slide along them, and only the first source of the first
  /// destination and the last source of the last one do not exist; else a line of no destinations. Its taps are those
  /// of the first destination, with the missing source.
  [[nodiscard]] constexpr tap_line padded_line() const noexcept {
    if (period_ != 1 || destinations_ < 2) return {.count = 0};
    const tap_run first = all(0), last = all(destinations_ - 1);
    const index_t end = last.source + 2 * last.source_step;
    const bool slides = first.count == 3 && first.source_step == pace_;
    const bool lacks_two = first.source < 0 && first.source + pace_ >= 0 && end >= sources_ && end - pace_ < sources_;
    return {.count = slides && lacks_two ? destinations_ : 0, .pace = pace_, .taps = first};
  }

  /// Calls use(line) for lines that together cover all destinations: long lines where every tap has its source, single
  /// destinations at the edges.
  template <class Use>
  void for_each_line(const Use& use) const {
    for (index_t first = 0; first < (std::min)(period_, destinations_); ++first) {
      const index_t count = ceil_div(destinations_ - first, period_);
      const tap_run taps = all(first);
      const index_t last = taps.source + (taps.count - 1) * taps.source_step;
      const index_t low = (std::min)(taps.source, last), room = sources_ - 1 - (std::max)(taps.source, last);
      const bool any = taps.count > 0;
      const index_t begin = any && low < 0 ? (std::min)(count, ceil_div(-low, pace_)) : 0;
      const index_t end = !any ? count : room < 0 ? begin : std::clamp(room / pace_ + 1, begin, count);
      const auto single = [&](index_t i) {
        const index_t d = first + i * period_;
        use(tap_line{.first = d, .taps = inside(d)});
      };
      for (index_t i = 0; i < begin; ++i) single(i);
      if (begin < end) {
        tap_run here = taps;
        here.source += begin * pace_;
        use(tap_line{first + begin * period_, period_, end - begin, pace_, here});
      }
      for (index_t i = end; i < count; ++i) single(i);
    }
  }

 private:
  enum class direction { forward, backward };
  constexpr window_walk(const window_axis& a, direction d, index_t to, index_t from, index_t period,
                        index_t pace) noexcept
      : axis_(a), direction_(d), destinations_(to), sources_(from), period_(period), pace_(pace) {}
  window_axis axis_;
  direction direction_;
  index_t destinations_, sources_, period_, pace_;
};

/// Taps of one destination pixel in both directions.
struct window_taps {
  tap_run rows = {}, columns = {};
  index_t image = 0;        // first pixel of the sources' image
  index_t width = 1;        // sources in a row
  index_t taps_across = 1;  // of the full window

  [[nodiscard]] constexpr index_t count() const noexcept { return rows.count * columns.count; }
  /// Calls use(source pixel, tap) for each tap, row by row.
  template <class Use>
  RIDGEPOINT_INLINE void for_each(const Use& use) const {
    index_t line = image + rows.source * width + columns.source, line_tap = rows.tap * taps_across + columns.tap;
    for (index_t i = 0; i < rows.count; ++i) {
      index_t pixel = line, tap = line_tap;
      for (index_t j = 0; j < columns.count; ++j) {
        use(pixel, tap);
        pixel += columns.source_step;
        tap += columns.tap_step;
      }
      line += rows.source_step * width;
      line_tap += rows.tap_step * taps_across;
    }
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

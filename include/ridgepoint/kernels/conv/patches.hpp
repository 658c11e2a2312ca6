// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/window/taps.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Mapping of results to sources along one direction of an image, for results that use the same taps: result i <
/// results reads source i·step + taps.source + t·taps.source_step through tap taps.tap + t·taps.tap_step, for t <
/// taps.count. Outside the sources the value is zero.
struct tap_grid {
  index_t results = 0, sources = 0, step = 1;
  tap_run taps = {};

  [[nodiscard]] constexpr index_t source(index_t result, index_t t) const noexcept {
    return result * step + taps.source + t * taps.source_step;
  }
  [[nodiscard]] constexpr index_t tap_of(index_t t) const noexcept { return taps.tap + t * taps.tap_step; }
  /// Whether result i reads only source i.
  [[nodiscard]] constexpr bool is_identity() const noexcept {
    return taps.count == 1 && step == 1 && taps.source == 0 && results == sources;
  }
};

/// Returns the mapping from outputs to inputs: the forward pass.
[[nodiscard]] constexpr tap_grid taps_forward(const window_axis& a) noexcept {
  return {a.outputs(), a.extent, a.stride, window_walk::over_outputs(a).all(0)};
}
/// Returns the mapping from inputs phase, phase + stride, … to outputs: the image gradient.
[[nodiscard]] constexpr tap_grid taps_backward(const window_axis& a, index_t phase) noexcept {
  return {a.extent > phase ? ceil_div(a.extent - phase, a.stride) : 0, a.outputs(), 1,
          window_walk::over_inputs(a).all(phase)};
}

/// Matrix whose product with a filter is a convolution (im2col): a row per result pixel (image, row, column),
/// containing the inputs of its taps (tap row, tap column, channel), zero outside the image.
template <class T>
struct patches {
  const T* image = nullptr;  // (images, rows.sources, columns.sources, channels)
  index_t images = 0, channels = 0;
  tap_grid rows, columns;
  index_t pixel = channels;  // elements from one pixel to the next: more if only some channels are used

  [[nodiscard]] constexpr index_t pixels() const noexcept { return images * rows.results * columns.results; }
  [[nodiscard]] constexpr index_t depth() const noexcept { return rows.taps.count * columns.taps.count * channels; }
  /// Whether pixels are adjacent, with all channels in use.
  [[nodiscard]] constexpr bool is_dense() const noexcept { return pixel == channels; }
  /// Whether the image itself is this matrix.
  [[nodiscard]] constexpr bool are_in_place() const noexcept { return rows.is_identity() && columns.is_identity(); }
};

enum class conv_direction { forward, backward };

/// Row of results: all its pixels use the same taps in a forward pass, every stride-th pixel in an image gradient.
struct result_line {
  window_axis axis;
  conv_direction direction;

  [[nodiscard]] bool is_forward() const noexcept { return direction == conv_direction::forward; }
  [[nodiscard]] index_t phases() const noexcept { return is_forward() ? 1 : axis.stride; }
  [[nodiscard]] index_t pixels() const noexcept { return is_forward() ? axis.outputs() : axis.extent; }
  [[nodiscard]] tap_grid of_phase(index_t phase) const noexcept {
    return is_forward() ? taps_forward(axis) : taps_backward(axis, phase);
  }
  /// Calls use(pixel, source, tap) for the first `count` pixels.
  template <class Use>
  void for_taps(index_t count, const Use& use) const noexcept {
    for (index_t phase = 0; phase < phases(); ++phase) {
      const tap_grid grid = of_phase(phase);
      for (index_t pixel = phase; pixel < count; pixel += phases())
        for (index_t t = 0; t < grid.taps.count; ++t) use(pixel, grid.source(pixel / phases(), t), grid.tap_of(t));
    }
  }
};

/// Sources [first, last) that some adjacent pixels of a row read; each pixel reads some of them, each through one tap.
struct joined_window {
  index_t first = 0, last = 0;

  joined_window(const result_line& line, index_t pixels) noexcept { add(line, 0, pixels); }
  /// Adds pixels [begin, end) to the previous ones. Requires: both at the first of all phases, or at the row's end.
  void add(const result_line& line, index_t begin, index_t end) noexcept {
    const index_t phases = line.phases();
    for (index_t phase = 0; phase < phases; ++phase) {
      const tap_grid grid = line.of_phase(phase);
      if (grid.taps.count == 0 || begin + phase >= end) continue;
      const index_t low = grid.source(begin / phases, 0),
                    high = grid.source((end - 1 - phase) / phases, grid.taps.count - 1) + 1;
      const bool any = first < last;
      first = any ? (std::min)(first, low) : low, last = any ? (std::max)(last, high) : high;
    }
  }
};

/// Windows of result rows as rows of A read in place: result j at a + j·pixel, as consecutive segments at `offsets`.
template <class T>
struct segment_rows {
  index_t pixels = 0, pixel = 0;                 // of a row: results, and elements from one to the next
  index_t result_row = 0, tap_row = 0, tap = 0;  // elements from one row of results, row of taps, or tap to the next
  index_t length = 0, per_tap_row = 0;           // of segments: elements of one; number in a row of taps
  const index_t* offsets = nullptr;              // of all but the first
  bool pairs = false;                            // two rows of results fill a tile better than one

  [[nodiscard]] tile_split split(vector_unit v, index_t result_rows) const noexcept {
    return result_rows == 2 ? tile_split{1, 2 * pixels, 1} : tile_split::of(pixels, v);
  }
};

/// Windows of an image in segments of adjacent taps: a full row of taps, or single taps if they are dilated. The image
/// must outlive this object.
template <class T>
class window_segments {
 public:
  explicit constexpr window_segments(const patches<T>& p) noexcept : p_(p) {}

  /// Number of segments of a window.
  [[nodiscard]] constexpr index_t count() const noexcept { return p_.rows.taps.count * per_tap_row(); }
  /// Number of registers that a window fills, each segment rounded up to full registers.
  [[nodiscard]] constexpr index_t registers(vector_unit v) const noexcept {
    return count() * v.vectors<T>(rows(v).length);
  }
  /// Whether image rows are copied: with zeros around them if windows reach beyond the image, or compacted if only some
  /// channels are read.
  [[nodiscard]] constexpr bool copies() const noexcept {
    return !p_.is_dense() || reaches_beyond(p_.rows) || reaches_beyond(p_.columns);
  }
  /// Elements of the copy for the windows of `rows` result rows.
  [[nodiscard]] constexpr index_t band_elements(index_t rows) const noexcept {
    return extent(p_.rows, rows) * copied_row();
  }
  /// Elements of the copy for up to `rows` rows in total of up to `images` images.
  [[nodiscard]] constexpr index_t band_elements(index_t rows, index_t images) const noexcept {
    const index_t each = extent(p_.rows, 1), most = each < p_.rows.step ? 1 : (std::min)(rows, images);
    return ((rows - most) * p_.rows.step + most * each) * copied_row();
  }
  /// Number of sources from the first to the last that the results read.
  [[nodiscard]] static constexpr index_t extent(const tap_grid& line, index_t results) noexcept {
    return (results - 1) * line.step + (line.taps.count - 1) * line.taps.source_step + 1;
  }
  /// Elements from one row of a copy to the next.
  [[nodiscard]] constexpr index_t copied_row() const noexcept {
    return row_distance<T>(extent(p_.columns, p_.columns.results) * p_.channels);
  }
  [[nodiscard]] constexpr const patches<T>& of() const noexcept { return p_; }
  [[nodiscard]] constexpr const T* source(index_t image, index_t row, index_t column) const noexcept {
    return p_.image + ((image * p_.rows.sources + row) * p_.columns.sources + column) * p_.pixel;
  }
  /// Returns the address of the first window of a result row in the image itself.
  [[nodiscard]] constexpr const T* band_at(index_t image, index_t row) const noexcept {
    return source(image, p_.rows.source(row, 0), p_.columns.source(0, 0));
  }
  /// Returns the rows with the offsets of segments. Requires: count() elements at `offsets`.
  [[nodiscard]] segment_rows<T> rows(vector_unit v, index_t* offsets) const noexcept {
    segment_rows<T> lines = rows(v);
    for (index_t i = 1; i < count(); ++i)
      offsets[i - 1] = i / lines.per_tap_row * lines.tap_row + i % lines.per_tap_row * lines.tap;
    lines.offsets = offsets;
    return lines;
  }
  /// Returns the strides of windows in a row of sources: of one column of taps, or of all if taps are adjacent.
  [[nodiscard]] segment_rows<T> rows(vector_unit v) const noexcept {
    const index_t row = copies() ? copied_row() : p_.columns.sources * p_.channels, each = per_tap_row();
    return {.pixels = p_.columns.results,
            .pixel = p_.columns.step * p_.channels,
            .result_row = p_.rows.step * row,
            .tap_row = p_.rows.taps.source_step * row,
            .tap = p_.columns.taps.source_step * p_.channels,
            .length = p_.columns.taps.count / each * p_.channels,
            .per_tap_row = each,
            .pairs = are_pairs(v, p_.columns.results)};
  }

 private:
  /// Whether two rows form a tile of two halves: more than seven rows in total.
  [[nodiscard]] static constexpr bool are_pairs(vector_unit v, index_t results) noexcept {
    return 2 * results > 7 && 2 * results <= tile_rows(v);
  }
  [[nodiscard]] static constexpr bool reaches_beyond(const tap_grid& line) noexcept {
    return line.source(0, 0) < 0 || line.source(0, 0) + extent(line, line.results) > line.sources;
  }
  [[nodiscard]] constexpr index_t per_tap_row() const noexcept {
    return p_.columns.taps.source_step == 1 ? 1 : p_.columns.taps.count;
  }

  const patches<T>& p_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

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

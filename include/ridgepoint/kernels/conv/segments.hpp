// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// The windows of result rows as rows of A that are read where they lie: result j at a + j·pixel, and in it one segment
/// after the other, at their offsets.
template <class T>
struct segment_rows {
  index_t pixels = 0, pixel = 0;                 // of a row: results, and elements from one to the next
  index_t result_row = 0, tap_row = 0, tap = 0;  // elements from one row of results, of taps, or one tap, to the next
  index_t length = 0, per_tap_row = 0;           // of segments: elements; how many a row of taps has
  const index_t* offsets = nullptr;              // of all but the first
  bool pairs = false;                            // two rows of results fill a tile better than one

  [[nodiscard]] tile_split split(vector_unit v, index_t result_rows) const noexcept {
    return result_rows == 2 ? tile_split{1, 2 * pixels, 1} : tile_split::of(pixels, v);
  }
};

/// Windows of an image, which must outlive this, in segments of taps that lie side by side: all of a row of taps, or
/// each for itself where they are spread.
template <class T>
class window_segments {
 public:
  explicit constexpr window_segments(const patches<T>& p) noexcept : p_(p) {}

  /// Segments of a window.
  [[nodiscard]] constexpr index_t count() const noexcept { return p_.rows.taps.count * per_tap_row(); }
  /// Registers that a window fills, each segment whole ones.
  [[nodiscard]] constexpr index_t registers(vector_unit v) const noexcept {
    return count() * v.vectors<T>(rows(v).length);
  }
  /// Whether windows reach beyond the image, so that its rows are copied with zeros around them, or read some of its
  /// channels only, which are brought together.
  [[nodiscard]] constexpr bool copies() const noexcept {
    return !p_.is_dense() || reaches_beyond(p_.rows) || reaches_beyond(p_.columns);
  }
  /// Elements of the copy that the windows of so many result rows read.
  [[nodiscard]] constexpr index_t band_elements(index_t rows) const noexcept {
    return extent(p_.rows, rows) * copied_row();
  }
  /// The same of so many rows in all of at most so many images.
  [[nodiscard]] constexpr index_t band_elements(index_t rows, index_t images) const noexcept {
    const index_t each = extent(p_.rows, 1), most = each < p_.rows.step ? 1 : (std::min)(rows, images);
    return ((rows - most) * p_.rows.step + most * each) * copied_row();
  }
  /// Sources that so many results read, and those between.
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
  /// Where the windows of a result row begin in the image itself.
  [[nodiscard]] constexpr const T* band_at(index_t image, index_t row) const noexcept {
    return source(image, p_.rows.source(row, 0), p_.columns.source(0, 0));
  }
  /// The same with the offsets of segments. Requires: count() elements at `offsets`.
  [[nodiscard]] segment_rows<T> rows(vector_unit v, index_t* offsets) const noexcept {
    segment_rows<T> lines = rows(v);
    for (index_t i = 1; i < count(); ++i)
      offsets[i - 1] = i / lines.per_tap_row * lines.tap_row + i % lines.per_tap_row * lines.tap;
    lines.offsets = offsets;
    return lines;
  }
  /// How windows of one column of taps, or of all where they lie side by side, follow each other in a row of sources.
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
  /// Whether two rows are a tile of two halves: of more than seven rows.
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

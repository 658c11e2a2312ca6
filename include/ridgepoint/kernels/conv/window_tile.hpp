// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/kernels/conv/segments.hpp>
#include <ridgepoint/kernels/gemm/macrokernel.hpp>
#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Some adjacent elements of every window, packed as gemm_tile() reads a tile of A: rows are elements, depth is pixels.
template <class T>
class window_tile {
 public:
  /// Elements [first, first + rows) of windows with the strides of `lines`, tap row by tap row.
  window_tile(const segment_rows<T>& lines, index_t first, index_t rows) noexcept
      : pixels_(lines.pixels), pixel_(lines.pixel), rows_(rows) {
    for (index_t at = 0; at < rows; ++pieces_) {
      const index_t segment = (first + at) / lines.length, begin = (first + at) % lines.length;
      const index_t count = (std::min)((std::min)(lines.length - begin, rows - at), index_t{simd::lanes<T>});
      piece_[static_cast<std::size_t>(pieces_)] = {
          segment / lines.per_tap_row * lines.tap_row + segment % lines.per_tap_row * lines.tap + begin, at, count};
      at += count;
    }
  }

  /// Packs a row of windows, the first at `from`; returns the address of the next packed row.
  /// Requires: `to` writable for one register beyond a_block<T>::copies·rows·pixels values.
  T* pack(const T* from, T* to) const noexcept {
    if (stores_parts(native_unit) || pieces_ == 1) {
      for (index_t i = 0; i < pieces_; ++i) copy(piece_[static_cast<std::size_t>(i)], from, to);
    } else {  // full registers overlap the elements packed next
      for (index_t j = 0; j < pixels_; ++j)
        for (index_t i = 0; i < pieces_; ++i) {
          const piece& p = piece_[static_cast<std::size_t>(i)];
          copy_one(p, from + j * pixel_, to + j * rows_ * copies);
        }
    }
    return to + pixels_ * rows_ * copies;
  }

 private:
  struct piece {
    index_t from, at, count;  // elements: in the window, in the tile, up to a register
  };
  static constexpr index_t copies = a_block<T>::copies;

  void copy(piece p, const T* from, T* to) const noexcept {
    const index_t pixels = pixels_, pixel = pixel_, rows = rows_ * copies;
    for (index_t j = 0; j < pixels; ++j, from += pixel, to += rows) copy_one(p, from, to);
  }
  static void copy_one(const piece& p, const T* window, T* row) noexcept {
    if constexpr (copies > 1) {
      for (index_t i = 0; i < p.count; ++i) simd::store(row + (p.at + i) * copies, simd::batch<T>(window[p.from + i]));
    } else if constexpr (stores_parts(native_unit)) {
      simd::store_partial(row + p.at, simd::load_partial(window + p.from, p.count), p.count);
    } else {
      simd::store(row + p.at, simd::load_partial(window + p.from, p.count));
    }
  }

  index_t pixels_, pixel_, rows_, pieces_ = 0;
  std::array<piece, most_rows(native_unit)> piece_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/tile_schedule.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// One tile of the stationary operand and the rows that stream past it (or one output-stationary fold).
struct tile {
  index_t row0 = 0, col0 = 0;         // where it starts in the stationary operand (in C)
  index_t rows = 0, cols = 0;         // how much of the array it fills
  index_t stream0 = 0, streamed = 0;  // the rows that stream past it
  bool first_fold = true;             // its results start an accumulator; later folds add to it
};

/// The tiles of array `x`: chunk by chunk, in a chunk column block by column block, in a block fold by fold.
class tile_walk {
 public:
  tile_walk(const array_shape& array, const gemm_extent& e, const array_options& o, std::uint64_t x)
      : array_(array),
        map_(map_onto(o.flow, e)),
        grid_(cut_into_tiles(array, e, o)),
        x_(x),
        output_stationary_(o.flow == dataflow::output_stationary) {}

  [[nodiscard]] const array_shape& array() const noexcept { return array_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return grid_.strips(x_) * grid_.row_folds; }
  [[nodiscard]] tile operator[](std::uint64_t i) const noexcept {
    const std::uint64_t strip = x_ + i / grid_.row_folds * grid_.arrays;
    auto fold = static_cast<index_t>(i % grid_.row_folds);
    auto block = static_cast<index_t>(strip % grid_.col_folds);
    const auto chunk = static_cast<index_t>(strip / grid_.col_folds), rows = static_cast<index_t>(grid_.chunk_rows);
    if (output_stationary_) {  // folds of C, row block by row block
      const index_t across = ceil_div(map_.over_cols, array_.cols);
      fold = block / across;
      block %= across;
    }
    tile t{.row0 = fold * array_.rows, .col0 = block * array_.cols, .stream0 = chunk * rows};
    t.rows = (std::min)(array_.rows, map_.over_rows - t.row0);
    t.cols = (std::min)(array_.cols, map_.over_cols - t.col0);
    t.streamed = (std::min)(rows, map_.streamed - t.stream0);
    t.first_fold = output_stationary_ || fold == 0;
    return t;
  }

 private:
  array_shape array_;
  array_mapping map_;
  tile_grid grid_;
  std::uint64_t x_;
  bool output_stationary_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

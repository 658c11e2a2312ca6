// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/array_element.hpp>
#include <ridgepoint/mxu/operand_lines.hpp>
#include <ridgepoint/mxu/tile_port.hpp>
#include <ridgepoint/mxu/tile_walk.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// R×C processing elements that each hold a weight, a shadow weight, an operand and a partial sum, cycle by cycle.
///
/// In one cycle, in this order: control starts a tile, a load, a fetch where it may; operands move one column to the
/// right, row r taking what entered the tile r cycles ago; where a tile's first operand arrives the shadow weight
/// becomes the weight; sums move down one row and take operand · weight; sums that leave the bottom row reach the
/// accumulators; shadow weights move down one row behind the wave of the tile before them, column c starting c cycles
/// late, the bottom row's weight first.
/// Streams rows of x past tiles of w: weight-stationary with x = A, w = B, input-stationary with x = Bᵀ, w = Aᵀ.
template <array_format Format, int R, int C>
class stationary_array {
 public:
  using lane = array_lane_t<Format>;
  using operand = array_operand_t<Format>;
  using result = array_sum_t<Format>;

  stationary_array(const tile_walk& tiles, const std::vector<lane>& x, const std::vector<lane>& w, index_t depth,
                   index_t width, matrix_view<result> y, std::uint64_t fetch_cycles, std::uint64_t fifo_depth)
      : size_(tiles.array()),
        tiles_(tiles),
        x_(x),
        w_(w),
        depth_(depth),
        width_(width),
        y_(y),
        port_(fetch_cycles, fifo_depth, tiles.size()),
        operands_(size_),
        planes_(static_cast<std::size_t>(3 * size_.rows * size_.cols + size_.cols)) {}

  /// Runs until the last result has left; after every cycle observe(*this).
  template <class Observer>
  array_counters run(Observer&& observe) {
    counters_ = {.tiles = tiles_.size()};
    for (bool running = true; running; ++cycle_) {
      control();
      operands_.shift();
      for (const wave& v : waves_) enter_and_swap(v);
      for (int r = size_.rows - 1; r >= 0; --r) multiply_add(sums(r - 1), operands_.row(r), weights(r), sums(r));
      for (const wave& v : waves_) leave(v);
      for (const wave& v : waves_) load(v);
      count();
      observe(static_cast<const stationary_array&>(*this));
      running = retire();
    }
    counters_.cycles = cycle_;
    return counters_;
  }

  [[nodiscard]] std::uint64_t cycle() const noexcept { return cycle_; }
  [[nodiscard]] array_phase phase() const noexcept { return phase_; }
  [[nodiscard]] const tile_port& port() const noexcept { return port_; }
  [[nodiscard]] tile tile_of(std::uint64_t i) const noexcept { return tiles_[i]; }
  [[nodiscard]] result operand_at(int r, int c) const noexcept { return static_cast<result>(operands_.row(r)[c]); }
  [[nodiscard]] result weight_at(int r, int c) const noexcept { return static_cast<result>(planes_[at(1, r, c)]); }
  [[nodiscard]] result shadow_at(int r, int c) const noexcept { return static_cast<result>(planes_[at(2, r, c)]); }
  [[nodiscard]] result sum_at(int r, int c) const noexcept { return static_cast<result>(planes_[at(0, r, c)]); }
  /// The operand that (r, c) multiplies in this cycle: its tile and streamed row; nothing where the array has a bubble.
  [[nodiscard]] std::optional<array_position> position_at(int r, int c) const noexcept {
    for (const wave& v : waves_)
      if (const index_t step = since(v.start) - r - c; v.started && step >= 0 && step < v.at.streamed)
        return array_position{v.index, step};
    return std::nullopt;
  }
  /// The streamed row whose sum leaves column c in this cycle.
  [[nodiscard]] std::optional<array_position> leaving_at(int c) const noexcept {
    const auto position = position_at(size_.rows - 1, c);
    return position && c < tiles_[position->tile].cols ? position : std::nullopt;
  }
  /// The tile whose weight is at (r, c); nothing before the first has come.
  [[nodiscard]] std::optional<std::uint64_t> weight_of(int r, int c) const noexcept {
    for (auto v = waves_.rbegin(); v != waves_.rend(); ++v)
      if (v->started && since(v->start) >= r + c) return v->index;
    const std::uint64_t oldest = waves_.empty() ? next_ : waves_.front().index;  // those before it are everywhere
    return oldest == 0 ? std::nullopt : std::optional(oldest - 1);
  }
  /// The tile whose shadow weight is at (r, c), and the row of the tile it belongs to, once it has entered the array.
  [[nodiscard]] std::optional<array_position> shadow_of(int r, int c) const noexcept {
    std::optional<array_position> found;
    for (const wave& v : waves_)
      if (const index_t step = since(v.load) - c; step >= r && (!v.started || since(v.start) < r + c))
        found = array_position{v.index, size_.rows - 1 - std::min<index_t>(step, size_.rows - 1) + r};
    return found;
  }

 private:
  /// A tile from the beginning of its load until its last result has left.
  struct wave {
    tile at;
    std::uint64_t index = 0, load = 0, start = 0;
    bool started = false;
  };

  // planes: sums of rows -1 (zeros) to R - 1, weights, shadow weights
  [[nodiscard]] std::size_t at(int plane, int r, int c) const noexcept {
    return static_cast<std::size_t>((plane * size_.rows + r + 1) * size_.cols + c);
  }
  [[nodiscard]] lane* sums(int r) noexcept { return planes_.data() + at(0, r, 0); }
  [[nodiscard]] lane* weights(int r) noexcept { return planes_.data() + at(1, r, 0); }
  [[nodiscard]] lane* shadows(int r) noexcept { return planes_.data() + at(2, r, 0); }
  [[nodiscard]] index_t since(std::uint64_t then) const noexcept { return static_cast<index_t>(cycle_ - then); }

  void multiply_add(const lane* above, const lane* a, const lane* w, lane* sum) const noexcept {
    if constexpr (C > 0) multiply_add_row<C>(above, a, w, sum);
    else multiply_add_row(size_.cols, above, a, w, sum);
  }

  void control() {
    port_.arrive(cycle_);
    wave* last = waves_.empty() ? nullptr : &waves_.back();
    if (last != nullptr && !last->started && since(last->load) >= size_.rows && cycle_ >= entered_) {
      last->started = true;
      last->start = cycle_;
      entered_ = cycle_ + static_cast<std::uint64_t>(last->at.streamed);
    }
    if (next_ < tiles_.size() && port_.has_tile() && (last == nullptr || last->started)) {
      port_.take();
      waves_.push_back({.at = tiles_[next_], .index = next_, .load = cycle_});
      ++next_;
    }
    port_.fetch(cycle_);
  }

  /// The tile's operands of this cycle enter at the left edge; its first ones swap the weights on their diagonal.
  void enter_and_swap(const wave& v) noexcept {
    if (!v.started) return;
    const index_t age = since(v.start);
    const index_t top = std::max<index_t>(0, age - v.at.streamed + 1), bottom = std::min<index_t>(size_.rows - 1, age);
    const index_t used = (std::min)(bottom, v.at.rows - 1);
    for (index_t r = top; r <= used; ++r)
      operands_.enter(static_cast<int>(r),
                      x_[static_cast<std::size_t>((v.at.stream0 + age - r) * depth_ + v.at.row0 + r)]);
    if (top <= bottom) {  // each operand that enters meets all C elements of its row
      const auto all = static_cast<std::uint64_t>((bottom - top + 1) * size_.cols);
      const auto useful = static_cast<std::uint64_t>(std::max<index_t>(0, used - top + 1) * v.at.cols);
      counters_.useful_macs += useful;
      counters_.unused_macs += all - useful;
    }
    for (index_t r = std::max<index_t>(0, age - size_.cols + 1); r <= bottom; ++r) {
      const std::size_t here = at(1, static_cast<int>(r), static_cast<int>(age - r));
      planes_[here] = planes_[here + static_cast<std::size_t>(size_.rows * size_.cols)];
    }
  }

  /// The tile's finished sums leave the bottom row: to the accumulators, or on top of what earlier folds left there.
  void leave(const wave& v) noexcept {
    if (!v.started) return;
    const index_t age = since(v.start) - (size_.rows - 1);
    const index_t from = std::max<index_t>(0, age - v.at.streamed + 1), to = (std::min)(v.at.cols - 1, age);
    const lane* sum = sums(size_.rows - 1);
    for (index_t c = from; c <= to; ++c) {
      result& y = y_(v.at.stream0 + age - c, v.at.col0 + c);
      y = static_cast<result>(v.at.first_fold ? sum[c] : static_cast<lane>(y) + sum[c]);
    }
  }

  /// One step of the tile's shift into the shadow weights.
  void load(const wave& v) noexcept {
    const index_t age = since(v.load);
    if (age > size_.rows + size_.cols - 2) return;
    const index_t from = std::max<index_t>(0, age - size_.rows + 1);
    for (int r = size_.rows - 1; r > 0; --r) {
      const index_t to = std::min<index_t>(size_.cols - 1, age - r);
      if (from <= to) std::copy(shadows(r - 1) + from, shadows(r - 1) + to + 1, shadows(r) + from);
    }
    for (index_t c = from; c <= std::min<index_t>(size_.cols - 1, age); ++c) {
      const index_t row = size_.rows - 1 - (age - c);
      const bool pads = row >= v.at.rows || c >= v.at.cols;
      shadows(0)[c] = pads ? lane{} : w_[static_cast<std::size_t>((v.at.row0 + row) * width_ + v.at.col0 + c)];
    }
  }

  void count() noexcept {
    const bool loading = !waves_.empty() && !waves_.back().started;
    phase_ = cycle_ < entered_       ? array_phase::active
             : loading               ? array_phase::shift
             : next_ < tiles_.size() ? array_phase::stall
                                     : array_phase::drain;
    counters_.active += phase_ == array_phase::active;
    counters_.shift += phase_ == array_phase::shift;
    counters_.stall += phase_ == array_phase::stall;
    counters_.drain += phase_ == array_phase::drain;
  }

  /// Forgets tiles whose last result has left; false once that was the last tile of all.
  bool retire() noexcept {
    if (!waves_.empty() && waves_.front().started &&
        since(waves_.front().start) >= waves_.front().at.streamed + size_.rows + size_.cols - 3)
      waves_.erase(waves_.begin());
    return !waves_.empty() || next_ < tiles_.size();
  }

  [[no_unique_address]] array_extents<R, C> size_;
  tile_walk tiles_;
  const std::vector<lane>& x_;
  const std::vector<lane>& w_;
  index_t depth_, width_;  // row lengths of x and w
  matrix_view<result> y_;
  tile_port port_;
  operand_lines<lane, R, C> operands_;
  std::vector<lane> planes_;
  std::vector<wave> waves_;
  std::uint64_t cycle_ = 0, next_ = 0, entered_ = 0;  // entered_: when the last started tile's rows are all in
  array_phase phase_ = array_phase::stall;
  array_counters counters_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

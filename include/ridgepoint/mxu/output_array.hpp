// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/array_element.hpp>
#include <ridgepoint/mxu/operand_lines.hpp>
#include <ridgepoint/mxu/tile_walk.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// R×C processing elements that each hold two operands, an accumulator and a result on its way out, cycle by cycle.
///
/// In one cycle, in this order: control starts a fold where it may; operands of A move one column to the right and
/// those of B one row down, row r and column c taking what entered the fold r and c cycles ago; where a fold ended in
/// the cycle before, the accumulator becomes a result and starts again at 0; accumulators take a · b; results leave the
/// bottom row and move down one row, a column starting when its bottom row has finished.
template <array_format Format, int R, int C>
class output_array {
 public:
  using lane = array_lane_t<Format>;
  using operand = array_operand_t<Format>;
  using result = array_sum_t<Format>;

  /// a: m×k packed by rows, b: k×n packed by rows.
  output_array(const tile_walk& folds, const std::vector<lane>& a, const std::vector<lane>& b, index_t depth,
               index_t width, matrix_view<result> y, int planes)
      : size_(folds.array()),
        folds_(folds),
        a_(a),
        b_(b),
        depth_(depth),
        width_(width),
        y_(y),
        planes_(planes),
        operands_(size_),
        from_above_(static_cast<std::size_t>(size_.rows * size_.cols)),
        sums_(from_above_.size()),
        results_(from_above_.size()) {}

  /// Runs until the last result has left; after every cycle observe(*this).
  template <class Observer>
  array_counters run(Observer&& observe) {
    counters_ = {.tiles = folds_.size()};
    for (bool running = true; running; ++cycle_) {
      control();
      operands_.shift();
      top_ = top_ == 0 ? size_.rows - 1 : top_ - 1;  // B moves down: the row that was last becomes the first
      std::fill_n(above(0), size_.cols, lane{});
      for (const wave& v : waves_) enter_and_finish(v);
      for (int r = 0; r < size_.rows; ++r) multiply_add(operands_.row(r), above(r), &sums_[at(r, 0)]);
      for (const wave& v : waves_) leave(v);
      count();
      observe(static_cast<const output_array&>(*this));
      running = retire();
    }
    counters_.cycles = cycle_;
    return counters_;
  }

  [[nodiscard]] std::uint64_t cycle() const noexcept { return cycle_; }
  [[nodiscard]] array_phase phase() const noexcept { return phase_; }
  [[nodiscard]] tile tile_of(std::uint64_t i) const noexcept { return folds_[i]; }
  [[nodiscard]] result operand_at(int r, int c) const noexcept { return static_cast<result>(operands_.row(r)[c]); }
  [[nodiscard]] result weight_at(int r, int c) const noexcept {
    return static_cast<result>(from_above_[at((top_ + r) % size_.rows, c)]);
  }
  [[nodiscard]] result sum_at(int r, int c) const noexcept { return static_cast<result>(sums_[at(r, c)]); }
  /// The product that (r, c) adds in this cycle: its fold and place along k.
  [[nodiscard]] std::optional<array_position> position_at(int r, int c) const noexcept {
    for (const wave& v : waves_)
      if (const index_t step = since(v.start) - r - c; step >= 0 && step < depth_) return array_position{v.index, step};
    return std::nullopt;
  }
  /// The row of its fold whose result leaves column c in this cycle.
  [[nodiscard]] std::optional<array_position> leaving_at(int c) const noexcept {
    for (const wave& v : waves_)
      if (const index_t row = size_.rows - 1 - (since(v.start) - (depth_ + size_.rows - 1) - c);
          row >= 0 && row < v.at.rows && c < v.at.cols && row < size_.rows)
        return array_position{v.index, row};
    return std::nullopt;
  }

 private:
  /// A fold from its first operand until its last result has left.
  struct wave {
    tile at;
    std::uint64_t index = 0, start = 0;
  };

  [[nodiscard]] std::size_t at(int r, int c) const noexcept { return static_cast<std::size_t>(r * size_.cols + c); }
  [[nodiscard]] lane* above(int r) noexcept { return &from_above_[at((top_ + r) % size_.rows, 0)]; }
  [[nodiscard]] index_t since(std::uint64_t then) const noexcept { return static_cast<index_t>(cycle_ - then); }

  void multiply_add(const lane* a, const lane* w, lane* sum) const noexcept {
    if constexpr (C > 0) multiply_add_row<C>(sum, a, w, sum);
    else multiply_add_row(size_.cols, sum, a, w, sum);
  }

  void control() {
    if (next_ == folds_.size()) return;
    if (!waves_.empty()) {
      const index_t period =
          planes_ == 1 ? depth_ + 2 * size_.rows + size_.cols - 2 : std::max<index_t>(depth_, size_.rows);
      if (since(waves_.back().start) < period) return;
    }
    waves_.push_back({.at = folds_[next_], .index = next_, .start = cycle_});
    ++next_;
  }

  /// The fold's operands of this cycle enter at two edges; on the diagonal behind its last ones sums become results.
  void enter_and_finish(const wave& v) noexcept {
    const index_t age = since(v.start), first = std::max<index_t>(0, age - depth_ + 1);
    const index_t last_row = std::min<index_t>(age, size_.rows - 1), last_col = (std::min)(age, v.at.cols - 1);
    const index_t used = (std::min)(last_row, v.at.rows - 1);
    for (index_t r = first; r <= used; ++r)
      operands_.enter(static_cast<int>(r), a_[static_cast<std::size_t>((v.at.row0 + r) * depth_ + age - r)]);
    for (index_t c = first; c <= last_col; ++c)
      above(0)[c] = b_[static_cast<std::size_t>((age - c) * width_ + v.at.col0 + c)];
    if (first <= last_row) {  // each operand that enters meets all C elements of its row
      const auto all = static_cast<std::uint64_t>((last_row - first + 1) * size_.cols);
      const auto useful = static_cast<std::uint64_t>(std::max<index_t>(0, used - first + 1) * v.at.cols);
      counters_.useful_macs += useful;
      counters_.unused_macs += all - useful;
    }
    const index_t ended = age - depth_;
    for (index_t r = std::max<index_t>(0, ended - size_.cols + 1); r <= std::min<index_t>(ended, size_.rows - 1); ++r) {
      const std::size_t here = at(static_cast<int>(r), static_cast<int>(ended - r));
      results_[here] = std::exchange(sums_[here], lane{});
    }
  }

  /// The fold's results leave the bottom row and the rest move down.
  void leave(const wave& v) noexcept {
    // of column 0: results that have left before this cycle
    const index_t age = since(v.start) - (depth_ + size_.rows - 1);
    if (age < 0) return;
    const index_t from = std::max<index_t>(0, age - size_.rows + 1);
    for (index_t c = from; c <= std::min<index_t>(age, size_.cols - 1); ++c) {
      const index_t row = size_.rows - 1 - (age - c);
      if (row < v.at.rows && c < v.at.cols)
        y_(v.at.row0 + row, v.at.col0 + c) = static_cast<result>(results_[at(size_.rows - 1, static_cast<int>(c))]);
    }
    for (int r = size_.rows - 1; r > 0; --r) {
      const index_t to = std::min<index_t>(size_.cols - 1, age);
      const index_t first = std::max<index_t>(0, age - r + 1);  // column c has moved age − c rows: row r still waits
      if (first <= to) std::copy_n(&results_[at(r - 1, 0)] + first, to - first + 1, &results_[at(r, 0)] + first);
    }
  }

  void count() noexcept {
    const index_t behind = waves_.empty() ? 0 : since(waves_.back().start) - depth_;  // cycles since the last entered
    const bool hidden = planes_ == 2 && next_ < folds_.size();
    phase_ = behind < 0                                        ? array_phase::active
             : hidden || behind >= size_.rows + size_.cols - 2 ? array_phase::shift
                                                               : array_phase::drain;
    counters_.active += phase_ == array_phase::active;
    counters_.shift += phase_ == array_phase::shift;
    counters_.drain += phase_ == array_phase::drain;
  }

  bool retire() noexcept {
    if (since(waves_.front().start) >= depth_ + 2 * size_.rows + size_.cols - 3) waves_.erase(waves_.begin());
    return !waves_.empty() || next_ < folds_.size();
  }

  [[no_unique_address]] array_extents<R, C> size_;
  tile_walk folds_;
  const std::vector<lane>& a_;
  const std::vector<lane>& b_;
  index_t depth_, width_;  // k and n
  matrix_view<result> y_;
  int planes_;
  operand_lines<lane, R, C> operands_;
  std::vector<lane> from_above_, sums_, results_;
  std::vector<wave> waves_;
  int top_ = 0;  // where row 0 of from_above_ is
  std::uint64_t cycle_ = 0, next_ = 0;
  array_phase phase_ = array_phase::active;
  array_counters counters_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

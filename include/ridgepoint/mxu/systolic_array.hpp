// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/mxu/array_options.hpp>
#include <ridgepoint/mxu/tile_schedule.hpp>
#include <ridgepoint/ops/array_gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// Arithmetic type of a processing element: float, or int32 stored as unsigned so that sums wrap.
template <array_format Format>
using array_lane_t = std::conditional_t<std::same_as<Format, std::int8_t>, std::uint32_t, float>;

/// An operand as it enters the array: rounded to the format.
template <array_format Format>
[[nodiscard]] constexpr array_lane_t<Format> enter(array_operand_t<Format> x) noexcept {
  if constexpr (std::same_as<Format, bfloat16>) return static_cast<float>(bfloat16(x));
  else return static_cast<array_lane_t<Format>>(x);
}

/// Operands of a product as the array reads them: row-major, rounded once.
template <array_format Format>
[[nodiscard]] std::vector<array_lane_t<Format>> pack(matrix_view<const array_operand_t<Format>> from) {
  std::vector<array_lane_t<Format>> packed(static_cast<std::size_t>(checked_mul(from.rows, from.cols)));
  for (index_t i = 0; i < from.rows; ++i)
    for (index_t j = 0; j < from.cols; ++j)
      packed[static_cast<std::size_t>(i * from.cols + j)] = enter<Format>(from(i, j));
  return packed;
}

/// Operand that a processing element holds: its tile, and its place in that tile's stream.
struct array_position {
  std::uint64_t tile = 0;
  index_t step = 0;
  friend constexpr bool operator==(const array_position&, const array_position&) = default;
};

/// State of an array in one cycle; array_counters sums it up.
enum class array_phase { active, stall, shift, drain };

/// Memory port and FIFO in front of an array: one tile arrives at a time, in `fetch` cycles; a fetch starts as soon as
/// a slot of the FIFO is free. The array takes tiles out in order.
class tile_port {
 public:
  tile_port(std::uint64_t fetch, std::uint64_t fifo_slots, std::uint64_t tiles)
      : fetch_(fetch), slots_(fifo_slots), left_(tiles) {}

  /// At the beginning of a cycle: moves the tile that has arrived into the FIFO.
  void arrive(std::uint64_t cycle) noexcept {
    if (fetching_ && cycle == arrives_) fetching_ = false, ++held_;
  }
  [[nodiscard]] bool has_tile() const noexcept { return fetch_ == 0 || held_ > 0; }
  void take() noexcept {
    if (fetch_ != 0) --held_;
  }
  /// At the end of a cycle's decisions: starts the next fetch if the port and a slot are free.
  void fetch(std::uint64_t cycle) noexcept {
    if (fetch_ == 0 || fetching_ || left_ == 0 || held_ == slots_) return;
    fetching_ = true;
    arrives_ = cycle + fetch_;
    --left_;
  }
  [[nodiscard]] std::uint64_t held() const noexcept { return held_; }
  [[nodiscard]] bool fetching() const noexcept { return fetching_; }

 private:
  std::uint64_t fetch_, slots_, left_;
  std::uint64_t held_ = 0, arrives_ = 0;
  bool fetching_ = false;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// One line of registers per row of an array, with one register per column. All lines shift right by one every cycle
/// and take a new value into column 0.
///
/// Shifting moves the lines' common origin instead of the values, which are copied back once in `room` cycles.
template <class T, int R, int C>
class operand_lines {
 public:
  explicit operand_lines(array_extents<R, C> size)
      : size_(size), values_(static_cast<std::size_t>(size.rows * pitch())) {}

  /// Moves all values one column to the right; column 0 holds zeros until enter().
  void shift() noexcept {
    if (origin_ == 0) {
      for (int r = 0; r < size_.rows; ++r) std::copy_backward(line(r), line(r) + size_.cols, line(r) + pitch());
      origin_ = room;
    }
    --origin_;
    for (int r = 0; r < size_.rows; ++r) *line(r) = T{};
  }
  void enter(int r, T value) noexcept { *line(r) = value; }
  /// The values of row r, column 0 first.
  [[nodiscard]] const T* row(int r) const noexcept { return values_.data() + r * pitch() + origin_; }

 private:
  static constexpr int room = 256;
  [[nodiscard]] int pitch() const noexcept { return size_.cols + room; }
  [[nodiscard]] T* line(int r) noexcept { return values_.data() + r * pitch() + origin_; }

  [[no_unique_address]] array_extents<R, C> size_;
  std::vector<T> values_;
  int origin_ = room;
};

/// sum(c) ← above(c) + a(c)·w(c) for a row of C processing elements, product and sum each rounded.
template <int C, class T>
RIDGEPOINT_INLINE void multiply_add_row(const T* above, const T* a, const T* w, T* sum) noexcept {
  T product[C];
  for (int c = 0; c < C; ++c) product[c] = a[c] * w[c];
  asm volatile("" : : "r"(product) : "memory");  // prevents fusion with the addition
  T next[C];
  for (int c = 0; c < C; ++c) next[c] = above[c] + product[c];
  for (int c = 0; c < C; ++c) sum[c] = next[c];  // above may be sum itself
}

/// Overload for a row length known at run time.
template <class T>
RIDGEPOINT_INLINE void multiply_add_row(int cols, const T* above, const T* a, const T* w, T* sum) noexcept {
  for (int c = 0; c < cols; ++c) {
    T product = a[c] * w[c];
    asm volatile("" : "+m"(product));  // prevents fusion with the addition
    sum[c] = above[c] + product;
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

#pragma GCC diagnostic pop

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// R×C processing elements with two operands, an accumulator and a result on its way out each, cycle by cycle.
///
/// In one cycle, in this order: control starts a fold if possible; operands of A move one column to the right and those
/// from B one row down, row r and column c taking the values that entered the fold r and c cycles ago; where a fold
/// ended in the previous cycle, the accumulator becomes a result and restarts at 0; accumulators take a · b; results
/// leave the bottom row and move down one row, a column starting when its bottom row has finished.
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

  /// Runs until the last result has left; calls observe(*this) after every cycle.
  template <class Observer>
  array_counters run(Observer&& observe) {
    counters_ = {.tiles = folds_.size()};
    for (bool running = true; running; ++cycle_) {
      control();
      operands_.shift();
      top_ = top_ == 0 ? size_.rows - 1 : top_ - 1;  // B moves down: the last row becomes the first
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
  /// The product that (r, c) adds in this cycle: its fold and its position along k.
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

  /// The fold's operands of this cycle enter at two edges; on the diagonal after its last ones sums become results.
  void enter_and_finish(const wave& v) noexcept {
    const index_t age = since(v.start), first = std::max<index_t>(0, age - depth_ + 1);
    const index_t last_row = std::min<index_t>(age, size_.rows - 1), last_col = (std::min)(age, v.at.cols - 1);
    const index_t used = (std::min)(last_row, v.at.rows - 1);
    for (index_t r = first; r <= used; ++r)
      operands_.enter(static_cast<int>(r), a_[static_cast<std::size_t>((v.at.row0 + r) * depth_ + age - r)]);
    for (index_t c = first; c <= last_col; ++c)
      above(0)[c] = b_[static_cast<std::size_t>((age - c) * width_ + v.at.col0 + c)];
    if (first <= last_row) {  // each entering operand meets all C elements of its row
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
    // for column 0: results that left before this cycle
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
    const index_t passed = waves_.empty() ? 0 : since(waves_.back().start) - depth_;  // cycles since the last entered
    const bool hidden = planes_ == 2 && next_ < folds_.size();
    phase_ = passed < 0                                        ? array_phase::active
             : hidden || passed >= size_.rows + size_.cols - 2 ? array_phase::shift
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
  int top_ = 0;  // position of row 0 of from_above_
  std::uint64_t cycle_ = 0, next_ = 0;
  array_phase phase_ = array_phase::active;
  array_counters counters_;
};

/// R×C processing elements with a weight, a shadow weight, an operand and a partial sum each, cycle by cycle.
///
/// In one cycle, in this order: control starts a tile, a load, a fetch if possible; operands move one column to the
/// right, row r taking the values that entered the tile r cycles ago; where a tile's first operand arrives the shadow
/// weight becomes the weight; sums move down one row and take operand · weight; sums that leave the bottom row reach
/// the accumulators; shadow weights move down one row after the wave of the previous tile, column c starting c cycles
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

  /// Runs until the last result has left; calls observe(*this) after every cycle.
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
  /// The operand that (r, c) multiplies in this cycle: its tile and streamed row; empty where the array has a bubble.
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
  /// The tile whose weight is at (r, c); empty before the first has arrived.
  [[nodiscard]] std::optional<std::uint64_t> weight_of(int r, int c) const noexcept {
    for (auto v = waves_.rbegin(); v != waves_.rend(); ++v)
      if (v->started && since(v->start) >= r + c) return v->index;
    const std::uint64_t oldest = waves_.empty() ? next_ : waves_.front().index;  // all earlier ones are everywhere
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
    if (top <= bottom) {  // each entering operand meets all C elements of its row
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

  /// The tile's finished sums leave the bottom row: to the accumulators, or added to the results of earlier folds.
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

  /// Removes tiles whose last result has left; returns false after the last tile.
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

/// R×C systolic array that computes products cycle by cycle like the hardware: the ground truth of this folder.
///
/// The result is a bitwise contract (docs/tpu.md): operands are rounded to Format on entry; a partial sum starts at 0
/// and takes its products in the order of k; products and sums are rounded to float (int8: int32, wrapping), never
/// fused. Weight- and input-stationary cut k into folds of R and add the folds' sums in order, as array_gemm with
/// depth R; output-stationary adds all of k in one chain.
/// count_cycles() computes equal counters without running.
/// Example:
///   rp::systolic::systolic_array<rp::bfloat16, 32, 32> array;
///   const auto counters = array.multiply(a, b, c);                       // counters.cycles, c
///   array.multiply(a, b, c, [](const auto& now) { /* now.cycle(), now.sum_at(r, c), now.position_at(r, c) … */ });
template <array_format Format, int R, int C>
class systolic_array : public array_extents<R, C> {
  static_assert((R == 0 && C == 0) || (R >= 1 && C >= 1 && R <= 128 && C <= 128),
                "systolic_array: rows and columns must be 1 to 128, or both 0");

 public:
  using array_extents<R, C>::shape;
  using operand = array_operand_t<Format>;
  using result = array_sum_t<Format>;

  /// Throws: value_error for an option out of range.
  explicit systolic_array(const array_options& options = {}) requires(R > 0) : options_(options) {
    check(shape, {1, 1, 1}, options);
  }
  /// An array of <0, 0>: its size is set at run time.
  systolic_array(const array_shape& array, const array_options& options) requires(R == 0)
      : array_extents<R, C>(array), options_(options) {
    check(array, {1, 1, 1}, options);
    require<shape_error>(array.rows <= 128 && array.cols <= 128, "systolic_array: is ", array.rows, 'x', array.cols,
                         "; each side must be 1 to 128");
  }

  [[nodiscard]] const array_options& options() const noexcept { return options_; }

  /// C ← A·B for a (m×k), b (k×n), c (m×n); calls observe(state) after every cycle of every array, array by array.
  /// c must not overlap a or b.
  /// Throws: shape_error if the extents disagree, one is 0 or a pointer is null; c is then unchanged.
  template <class Observer>
  array_counters multiply(matrix_view<const operand> a, matrix_view<const operand> b, matrix_view<result> c,
                          Observer&& observe) const {
    require<shape_error>(a.cols == b.rows && c.rows == a.rows && c.cols == b.cols, "systolic array: a is ", a,
                         ", b is ", b, ", c is ", c, "; must be m x k, k x n and m x n");
    const gemm_extent extent{.m = a.rows, .k = a.cols, .n = b.cols};
    check(shape, extent, options_);
    require<shape_error>(a.data != nullptr && b.data != nullptr && c.data != nullptr,
                         "systolic array: a, b or c is a null pointer; must point to its elements");
    const bool swapped = options_.flow == dataflow::input_stationary;
    const auto x = pack<Format>(swapped ? b.transposed() : a), w = pack<Format>(swapped ? a.transposed() : b);
    const auto arrays = cut_into_tiles(shape, extent, options_).arrays;
    array_counters total;
    std::uint64_t busy = 0;
    for (std::uint64_t i = 0; i < arrays; ++i) {
      const tile_walk tiles(shape, extent, options_, i);
      array_counters one;
      if (options_.flow == dataflow::output_stationary) {
        output_array<Format, R, C> on(tiles, x, w, extent.k, extent.n, c, options_.accumulator_planes);
        one = on.run(observe);
      } else {
        stationary_array<Format, R, C> on(tiles, x, w, extent.k, swapped ? extent.m : extent.n,
                                          swapped ? c.transposed() : c, options_.fetch_cycles * arrays,
                                          static_cast<std::uint64_t>(options_.fifo_depth));
        one = on.run(observe);
      }
      busy += one.cycles;
      total = side_by_side(total, one);
    }
    total.idle = total.cycles * static_cast<std::uint64_t>(options_.mxus) - busy;
    return total;
  }
  array_counters multiply(matrix_view<const operand> a, matrix_view<const operand> b, matrix_view<result> c) const {
    return multiply(a, b, c, [](const auto&) {});
  }

 private:
  array_options options_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/mxu/systolic_array.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// An element of a, b or c, counted from 0.
struct matrix_element {
  char matrix = 'a';
  index_t row = 0, col = 0;
  friend constexpr bool operator==(const matrix_element&, const matrix_element&) = default;
};
/// "a21"; "a2,10" where an index has two digits.
[[nodiscard]] inline std::string to_string(const matrix_element& e) {
  return concat(e.matrix, e.row, e.row > 9 || e.col > 9 ? "," : "", e.col);
}

/// What one processing element holds at the end of a cycle; nothing for bubbles and for zeros that pad a tile.
struct traced_element {
  std::optional<matrix_element> operand = {}, weight = {}, shadow = {};
  float sum = 0;
  bool works = false;         // it multiplied in this cycle, if only zeros that pad
  bool takes_weight = false;  // the shadow weight became the weight in this cycle (or: a new sum began)
};
/// A result, or one fold's part of it, that reached the accumulators.
struct traced_result {
  matrix_element at;
  float value = 0;
  int column = 0;         // below which it left the array
  bool complete = false;  // no fold is missing
};
struct array_frame {
  std::uint64_t cycle = 0;
  array_phase phase = array_phase::active;
  std::vector<traced_element> elements = {};  // row by row
  /// Left of each row: what enters next, in two cycles, and so on; nothing where the skew leaves a gap.
  std::vector<std::vector<std::optional<matrix_element>>> waiting = {};
  std::vector<traced_result> results = {};
  std::uint64_t tiles_in_fifo = 0;
  bool fetching = false;
};
/// A product on one array, cycle by cycle: what a picture needs.
struct array_trace {
  array_shape shape = {};
  gemm_extent extent = {};
  array_options options = {};
  array_counters counters = {};
  std::vector<float> a = {}, b = {}, c = {};  // row-major
  std::vector<array_frame> frames = {};
};

namespace detail {

/// The state of an array of any size, so that the recorder is compiled once.
struct array_state {
  array_state() = default;
  array_state(const array_state&) = delete;
  array_state& operator=(const array_state&) = delete;
  virtual ~array_state() = default;
  [[nodiscard]] virtual array_frame empty_frame() const = 0;
  [[nodiscard]] virtual tile tile_of(std::uint64_t i) const = 0;
  [[nodiscard]] virtual float sum_at(int r, int c) const = 0;
  [[nodiscard]] virtual std::optional<array_position> position_at(int r, int c) const = 0;
  [[nodiscard]] virtual std::optional<array_position> leaving_at(int c) const = 0;
  [[nodiscard]] virtual std::optional<std::uint64_t> weight_of(int r, int c) const = 0;
  [[nodiscard]] virtual std::optional<array_position> shadow_of(int r, int c) const = 0;
};
template <class Array>
struct state_of final : array_state {
  const Array& now;
  explicit state_of(const Array& array) : now(array) {}
  static constexpr bool holds_weights = requires(const Array& array) { array.weight_of(0, 0); };

  [[nodiscard]] array_frame empty_frame() const override {
    array_frame frame{.cycle = now.cycle(), .phase = now.phase()};
    if constexpr (holds_weights) frame.tiles_in_fifo = now.port().held(), frame.fetching = now.port().fetching();
    return frame;
  }
  [[nodiscard]] tile tile_of(std::uint64_t i) const override { return now.tile_of(i); }
  [[nodiscard]] float sum_at(int r, int c) const override { return now.sum_at(r, c); }
  [[nodiscard]] std::optional<array_position> position_at(int r, int c) const override { return now.position_at(r, c); }
  [[nodiscard]] std::optional<array_position> leaving_at(int c) const override { return now.leaving_at(c); }
  [[nodiscard]] std::optional<std::uint64_t> weight_of(int r, int c) const override {
    if constexpr (holds_weights) return now.weight_of(r, c);
    else return std::nullopt;
  }
  [[nodiscard]] std::optional<array_position> shadow_of(int r, int c) const override {
    if constexpr (holds_weights) return now.shadow_of(r, c);
    else return std::nullopt;
  }
};

/// Turns the state of an array into frames.
class trace_recorder {
 public:
  explicit trace_recorder(array_trace& trace) : trace_(trace) {}

  void operator()(const array_state& now) const {
    array_frame frame = now.empty_frame();
    const int rows = static_cast<int>(trace_.shape.rows), cols = static_cast<int>(trace_.shape.cols);
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < cols; ++c) frame.elements.push_back(element(now, r, c));
      auto& queue = frame.waiting.emplace_back();
      for (int ahead = 1; ahead <= rows + 1; ++ahead) {
        const auto p = now.position_at(r, -ahead);
        queue.push_back(p ? streamed(now.tile_of(p->tile), r, p->step) : std::nullopt);
      }
      while (!queue.empty() && !queue.back()) queue.pop_back();
    }
    for (int c = 0; c < cols; ++c)
      if (const auto result = left(now, c)) frame.results.push_back(*result);
    trace_.frames.push_back(std::move(frame));
  }

 private:
  [[nodiscard]] bool sums_stay() const { return trace_.options.flow == dataflow::output_stationary; }
  [[nodiscard]] std::optional<matrix_element> streamed(const tile& t, int r, index_t step) const {
    if (r >= t.rows) return std::nullopt;
    if (sums_stay()) return matrix_element{'a', t.row0 + r, step};
    if (trace_.options.flow == dataflow::weight_stationary) return matrix_element{'a', t.stream0 + step, t.row0 + r};
    return matrix_element{'b', t.row0 + r, t.stream0 + step};
  }
  [[nodiscard]] std::optional<matrix_element> stationary(const tile& t, index_t r, index_t c) const {
    if (r >= t.rows || c >= t.cols) return std::nullopt;
    if (trace_.options.flow == dataflow::weight_stationary) return matrix_element{'b', t.row0 + r, t.col0 + c};
    return matrix_element{'a', t.col0 + c, t.row0 + r};
  }
  [[nodiscard]] traced_element element(const array_state& now, int r, int c) const {
    traced_element e{.sum = now.sum_at(r, c)};
    const auto position = now.position_at(r, c);
    if (position) {
      const tile t = now.tile_of(position->tile);
      e.works = true;
      e.takes_weight = position->step == 0;
      e.operand = streamed(t, r, position->step);
      if (sums_stay() && c < t.cols) e.weight = matrix_element{'b', position->step, t.col0 + c};
    }
    if (const auto of = now.weight_of(r, c)) e.weight = stationary(now.tile_of(*of), r, c);
    if (const auto of = now.shadow_of(r, c)) e.shadow = stationary(now.tile_of(of->tile), of->step, c);
    return e;
  }
  /// What left column c in this cycle, now in c.
  [[nodiscard]] std::optional<traced_result> left(const array_state& now, int c) const {
    const auto out = now.leaving_at(c);
    if (!out) return std::nullopt;
    const tile t = now.tile_of(out->tile);
    matrix_element at{'c', sums_stay() ? t.row0 + out->step : t.stream0 + out->step, t.col0 + c};
    if (trace_.options.flow == dataflow::input_stationary) std::swap(at.row, at.col);
    const bool last_fold = t.row0 + t.rows == map_onto(trace_.options.flow, trace_.extent).over_rows;
    return traced_result{.at = at,
                         .value = trace_.c[static_cast<std::size_t>(at.row * trace_.extent.n + at.col)],
                         .column = c,
                         .complete = last_fold || sums_stay()};
  }

  array_trace& trace_;
};

template <class Array>
[[nodiscard]] array_trace record_on(const Array& array, const gemm_extent& extent) {
  const array_options& options = array.options();
  require<value_error>(options.mxus == 1, "trace: ", options.mxus, " arrays; must be 1");
  check(array.shape, extent, options);
  array_trace trace{.shape = array.shape, .extent = extent, .options = options};
  const auto count_up = [](std::vector<float>& values, index_t rows, index_t cols) {
    values.resize(static_cast<std::size_t>(checked_mul(rows, cols)));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
  };
  count_up(trace.a, extent.m, extent.k), count_up(trace.b, extent.k, extent.n);
  trace.c.resize(static_cast<std::size_t>(extent.m * extent.n));
  trace.counters = array.multiply(
      {trace.a.data(), extent.m, extent.k}, {trace.b.data(), extent.k, extent.n}, {trace.c.data(), extent.m, extent.n},
      [&](const auto& now) { trace_recorder{trace}(state_of<std::decay_t<decltype(now)>>(now)); });
  return trace;
}

}  // namespace detail

/// Runs a product of small whole numbers on one array and keeps every cycle. a and b are 1, 2, 3 … row by row.
[[nodiscard]] inline array_trace record(const array_shape& array, const gemm_extent& extent,
                                        const array_options& options) {
  return detail::record_on(systolic_array<float, 0, 0>(array, options), extent);
}
/// The same on an array whose size is known when compiling.
template <int R, int C>
[[nodiscard]] array_trace record(const gemm_extent& extent, const array_options& options) {
  return detail::record_on(systolic_array<float, R, C>(options), extent);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

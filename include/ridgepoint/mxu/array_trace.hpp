// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include <ridgepoint/mxu/systolic_array.hpp>
#include <ridgepoint/roofline/markup.hpp>

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

/// Content of one processing element at the end of a cycle; empty for bubbles and for zeros that pad a tile.
struct traced_element {
  std::optional<matrix_element> operand = {}, weight = {}, shadow = {};
  float sum = 0;
  bool works = false;         // it multiplied in this cycle, also if only padding zeros
  bool takes_weight = false;  // the shadow weight became the weight in this cycle (or: a new sum began)
};
/// A result, or one fold's part of it, that reached the accumulators.
struct traced_result {
  matrix_element at;
  float value = 0;
  int column = 0;         // column of the array that it left
  bool complete = false;  // no fold is missing
};
struct array_frame {
  std::uint64_t cycle = 0;
  array_phase phase = array_phase::active;
  std::vector<traced_element> elements = {};  // row by row
  /// Left of each row: the operands that enter in the next cycle, in two cycles, and so on; empty at gaps of the skew.
  std::vector<std::vector<std::optional<matrix_element>>> waiting = {};
  std::vector<traced_result> results = {};
  std::uint64_t tiles_in_fifo = 0;
  bool fetching = false;
};
/// Product on one array, recorded cycle by cycle.
struct array_trace {
  array_shape shape = {};
  gemm_extent extent = {};
  array_options options = {};
  array_counters counters = {};
  std::vector<float> a = {}, b = {}, c = {};  // row-major
  std::vector<array_frame> frames = {};
};

namespace detail {

/// State of an array of any size, so that the recorder is compiled once.
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

/// Converts the state of an array into frames.
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
  /// Returns the result that left column c in this cycle; it is in c now.
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

/// Runs a product of small integers on one array and records every cycle. a and b are 1, 2, 3 … row by row.
[[nodiscard]] inline array_trace record(const array_shape& array, const gemm_extent& extent,
                                        const array_options& options) {
  return detail::record_on(systolic_array<float, 0, 0>(array, options), extent);
}
/// Overload for an array size known at compile time.
template <int R, int C>
[[nodiscard]] array_trace record(const gemm_extent& extent, const array_options& options) {
  return detail::record_on(systolic_array<float, R, C>(options), extent);
}

[[nodiscard]] constexpr std::string_view to_string(array_phase phase) noexcept {
  constexpr std::string_view names[] = {"active", "stall", "shift", "drain"};
  return names[static_cast<int>(phase)];
}
/// Describes the state of an array in a phase.
[[nodiscard]] constexpr std::string_view explain(array_phase phase, dataflow flow) noexcept {
  switch (phase) {
    case array_phase::active:
      return "operands enter";
    case array_phase::stall:
      return "nothing enters: the next tile is still on its way from memory";
    case array_phase::shift:
      return flow == dataflow::output_stationary ? "nothing enters: results shift out"
                                                 : "nothing enters: a tile shifts into the shadow weights";
    case array_phase::drain:
      break;
  }
  return "nothing enters: the last sums are still on their way";
}
/// Formats an integer without a fraction, other values with up to six digits.
[[nodiscard]] inline std::string value_text(float value) { return concat(value); }

/// Text colour: none, or terminal escape codes.
enum class ink { plain, ansi };

namespace detail {

/// Centres `text`, which takes `columns` columns, in a field of `width` columns.
[[nodiscard]] inline std::string centred(const std::string& text, std::size_t columns, std::size_t width) {
  const std::size_t space = width > columns ? width - columns : 0;
  return std::string(space / 2, ' ') + text + std::string(space - space / 2, ' ');
}
[[nodiscard]] inline std::string painted(ink with, std::string_view code, const std::string& text) {
  return with == ink::ansi ? concat("\033[", code, 'm', text, "\033[0m") : text;
}

}  // namespace detail

/// Draws one cycle as text: a box per processing element with operand and weight above, the sum below. Operands waiting
/// to enter are at the left, results that leave are below. Colours with terminal escape codes on request.
[[nodiscard]] inline std::string text(const array_trace& trace, const array_frame& frame, ink with) {
  const auto rows = static_cast<std::size_t>(trace.shape.rows), cols = static_cast<std::size_t>(trace.shape.cols);
  constexpr std::size_t width = 11;
  std::size_t queue = 0;
  for (const array_frame& f : trace.frames)
    for (const auto& w : f.waiting) queue = (std::max)(queue, w.size());
  const std::size_t left = queue * 4;
  std::string rule(left + 2, ' ');
  for (std::size_t c = 0; c < cols; ++c) rule += '+' + std::string(width, '-');
  rule += "+\n";

  std::string out = concat("cycle ", frame.cycle + 1, " of ", trace.counters.cycles, "  ", to_string(frame.phase), ": ",
                           explain(frame.phase, trace.options.flow));
  if (trace.options.fetch_cycles != 0)
    out += concat("  [FIFO ", frame.tiles_in_fifo, frame.fetching ? ", next tile arriving]" : "]");
  out += '\n' + rule;
  for (std::size_t r = 0; r < rows; ++r) {
    std::string waiting;
    for (const auto& e : frame.waiting[r]) waiting.insert(0, ' ' + (e ? to_string(*e) : "   "));
    std::string upper = std::string(left > waiting.size() ? left - waiting.size() : 0, ' ') +
                        detail::painted(with, "36", waiting) + (waiting.empty() ? "  " : " >");
    std::string lower(left + 2, ' ');
    for (std::size_t c = 0; c < cols; ++c) {
      const traced_element& e = frame.elements[r * cols + c];
      const std::string weight = e.weight ? to_string(*e.weight) : e.works ? "0" : "";
      const std::string product = e.works ? concat(e.operand ? to_string(*e.operand) : "0", "*", weight) : weight;
      const std::string sum = e.works    ? concat("= ", value_text(e.sum))
                              : e.shadow ? concat('(', to_string(*e.shadow), ')')
                                         : "";
      const std::string_view code = e.takes_weight ? "1;33" : e.works ? "1;36" : "2";
      upper += '|' + detail::painted(with, code, detail::centred(product, product.size(), width));
      lower += '|' + detail::painted(with, e.works ? "32" : "2", detail::centred(sum, sum.size(), width));
    }
    out.append(upper).append("|\n").append(lower).append("|\n").append(rule);
  }
  std::string below(left + 2, ' ');
  for (std::size_t c = 0; c < cols; ++c) {
    std::string result;
    for (const traced_result& one : frame.results)
      if (one.column == static_cast<int>(c))
        result = concat(to_string(one.at), one.complete ? " = " : " : ", value_text(one.value));
    below += ' ' + detail::painted(with, "1;32", detail::centred(result, result.size(), width));
  }
  return out + below.substr(0, below.find_last_not_of(' ') + 1) + '\n';
}

/// One-line description of the traced product.
[[nodiscard]] inline std::string headline(const array_trace& trace) {
  const gemm_extent& e = trace.extent;
  return concat("C(", e.m, 'x', e.n, ") = A(", e.m, 'x', e.k, ") * B(", e.k, 'x', e.n, ") on a ", trace.shape.rows, 'x',
                trace.shape.cols, ' ', to_string(trace.options.flow), " array: ", trace.counters.cycles, " cycles, ",
                trace.counters.tiles, trace.counters.tiles == 1 ? " tile" : " tiles",
                "; a and b hold 1, 2, 3 ... row by row, a00 first");
}
/// Reports the counters and the closed form's values.
[[nodiscard]] inline std::string summary(const array_trace& trace) {
  const array_counters& n = trace.counters;
  const auto elements = static_cast<std::uint64_t>(trace.shape.rows * trace.shape.cols);
  const double percent = 100 * n.utilisation(elements);
  return concat("cycles ", n.cycles, " = active ", n.active, " + stall ", n.stall, " + shift ", n.shift, " + drain ",
                n.drain, "\nMACs   ", n.useful_macs, " useful, ", n.unused_macs, " unused; utilisation ",
                static_cast<float>(percent),
                " %\nclosed form: ", count_cycles(trace.shape, trace.extent, trace.options).cycles, " cycles\n");
}

namespace detail {

/// Sizes of a drawn array, in pixels.
struct trace_layout {
  static constexpr int cell_width = 84, cell_height = 58, gap = 6, chip = 34, bottom = 34;
  int rows, cols, top;
  int queue = 0;  // largest number of operands waiting left of the array

  explicit trace_layout(const array_trace& t)
      : rows(static_cast<int>(t.shape.rows)),
        cols(static_cast<int>(t.shape.cols)),
        top(t.options.fetch_cycles != 0 ? 50 : 34) {
    for (const array_frame& f : t.frames)
      for (const auto& w : f.waiting) queue = (std::max)(queue, static_cast<int>(w.size()));
  }
  [[nodiscard]] int left() const noexcept { return queue * chip + 14; }
  [[nodiscard]] int width() const noexcept { return left() + cols * (cell_width + gap); }
  [[nodiscard]] int height() const noexcept { return top + rows * (cell_height + gap) + bottom; }
};

inline constexpr std::string_view trace_style = R"(
text{fill:#222;text-anchor:middle}
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
.name{font:600 13px system-ui,sans-serif;text-anchor:start} .say{font:12px system-ui,sans-serif;text-anchor:start}
.pe{fill:#fafafa;stroke:#bbb} .works{fill:#dcebf7;stroke:#0072b2} .swap{fill:#fdeec7;stroke:#b87700;stroke-width:2}
.a{fill:#00588c;font-weight:600} .b{fill:#a34700;font-weight:600} .c{fill:#006b4d;font-weight:600}
.dim{fill:#777} .next{fill:#777;font-size:11px} .wait{fill:#eef5fb;stroke:#9cc3e0} .out{fill:#d9f0e6;stroke:#009e73}
.part{fill:#f3faf7;stroke:#9ed3c0;stroke-dasharray:3 2} .active{fill:#0072b2} .stall{fill:#d55e00} .shift{fill:#e69f00}
.drain{fill:#999}
)";

[[nodiscard]] inline std::string svg_text(std::string_view kind, int x, int y, std::string_view words) {
  return concat("<text class='", kind, "' x='", x, "' y='", y, "'>", escape_markup(words), "</text>\n");
}
[[nodiscard]] inline std::string svg_box(std::string_view kind, int x, int y, int width, int height) {
  return concat("<rect class='", kind, "' x='", x, "' y='", y, "' width='", width, "' height='", height,
                "' rx='5'/>\n");
}

/// Draws a processing element: operand × weight, its sum, and the waiting shadow weight.
[[nodiscard]] inline std::string svg_element(const traced_element& e, dataflow flow, int x, int y) {
  const int middle = x + trace_layout::cell_width / 2;
  std::string out = svg_box(concat("pe", e.works ? " works" : "", e.takes_weight ? " swap" : ""), x, y,
                            trace_layout::cell_width, trace_layout::cell_height);
  const std::string weight = e.weight ? to_string(*e.weight) : e.works ? "0" : "";
  if (e.works) {
    out += concat("<text x='", middle, "' y='", y + 19, "'><tspan class='a'>", e.operand ? to_string(*e.operand) : "0",
                  "</tspan> × <tspan class='b'>", weight, "</tspan></text>\n");
    out += svg_text("c", middle, y + 37, concat(flow == dataflow::output_stationary ? "Σ " : "↓ ", value_text(e.sum)));
  } else if (!weight.empty()) {
    out += svg_text("b", middle, y + 19, weight);
  }
  if (e.shadow) out += svg_text("next", middle, y + 52, concat("next ", to_string(*e.shadow)));
  return out;
}

/// Draws one cycle: waiting operands at the left, the array, results leaving at the bottom.
[[nodiscard]] inline std::string svg_frame(const array_trace& trace, const array_frame& f) {
  const trace_layout at(trace);
  const int step_x = at.cell_width + at.gap, step_y = at.cell_height + at.gap;
  std::string out =
      concat("<rect class='", to_string(f.phase), "' x='", at.left(), "' y='8' width='12' height='12' rx='3'/>\n") +
      svg_text("name", at.left() + 18, 19, concat("cycle ", f.cycle + 1, " · ", to_string(f.phase)));
  if (trace.options.fetch_cycles != 0)
    out += svg_text("say", at.left() + 18, 37, concat("FIFO ", f.tiles_in_fifo, f.fetching ? " + 1 arriving" : ""));
  for (int r = 0; r < at.rows; ++r) {
    const int y = at.top + r * step_y;
    const auto& queue = f.waiting[static_cast<std::size_t>(r)];
    for (std::size_t i = 0; i < queue.size(); ++i) {
      if (!queue[i]) continue;
      const int x = at.left() - 8 - (static_cast<int>(i) + 1) * at.chip;
      out += svg_box("wait", x + 1, y + 16, at.chip - 3, 24) +
             svg_text("a", x + at.chip / 2, y + 33, to_string(*queue[i]));
    }
    for (int c = 0; c < at.cols; ++c)
      out += svg_element(f.elements[static_cast<std::size_t>(r * at.cols + c)], trace.options.flow,
                         at.left() + c * step_x, y);
  }
  for (const traced_result& one : f.results) {
    const int x = at.left() + one.column * step_x, y = at.top + at.rows * step_y + 2;
    out += svg_box(one.complete ? "out" : "part", x, y, at.cell_width, 24) +
           svg_text("c", x + at.cell_width / 2, y + 17,
                    concat(to_string(one.at), one.complete ? " = " : ": ", value_text(one.value)));
  }
  return out;
}

[[nodiscard]] inline std::string svg_legend(dataflow flow, int y) {
  const bool stays = flow == dataflow::output_stationary;
  const char moves = flow == dataflow::input_stationary ? 'b' : 'a';
  std::string out =
      concat("<text class='say' x='0' y='", y, "'><tspan class='a'>", moves, "</tspan> moves right · <tspan class='b'>",
             moves == 'a' ? 'b' : 'a', "</tspan> ", stays ? "moves down" : "stays", " · <tspan class='c'>",
             stays ? "Σ</tspan> stays" : "↓</tspan> partial sum, moves down", stays ? "" : " · next: shadow weight",
             "</text>\n");
  out += svg_box("pe swap", 490, y - 11, 14, 14) +
         svg_text("say", 510, y, stays ? "a new sum begins" : "shadow becomes weight, with the wave's first operand");
  return stays ? out : out + svg_box("part", 870, y - 11, 14, 14) + svg_text("say", 890, y, "folds are missing");
}

}  // namespace detail

/// Draws all cycles of a trace in one picture, row by row.
[[nodiscard]] inline std::string svg(const array_trace& trace) {
  const detail::trace_layout at(trace);
  constexpr int margin = 26;
  const int across = std::clamp(1440 / (at.width() + margin), 1, static_cast<int>(trace.frames.size()));
  const int down = (static_cast<int>(trace.frames.size()) + across - 1) / across;
  const int width = (std::max)(across * (at.width() + margin), 1000), height = 60 + down * (at.height() + 10) + 24;
  std::string out = concat("<svg xmlns='http://www.w3.org/2000/svg' viewBox='-16 0 ", width + 32, ' ', height,
                           "' width='", width + 32, "' role='img'>\n<title>", escape_markup(headline(trace)),
                           "</title>\n<style>", detail::trace_style, "</style>\n<rect x='-16' width='", width + 32,
                           "' height='", height, "' fill='#fff'/>\n") +
                    detail::svg_text("name", 0, 26, headline(trace));
  for (std::size_t i = 0; i < trace.frames.size(); ++i) {
    const int column = static_cast<int>(i) % across, row = static_cast<int>(i) / across;
    out += concat("<g transform='translate(", column * (at.width() + margin), ' ', 44 + row * (at.height() + 10),
                  ")'>\n", detail::svg_frame(trace, trace.frames[i]), "</g>\n");
  }
  return out + detail::svg_legend(trace.options.flow, height - 16) + "</svg>\n";
}

namespace detail {

inline constexpr std::string_view trace_page_style = R"(
body{font:14px/1.5 system-ui,sans-serif;color:#222;background:#fff;max-width:1120px;margin:24px auto;padding:0 16px}
h1{font-size:20px} svg{max-width:100%;height:auto;display:block} figure{margin:12px 0} figure[hidden]{display:none}
.strip{display:flex;height:26px;gap:1px} .strip button{flex:1;min-width:0;border:0;padding:0;cursor:pointer;opacity:.45}
.strip button[aria-current]{opacity:1;outline:2px solid #222} .bar button{font:inherit;padding:2px 12px}
.strip .active,.key .active{background:#0072b2} .strip .stall,.key .stall{background:#d55e00}
.strip .shift,.key .shift{background:#e69f00} .strip .drain,.key .drain{background:#999}
.key i{display:inline-block;width:12px;height:12px;border-radius:3px;margin:0 4px 0 14px}
pre{background:#f4f4f4;padding:8px}
)";
inline constexpr std::string_view trace_page_script = R"(
const frames = [...document.querySelectorAll('figure')], strip = [...document.querySelectorAll('.strip button')];
const play = document.getElementById('play');
let now = 0, timer = null;
function show(i) {
  now = (i + frames.length) % frames.length;
  frames.forEach((f, j) => f.hidden = j !== now);
  strip.forEach((b, j) => j === now ? b.setAttribute('aria-current', 'step') : b.removeAttribute('aria-current'));
}
function stop() { clearInterval(timer); timer = null; play.textContent = 'play'; }
strip.forEach((b, j) => b.onclick = () => { stop(); show(j); });
document.getElementById('back').onclick = () => { stop(); show(now - 1); };
document.getElementById('on').onclick = () => { stop(); show(now + 1); };
play.onclick = () => {
  if (timer) return stop();
  play.textContent = 'pause';
  timer = setInterval(() => show(now + 1), 700);
};
document.onkeydown = e => {
  if (e.key === 'ArrowRight') { stop(); show(now + 1); }
  if (e.key === 'ArrowLeft') { stop(); show(now - 1); }
};
show(0);
)";

/// Draws C as computed so far: empty, partial (some folds), complete.
[[nodiscard]] inline std::string svg_product(const array_trace& trace,
                                             const std::map<std::pair<index_t, index_t>, traced_result>& known,
                                             int x0) {
  std::string out = svg_text("name", x0, 19, "C so far");
  for (index_t i = 0; i < trace.extent.m; ++i)
    for (index_t j = 0; j < trace.extent.n; ++j) {
      const int x = x0 + static_cast<int>(j) * 52, y = trace_layout(trace).top + static_cast<int>(i) * 30;
      const auto found = known.find({i, j});
      out += svg_box(found == known.end() ? "pe" : found->second.complete ? "out" : "part", x, y, 48, 26);
      if (found != known.end()) out += svg_text("c", x + 24, y + 18, value_text(found->second.value));
    }
  return out;
}

}  // namespace detail

/// Page to step through a trace: buttons, arrow keys, a strip of all cycles by phase, and the product as it grows.
[[nodiscard]] inline std::string html(const array_trace& trace) {
  const detail::trace_layout at(trace);
  const int offset = at.width() + 30, width = (std::max)(1000, offset + static_cast<int>(trace.extent.n) * 52);
  const int height = (std::max)(at.height(), at.top + static_cast<int>(trace.extent.m) * 30 + 10) + 30;
  std::string strip, frames;
  std::map<std::pair<index_t, index_t>, traced_result> known;
  for (const array_frame& f : trace.frames) {
    for (const traced_result& one : f.results) known[{one.at.row, one.at.col}] = one;
    strip += concat("<button class='", to_string(f.phase), "' aria-label='cycle ", f.cycle + 1, ", ",
                    to_string(f.phase), "' title='cycle ", f.cycle + 1, "'></button>");
    frames += concat("<figure hidden><svg xmlns='http://www.w3.org/2000/svg' viewBox='-4 0 ", width + 8, ' ', height,
                     "' width='", width + 8, "' role='img'>\n", detail::svg_frame(trace, f),
                     detail::svg_product(trace, known, offset), detail::svg_legend(trace.options.flow, height - 8),
                     "</svg><figcaption>Cycle ", f.cycle + 1, " of ", trace.counters.cycles, ": ",
                     explain(f.phase, trace.options.flow), ".</figcaption></figure>\n");
  }
  const std::string title = escape_markup(headline(trace));
  return concat(
      "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>\n",
      "<meta name='viewport' content='width=device-width, initial-scale=1'>\n<title>", title, "</title>\n<style>",
      detail::trace_page_style, detail::trace_style, "</style></head><body>\n<h1>", title, "</h1>\n<div class='strip'>",
      strip, "</div>\n<p class='bar'><button id='back'>back</button> <button id='play'>play</button> ",
      "<button id='on'>on</button> <span class='key'><i class='active'></i>active<i class='stall'></i>stall",
      "<i class='shift'></i>shift<i class='drain'></i>drain</span></p>\n", frames, "<pre>",
      escape_markup(summary(trace)), "</pre>\n<script>", detail::trace_page_script, "</script></body></html>\n");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

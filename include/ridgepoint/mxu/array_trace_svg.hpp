// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include <ridgepoint/mxu/array_trace_text.hpp>
#include <ridgepoint/roofline/markup.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

namespace detail {

/// Sizes of a drawn array, in pixels.
struct trace_layout {
  static constexpr int cell_width = 84, cell_height = 58, gap = 6, chip = 34, bottom = 34;
  int rows, cols, top;
  int queue = 0;  // operands that wait left of the array, at most

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

/// A processing element: operand × weight, its sum, and the shadow weight that waits.
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

/// One cycle: what waits at the left, the array, what leaves at the bottom.
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

/// All cycles of a trace in one picture, row by row.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

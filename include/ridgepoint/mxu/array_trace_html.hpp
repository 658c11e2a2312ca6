// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/array_trace_svg.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

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

/// C as far as it has been computed: empty, part of its folds, complete.
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

/// A page to step through a trace: buttons, arrow keys, a strip of all cycles by phase, and the product as it grows.
[[nodiscard]] inline std::string html(const array_trace& trace) {
  const detail::trace_layout at(trace);
  const int beside = at.width() + 30, width = (std::max)(1000, beside + static_cast<int>(trace.extent.n) * 52);
  const int height = (std::max)(at.height(), at.top + static_cast<int>(trace.extent.m) * 30 + 10) + 30;
  std::string strip, frames;
  std::map<std::pair<index_t, index_t>, traced_result> known;
  for (const array_frame& f : trace.frames) {
    for (const traced_result& one : f.results) known[{one.at.row, one.at.col}] = one;
    strip += concat("<button class='", to_string(f.phase), "' aria-label='cycle ", f.cycle + 1, ", ",
                    to_string(f.phase), "' title='cycle ", f.cycle + 1, "'></button>");
    frames += concat("<figure hidden><svg xmlns='http://www.w3.org/2000/svg' viewBox='-4 0 ", width + 8, ' ', height,
                     "' width='", width + 8, "' role='img'>\n", detail::svg_frame(trace, f),
                     detail::svg_product(trace, known, beside), detail::svg_legend(trace.options.flow, height - 8),
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

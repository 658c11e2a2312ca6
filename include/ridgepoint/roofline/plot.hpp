// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/roofline/axes.hpp>
#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/placement.hpp>
#include <ridgepoint/roofline/text_canvas.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// How large plot() draws.
struct plot_options {
  int width = 72, height = 20;  // of the drawing, in characters
  glyphs style = terminal_glyphs();
};

/// Throws: value_error unless width is 40 to 400 and height 8 to 200.
inline void check(const plot_options& options) {
  require<value_error>(options.width >= 40 && options.width <= 400 && options.height >= 8 && options.height <= 200,
                       "plot: size is ", options.width, 'x', options.height, "; must be 40x8 to 400x200");
}

namespace detail {

/// What was drawn, with both axes and their decades.
[[nodiscard]] inline std::string with_axes(const text_canvas& canvas, const roofline_axes& axes,
                                           const plot_options& options) {
  std::string text;
  for (int row = 0; row < options.height; ++row) {
    std::string tick;
    for (int decade = axes.y.first; decade <= axes.y.last; ++decade)
      if (canvas.row_of(axes.y.position(std::pow(10, decade))) == row) tick = quantity(std::pow(10, decade), "", 1);
    text += std::string(6 - std::min<std::size_t>(columns(tick), 6), ' ') + tick + "| " + canvas.row(row) + '\n';
  }
  std::string ruler(static_cast<std::size_t>(options.width) + 8, ' ');
  for (int decade = axes.x.first; decade <= axes.x.last; ++decade) {
    const std::string tick = figures(std::pow(10, decade), 1);
    const auto column = static_cast<std::size_t>(8 + canvas.column_of(axes.x.position(std::pow(10, decade))));
    ruler.replace((std::min)(column, ruler.size() - tick.size()), tick.size(), tick);
  }
  return text + "      +" + std::string(static_cast<std::size_t>(options.width) + 1, '-') + '\n' + ruler + "  FLOP/B\n";
}
/// The roof of what launches take, dotted.
inline void draw_launch_roof(text_canvas& canvas, double y) {
  for (int i = 0; i < canvas.dots_across(); i += 3) canvas.dot((i + 0.5) / canvas.dots_across(), y, '.');
}

}  // namespace detail

/// A profile on a machine's roofline for a terminal: one letter per row, as in table(); + where letters meet.
///
/// The axes are axes_of(p, on), rows without arithmetic are named below. One roof per memory level; what launches take
/// is a dotted one.
/// Throws: value_error unless width is 40 to 400 and height 8 to 200.
/// Example: std::cout << rp::plot(trainer.profile(), rp::probe(cpu));
[[nodiscard]] inline std::string plot(const profile& p, const machine& on, const plot_options& options = {}) {
  check(options);
  const roof_query query = roofs_for(p);
  const roofline_axes axes = axes_of(p, on);
  const auto ridges = on.ridge_points(query);
  text_canvas canvas(options.width, options.height, options.style);

  for (const ridge_point& r : ridges)
    for (int i = 0; i < canvas.dots_across(); ++i) {
      const double x = (i + 0.5) / canvas.dots_across(), slope = axes.x.value_at(x) * r.bandwidth.per_s;
      const bool flat = slope >= r.compute.per_s;
      if (slope >= axes.y.low()) canvas.dot(x, axes.y.position((std::min)(slope, r.compute.per_s)), flat ? '-' : '/');
    }
  if (const double flat = launch_roof_flop_per_s(on, p); flat > 0 && flat < axes.y.high()) {
    detail::draw_launch_roof(canvas, axes.y.position(flat));
    canvas.label(1, canvas.row_of(axes.y.position(flat)), "launches");
  }
  std::string hidden;
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    const placement at = place(on, p, p.rows[i]);
    const double x = axes.x.position(at.flop_per_byte), y = axes.y.position(at.flop_per_s);
    if (on_chart(at)) canvas.letter(x, y, row_letter(i));
    else hidden += concat(hidden.empty() ? "" : ", ", row_letter(i), ' ', printable(p.rows[i].layer));
  }
  double top = axes.y.position(ridges.empty() ? 0 : ridges[0].compute.per_s);
  for (const ridge_point& r : ridges)  // on the slope, each a little lower than the one before
    for (double y = top -= 0.1; y > 0; y -= 0.02) {
      const std::string level = printable(r.bandwidth.level);
      const int middle = canvas.column_of(axes.x.position(axes.y.value_at(y) / r.bandwidth.per_s));
      if (canvas.label(middle - static_cast<int>(level.size() / 2), canvas.row_of(y), level)) break;
    }

  std::string text = printable(concat("FLOP/s of ", p.title, " on ", on.name, "; letters as in the table")) + '\n';
  text += detail::with_axes(canvas, axes, options);
  for (const ridge_point& r : ridges)
    text += concat("        ", printable(r.bandwidth.level), ' ', quantity(r.bandwidth.per_s, "B/s"), ", ridge at ",
                   figures(r.flop_per_byte()), " FLOP/B; compute ", quantity(r.compute.per_s, "FLOP/s"), '\n');
  if (const std::string legend = launch_legend(on, p); !legend.empty()) text += "        " + legend + " (dotted)\n";
  if (!hidden.empty()) text += "        no arithmetic, not shown: " + hidden + '\n';
  return text;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

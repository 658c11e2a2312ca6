// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/roofline/plot.hpp>
#include <ridgepoint/study/network_chart.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// The steps of one network below the roofs of their machines, for a terminal: a letter each, as in the table, a
/// capital where it was measured; + where letters meet. A roof has the slope of the machine's largest memory; what
/// launches take is a dotted one.
/// Throws: value_error unless width is 40 to 400 and height 8 to 200.
[[nodiscard]] inline std::string plot(const network_chart& c, const plot_options& options = {}) {
  check(options);
  const roofline_axes axes = axes_of(c);
  text_canvas canvas(options.width, options.height, options.style);
  std::string legend;
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const chart_step& s = c.steps[i];
    const ceiling *flat = s.peak(), *slope = s.memory();
    if (s.origin == origin::none || flat == nullptr || slope == nullptr) continue;
    for (int column = 0; column < canvas.dots_across(); ++column) {
      const double x = (column + 0.5) / canvas.dots_across(), on_slope = axes.x.value_at(x) * slope->per_s;
      const bool on_flat = on_slope >= flat->per_s;
      if (on_slope >= axes.y.low())
        canvas.dot(x, axes.y.position((std::min)(on_slope, flat->per_s)), on_flat ? '-' : '/');
    }
    const double launches = launch_roof_flop_per_s(s.machine, s.profile);
    if (launches > 0 && launches < axes.y.high())
      ridgepoint::detail::draw_launch_roof(canvas, axes.y.position(launches));
    const std::string launch_words = launch_legend(s.machine, s.profile);
    legend += concat("        ", letter_of(c, i), ' ', printable(legend_of(s)), "; ", printable(s.dtype()), ' ',
                     quantity(flat->per_s, "FLOP/s"), ", ", slope->level, ' ', quantity(slope->per_s, "B/s"),
                     launch_words.empty() ? "" : "\n          " + launch_words + " (dotted)", '\n');
  }
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const chart_step& s = c.steps[i];
    const double x = s.profile.receipt().flop_per_byte(), y = s.flop_per_s();
    if (x > 0 && y > 0) canvas.letter(axes.x.position(x), axes.y.position(y), letter_of(c, i));
  }
  return concat("FLOP/s of ", printable(c.network),
                " on its machines' roofs; capitals are measured, small letters modelled\n",
                ridgepoint::detail::with_axes(canvas, axes, options), legend);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

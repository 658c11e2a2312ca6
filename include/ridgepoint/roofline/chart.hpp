// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/placement.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A logarithmic axis over whole decades.
struct log_axis {
  int first = 0, last = 1;  // from 10^first to 10^last
  [[nodiscard]] double low() const noexcept { return std::pow(10.0, first); }
  [[nodiscard]] double high() const noexcept { return std::pow(10.0, last); }
  /// Position of a value: 0 at the low end, 1 at the high end; clamped, and 0 for values without a logarithm.
  [[nodiscard]] double position(double value) const noexcept {
    if (!(value > 0)) return 0;
    return std::clamp((std::log10(value) - first) / (last - first), 0.0, 1.0);
  }
  /// Grows by whole decades until the value is on it.
  void reach(double value) noexcept {
    const double decade = std::log10(value);
    first = (std::min)(first, static_cast<int>(std::floor(decade)));
    last = (std::max)(last, static_cast<int>(std::ceil(decade)));
  }
  [[nodiscard]] double value_at(double position) const noexcept {
    return std::pow(10.0, first + position * (last - first));
  }
};

/// Axes of every roofline chart. They follow from the machine, so that two charts of one machine can be overlaid: x in
/// FLOP/B extends a decade beyond the outermost ridge points, y in FLOP/s at least four decades below the peak and far
/// enough above it for the names of the ridge points. Both extend to points outside this range.
struct roofline_axes {
  log_axis x{-2, 3}, y{6, 12};
};

[[nodiscard]] inline roofline_axes axes_of(const machine& m, const roof_query& q) {
  roofline_axes axes;
  const auto ridges = m.ridge_points(q);
  if (ridges.empty()) return axes;
  double low = HUGE_VAL, high = 0;
  for (const ridge_point& r : ridges) {
    low = (std::min)(low, r.flop_per_byte());
    high = (std::max)(high, r.flop_per_byte());
  }
  axes.x = {static_cast<int>(std::floor(std::log10(low))) - 1, static_cast<int>(std::ceil(std::log10(high))) + 1};
  axes.x.last = (std::max)(axes.x.last, 3);  // large GEMMs have a few hundred FLOP/B
  axes.y.last = static_cast<int>(std::ceil(std::log10(5 * m.peak(q)->per_s)));
  axes.y.first = axes.y.last - 5;
  return axes;
}
/// The axes of a profile on a machine.
[[nodiscard]] inline roofline_axes axes_of(const profile& p, const machine& on) {
  roofline_axes axes = axes_of(on, roofs_for(p));
  if (const double flat = launch_roof_flop_per_s(on, p); flat > 0 && flat < axes.y.low()) axes.y.reach(flat);
  for (const profile_row& row : p.rows) {
    const placement at = place(on, p, row);
    if (!on_chart(at)) continue;
    axes.x.reach(at.flop_per_byte);
    axes.y.reach(at.flop_per_s);
  }
  return axes;
}

/// A line of a chart with its label, in FLOP/B and FLOP/s.
struct chart_roof {
  std::string label;
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool sloping = false, label_below = false, launches = false;
  double label_x = 0, label_y = 0;  // start of the label
};
/// A row of a profile as a marker.
struct chart_point {
  std::size_t row = 0;
  placement at;
  double share = 0;                 // of the step's time, 0 to 1
  double radius = 0;                // in pixels: the area is proportional to the share
  double label_x = 0, label_y = 0;  // centre of its letter, in FLOP/B and FLOP/s
};

/// Layout of a roofline chart, independent of the renderer: lines, markers and labels, placed without overlaps.
struct chart {
  static constexpr double width = 860, height = 480;  // of the plotting area, in pixels
  roofline_axes axes;
  std::vector<chart_roof> roofs;
  std::vector<ridge_point> ridges;
  std::vector<chart_point> points;
  std::vector<std::size_t> hidden;  // rows without arithmetic cannot be on log axes

  [[nodiscard]] double pixel_x(double flop_per_byte) const { return width * axes.x.position(flop_per_byte); }
  [[nodiscard]] double pixel_y(double flop_per_s) const { return height * (1 - axes.y.position(flop_per_s)); }
  [[nodiscard]] double at_pixel_x(double x) const { return axes.x.value_at(x / width); }
  [[nodiscard]] double at_pixel_y(double y) const { return axes.y.value_at(1 - y / height); }
  /// Angle of every sloping roof on the screen, in degrees, negative because it rises.
  [[nodiscard]] double slope_degrees() const {
    const double rise = height / (axes.y.last - axes.y.first), run = width / (axes.x.last - axes.x.first);
    return -std::atan2(rise, run) * 180 / std::numbers::pi;
  }
};

namespace detail {

/// Adds one slope per memory level, labelled along the line; labels of neighbours start at different heights.
inline void add_slopes(chart& c) {
  int index = 0;
  for (const ridge_point& r : c.ridges) {
    const double bandwidth = r.bandwidth.per_s, x0 = (std::max)(c.axes.x.low(), c.axes.y.low() / bandwidth);
    const double start = c.pixel_x(x0) + 12 + 130 * (index++ % 2);
    c.roofs.push_back({.label = r.bandwidth.level + ' ' + quantity(bandwidth, "B/s"),
                       .x0 = x0,
                       .y0 = x0 * bandwidth,
                       .x1 = r.flop_per_byte(),
                       .y1 = r.compute.per_s,
                       .sloping = true,
                       .label_below = false,
                       .label_x = c.at_pixel_x(start),
                       .label_y = c.at_pixel_x(start) * bandwidth});
  }
  if (!c.roofs.empty()) c.roofs.back().label_below = true;  // the lowest slope has space
}

/// Adds one flat roof per distinct peak of the query's dtype and threads: instruction sets within 3 % share a line.
inline void add_flats(chart& c, const machine& on, const roof_query& q) {
  std::vector<std::pair<double, std::string>> flats;
  std::vector<std::string> seen;
  const ceiling* const highest = on.peak(q);
  const std::string dtype = highest != nullptr ? highest->dtype : q.dtype;
  for (const ceiling& any : on.ceilings) {
    const bool known = std::count(seen.begin(), seen.end(), any.isa) != 0;
    if (any.kind != ceiling_kind::compute || any.dtype != dtype || known) continue;
    seen.push_back(any.isa);
    const ceiling& best = *on.peak({.dtype = dtype, .isa = any.isa, .threads = q.threads});
    const std::string name = best.isa.empty() ? best.operation : best.isa;
    const auto same = std::find_if(flats.begin(), flats.end(),
                                   [&](const auto& flat) { return std::abs(flat.first / best.per_s - 1) < 0.03; });
    if (same == flats.end()) flats.emplace_back(best.per_s, name);
    else same->first = (std::max)(same->first, best.per_s), same->second += ", " + name;
  }
  double steepest = 0;
  for (const ridge_point& r : c.ridges) steepest = (std::max)(steepest, r.bandwidth.per_s);
  for (const auto& [per_s, names] : flats)
    if (per_s >= c.axes.y.low())
      c.roofs.push_back({.label = concat(dtype, ' ', names, ' ', quantity(per_s, "FLOP/s")),
                         .x0 = (std::max)(per_s / steepest, c.axes.x.low()),
                         .y0 = per_s,
                         .x1 = c.axes.x.high(),
                         .y1 = per_s,
                         .sloping = false,
                         .label_below = false,
                         .label_x = c.axes.x.high(),
                         .label_y = per_s});
}

/// Adds the roof that launches impose on the whole step, from edge to edge, if it is on the chart.
inline void add_launch_roof(chart& c, const profile& p, const machine& on) {
  const double per_s = launch_roof_flop_per_s(on, p);
  if (per_s < c.axes.y.low() || per_s > c.axes.y.high()) return;
  c.roofs.push_back({.label = concat("launches of the step, ", p.launches(), " × ", quantity(on.launch_s, "s"), ": ",
                                     quantity(per_s, "FLOP/s")),
                     .x0 = c.axes.x.low(),
                     .y0 = per_s,
                     .x1 = c.axes.x.high(),
                     .y1 = per_s,
                     .launches = true,
                     .label_x = c.axes.x.low(),
                     .label_y = per_s});
}

/// Places every letter next to its marker, if possible without covering other letters, markers or slope labels.
inline void place_letters(chart& c) {
  struct spot {
    double x, y, reach;
  };
  std::vector<spot> taken;
  for (const chart_point& p : c.points)
    taken.push_back({c.pixel_x(p.at.flop_per_byte), c.pixel_y(p.at.flop_per_s), p.radius});
  const double angle = c.slope_degrees() * std::numbers::pi / 180;
  for (const chart_roof& r : c.roofs)  // labels: a row of spots every 6 pixels
    for (std::size_t i = 0; r.sloping && i < columns(r.label); ++i) {
      const double along = 6 * static_cast<double>(i), off = r.label_below ? 9 : -9;
      taken.push_back({c.pixel_x(r.label_x) + along * std::cos(angle) - off * std::sin(angle),
                       c.pixel_y(r.label_y) + along * std::sin(angle) + off * std::cos(angle), 5});
    }
  for (std::size_t i = 0; i < c.points.size(); ++i) {
    const spot marker = taken[i];
    spot best{marker.x, marker.y, 6};
    double least_overlap = HUGE_VAL;
    for (int ring = 0; ring < 3; ++ring)
      for (int direction = 0; direction < 12; ++direction) {
        const double turn = direction * std::numbers::pi / 6, distance = marker.reach + 8 + 12 * ring;
        const spot letter{marker.x + distance * std::cos(turn), marker.y - distance * std::sin(turn), 6};
        double overlap = 0.01 * ring;
        for (const spot& t : taken)
          overlap += (std::max)(0.0, t.reach + letter.reach - std::hypot(t.x - letter.x, t.y - letter.y));
        const bool inside = std::abs(letter.x - chart::width / 2) < chart::width / 2 - 6 &&
                            std::abs(letter.y - chart::height / 2) < chart::height / 2 - 6;
        if (!inside) overlap += 1000;
        if (overlap < least_overlap) least_overlap = overlap, best = letter;
      }
    taken.push_back(best);
    c.points[i].label_x = c.at_pixel_x(best.x);
    c.points[i].label_y = c.at_pixel_y(best.y);
  }
}

}  // namespace detail

/// Lays out the chart of a profile on a machine.
[[nodiscard]] inline chart layout(const profile& p, const machine& on) {
  const roof_query query = roofs_for(p);
  chart c{.axes = axes_of(p, on), .roofs = {}, .ridges = on.ridge_points(query), .points = {}, .hidden = {}};
  detail::add_slopes(c);
  detail::add_flats(c, on, query);
  detail::add_launch_roof(c, p, on);
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    const placement at = place(on, p, p.rows[i]);
    const double share = p.step_s > 0 ? p.rows[i].elapsed_s / p.step_s : 0;
    if (on_chart(at))
      c.points.push_back({.row = i, .at = at, .share = share, .radius = (std::max)(3.0, 28 * std::sqrt(share))});
    else c.hidden.push_back(i);
  }
  detail::place_letters(c);
  return c;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

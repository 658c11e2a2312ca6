// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include <ridgepoint/roofline/placement.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A logarithmic axis over whole decades.
struct log_axis {
  int first = 0, last = 1;  // from 10^first to 10^last
  [[nodiscard]] double low() const noexcept { return std::pow(10.0, first); }
  [[nodiscard]] double high() const noexcept { return std::pow(10.0, last); }
  /// Where a value is: 0 at the low end, 1 at the high end; clamped, and 0 for what has no logarithm.
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

/// The axes of every roofline chart. They follow from the machine, so that two charts of one machine can be laid over
/// each other: x in FLOP/B goes a decade beyond the outermost ridge points, y in FLOP/s at least four decades below the
/// peak and far enough above it for the names of the ridge points. Where a point lies outside, they reach it.
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
  axes.x.last = (std::max)(axes.x.last, 3);  // large products of matrices have a few hundred FLOP/B
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

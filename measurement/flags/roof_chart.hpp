// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <ridgepoint/roofline/chart.hpp>

#include "measurement/shown.hpp"
#include "page.hpp"

namespace measurement {

/// Benchmark below the roof of its build.
struct roof_point {
  std::size_t number = 0;  // of the benchmark, from 0
  std::string name, kind;
  double flop = 0, bytes = 0, seconds = 0;

  [[nodiscard]] double flop_per_byte() const { return flop / bytes; }
  [[nodiscard]] double flop_per_s() const { return flop / seconds; }
  /// Returns the achieved share of the speed that a roof allows.
  [[nodiscard]] double share_of(const build_roof& roof) const {
    return std::max(flop / roof.flop_per_s, bytes / roof.bytes_per_s) / seconds;
  }
};

/// Roof of one set's own flags, below the highest ceilings, which may come from several sets.
struct roof_chart {
  std::string set;
  build_roof roof = {}, highest = {};
  std::vector<roof_point> points = {};
  ridgepoint::roofline_axes axes = {};  // shared by all sets of a page
};

/// Returns nothing unless both are finite and above 0.
inline std::optional<build_roof> usable(const std::optional<build_roof>& roof) {
  const auto is_rate = [](double per_s) { return per_s > 0 && std::isfinite(per_s); };
  return roof && is_rate(roof->flop_per_s) && is_rate(roof->bytes_per_s) ? roof : std::nullopt;
}

/// Returns the highest of each ceiling over all sets; empty if none was measured.
inline std::optional<build_roof> highest_roof(const flags_page& page) {
  std::optional<build_roof> highest;
  for (const page_set& set : page.sets)
    if (const auto roof = usable(set.roof)) {
      if (!highest) highest = roof;
      highest->flop_per_s = std::max(highest->flop_per_s, roof->flop_per_s);
      highest->bytes_per_s = std::max(highest->bytes_per_s, roof->bytes_per_s);
    }
  return highest;
}

namespace detail {

/// Returns a set's benchmarks with their work and time. The base's times are in the rows of its control.
inline std::vector<roof_point> roof_points(const flags_page& page, const std::string& set) {
  std::vector<roof_point> points;
  const auto is_amount = [](const std::optional<double>& amount) { return amount && *amount > 0 && *amount < 1e18; };
  for (const page_group& group : grouped(page.rows))
    for (const page_benchmark& one : group.benchmarks) {
      const flags_row* const row = one.of(set == page.base ? page.control : set);
      if (row == nullptr || row->compared.unit != "s") continue;
      const row_findings& found = row->accuracy.found;
      const double seconds = set == page.base ? row->compared.median_a : row->compared.median_b;
      if (!is_amount(found.flop) || !is_amount(found.bytes) || !(seconds > 0)) continue;
      points.push_back({.number = one.number,
                        .name = one.name(),
                        .kind = one.kind,
                        .flop = *found.flop,
                        .bytes = *found.bytes,
                        .seconds = seconds});
    }
  return points;
}

}  // namespace detail

/// Returns one chart for each set that has a roof; none if no benchmark reports its work.
inline std::vector<roof_chart> roof_charts(const flags_page& page) {
  const std::optional<build_roof> highest = highest_roof(page);
  std::vector<roof_chart> charts;
  if (!highest) return charts;
  bool any_point = false;
  const double ridge = std::log10(highest->flop_per_s / highest->bytes_per_s);
  ridgepoint::roofline_axes axes{
      .x = {.first = static_cast<int>(std::floor(ridge)) - 1, .last = static_cast<int>(std::ceil(ridge)) + 1},
      .y = {.first = static_cast<int>(std::floor(std::log10(highest->flop_per_s))) - 1,
            .last = static_cast<int>(std::ceil(std::log10(1.5 * highest->flop_per_s)))}};
  for (const page_set& set : page.sets) {
    const auto roof = usable(set.roof);
    if (!roof) continue;
    charts.push_back(
        {.set = set.set.name, .roof = *roof, .highest = *highest, .points = detail::roof_points(page, set.set.name)});
    for (const roof_point& point : charts.back().points) {
      axes.x.reach(point.flop_per_byte());
      axes.y.reach(0.7 * point.flop_per_s());  // keeps its letter inside the chart
      any_point = true;
    }
  }
  for (roof_chart& chart : charts) chart.axes = axes;
  return any_point ? charts : std::vector<roof_chart>();
}

}  // namespace measurement

// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <ridgepoint/roofline/format.hpp>

#include "accuracy_cells.hpp"
#include "measurement/shown.hpp"
#include "page.hpp"

namespace measurement {

/// One set of a ladder: a bar with its interval, or words.
struct ladder_rung {
  std::string set;
  std::string words;               // verdict and figures, or why they are missing
  const flags_row* row = nullptr;  // with a speed-up, else null
  std::vector<accuracy_cell> cells = {};
};

/// Ladders of a group, laid out independent of the drawing: every set of the page in each, in one order.
struct ladder_chart {
  struct ladder {
    page_benchmark of;
    std::string title;  // "definition: 12.3 ms with x86-64"
    std::vector<ladder_rung> rungs;
  };
  std::string name, base;
  std::vector<ladder> ladders;
  std::vector<std::string> strip = {};  // the accuracy_names that any rung has
  double low = 0, high = 0;             // range of the shared axis
  std::vector<double> ticks = {};       // on that axis, 1 among them
  double gate = 0;
};

namespace detail {

inline std::string interval_text(const study::compared_row& row) {
  return ridgepoint::concat(ratio_text(row.range.low), " … ", ratio_text(row.range.high));
}

inline ladder_rung rung_of(const flags_page& page, const page_benchmark& one, const std::string& set) {
  const page_set* const about = page.find(set);
  const flags_row* const row = one.of(set);
  if (row == nullptr) {
    const bool failed = about != nullptr && !about->failure.empty();
    return {.set = set, .words = failed ? shown(about->failure) : "has no row"};
  }
  const study::compared_row& c = row->compared;
  ladder_rung rung{.set = set, .words = shown(c.reason), .cells = accuracy_cells(row->accuracy)};
  if (c.speedup <= 0) return rung;
  rung.row = row;
  rung.words = ridgepoint::concat(ratio_text(c.speedup), ", ", interval_text(c), c.wide ? ", wide" : "", ": ",
                                  to_string(c.verdict), rung.words.empty() ? "" : ", ", rung.words);
  return rung;
}

/// Returns round ratios for an axis, spaced by about a tenth of its length.
inline std::vector<double> round_ratios(double low, double high) {
  constexpr double above[] = {1.02, 1.05, 1.1, 1.2, 1.3, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 200, 500, 1000};
  constexpr double below[] = {0.98, 0.95, 0.9, 0.8, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01};
  std::vector<double> ticks{1};
  const auto add = [&](std::span<const double> ratios) {
    double last = 1;
    for (const double ratio : ratios) {
      if (ratio < low || ratio > high || std::abs(std::log(ratio / last)) < 0.095 * std::log(high / low)) continue;
      ticks.push_back(last = ratio);
    }
  };
  add(above);
  add(below);
  std::ranges::sort(ticks);
  return ticks;
}

}  // namespace detail

/// Lays out the ladders. The axis covers 1, the gate and every interval.
inline ladder_chart layout(const flags_page& page, const page_group& group) {
  ladder_chart chart{.name = group.name, .base = page.base, .ladders = {}, .low = 0.9, .high = 1.1, .gate = page.gate};
  for (const page_benchmark& one : group.benchmarks) {
    const study::compared_row& any = one.rows[0].compared;
    const std::string name = one.kind.empty() ? "" : one.kind + ": ";
    const std::string time = any.samples_a == 0 ? "no result" : ridgepoint::quantity(any.median_a, any.unit);
    chart.ladders.push_back({.of = one, .title = name + time + " with " + page.base, .rungs = {}});
    for (const std::string& set : page.contenders()) {
      ladder_rung rung = detail::rung_of(page, one, set);
      if (rung.row != nullptr) {
        chart.low = std::min(chart.low, rung.row->compared.range.low / 1.05);
        chart.high = std::max(chart.high, rung.row->compared.range.high * 1.05);
      }
      chart.ladders.back().rungs.push_back(std::move(rung));
    }
  }
  chart.ticks = detail::round_ratios(chart.low, chart.high);
  for (const std::string_view name : accuracy_names)
    for (const ladder_chart::ladder& ladder : chart.ladders)
      for (const ladder_rung& rung : ladder.rungs)
        for (const accuracy_cell& cell : rung.cells)
          if (cell.of == name && (chart.strip.empty() || chart.strip.back() != name)) chart.strip.emplace_back(name);
  return chart;
}

}  // namespace measurement

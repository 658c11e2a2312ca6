// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/roofline/html_json.hpp>
#include <ridgepoint/study/charts_json.hpp>
#include <ridgepoint/study/tpu_sweep.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Page with every chart of a sweep, marked as modelled.
[[nodiscard]] inline std::string sweep_page(const std::vector<sweep_row>& rows, const sweep_chips& chips,
                                            const std::string& family, const std::string& width_name,
                                            std::string_view vega_bundle = {}) {
  const heat_map used =
      map_of(rows, "utilisation", width_name, 100, [](const sweep_row& r) { return 100 * r.utilisation; });
  const heat_map waits =
      map_of(rows, "infeed", width_name, 100, [](const sweep_row& r) { return 100 * r.infeed_share; });
  scatter cores{.title = "one core against the board",
                .x_name = "one core, % of its quoted peak",
                .y_name = concat(chips.board.cores(), " cores, %"),
                .points = {}};
  for (const sweep_row& r : rows)
    if (r.fits && !std::isnan(r.one_core_utilisation))
      cores.points.emplace_back(100 * r.one_core_utilisation, 100 * r.utilisation);
  const box_chart faster = speed_ups(rows, concat(chips.newer.name, " over ", chips.board.name));
  const std::string body =
      concat("<p>", rows.size(),
             " networks and batches. Nothing here was measured; docs/tpu.md compares the model with measurements.</p>\n"
             "<h2>Utilisation, % of ",
             quantity(chips.board.quoted_flop_per_s, "FLOP/s"), "</h2>\n<p>##: out of memory.</p>\n",
             chart_markup(vega_specification(used)), "<h2>One core against ", chips.board.cores(), "</h2>\n",
             chart_markup(vega_specification(cores)), "<h2>", escape_markup(faster.title),
             ", twice the batch</h2>\n<p>Bar: 9th to 91st percentile; line: median; whiskers: 2nd and 98th. "
             "Ops are classed by what binds them on ",
             escape_markup(chips.board.name), ".</p>\n", chart_markup(vega_specification(faster)),
             "<h2>Share of the step spent waiting for the host, %</h2>\n", chart_markup(vega_specification(waits)));
  return page(concat("Modelled: ", family, " on TPU ", chips.board.name, ", ", chips.board.cores(), " cores"), body,
              vega_bundle);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

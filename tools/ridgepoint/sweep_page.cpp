// SPDX-License-Identifier: MIT
#include "sweep_page.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <ridgepoint/study/charts_json.hpp>

#include "vega_bundle.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
namespace study = ridgepoint::study;
using rp::index_t;

/// Returns the parameter that maps show against the batch: a width, else the one with most values; "" without any.
std::string shown_parameter(const sweep_grid& grid) {
  std::string most;
  std::size_t values = 0;
  for (const auto& [name, of] : grid.parameters) {
    if (name == "nodes" || name == "filters" || name == "width") return name;
    if (of.size() > values) most = name, values = of.size();
  }
  return most;
}

/// Returns the highest utilisation of a machine for each batch and value of a parameter. A cell is "##" if none of its
/// networks fits the memory, and empty if none was measured. Without a parameter, the map is empty.
study::heat_map utilisation_map(const std::vector<recorded_row>& rows, const std::string& machine,
                                const std::string& parameter) {
  struct cell {
    double highest = std::nan("");
    bool fits = false;
  };
  std::map<std::pair<index_t, index_t>, cell> cells;  // value, batch
  study::heat_map m{.title = "highest utilisation on " + machine + ", %", .x_name = "batch", .y_name = parameter};
  for (const recorded_row& row : rows) {
    const auto value = row.point.parameters.find(parameter);
    if (row.machine != machine || value == row.point.parameters.end()) continue;
    cell& at = cells[{value->second, row.point.batch}];
    at.fits = at.fits || row.state != "out of memory";
    if (row.utilisation) at.highest = std::fmax(at.highest, 100 * *row.utilisation);
  }
  for (const auto& [place, at] : cells) {
    if (std::ranges::find(m.y, place.first) == m.y.end()) m.y.push_back(place.first);
    if (std::ranges::find(m.x, place.second) == m.x.end()) m.x.push_back(place.second);
  }
  std::ranges::sort(m.x);
  for (const index_t y : m.y)
    for (const index_t x : m.x) {
      const auto found = cells.find({y, x});
      m.cells.push_back(found == cells.end() ? std::nan("") : found->second.fits ? found->second.highest : -1);
    }
  return m;
}

/// Returns utilisation against the feed's share of the step, a point per row of --feed; empty without such rows.
study::scatter utilisation_by_feed(const std::vector<recorded_row>& rows, const std::string& machine) {
  study::scatter s{.title = "utilisation of " + machine + " against the feed",
                   .x_name = "share of the step that waits for the feed, %",
                   .y_name = "utilisation, %",
                   .points = {},
                   .has_equality_line = false};
  for (const recorded_row& row : rows)
    if (row.machine == machine && row.feed_share && row.utilisation)
      s.points.emplace_back(100 * *row.feed_share, 100 * *row.utilisation);
  return s;
}

/// Returns how many times as many samples per second a machine has as another, by batch and over all.
study::box_chart speed_ups_over(const std::vector<recorded_row>& rows, const std::string& machine,
                                const std::string& base) {
  std::map<std::string, double> base_s;
  for (const recorded_row& row : rows)
    if (row.machine == base && row.step_s) base_s[row.point.text()] = *row.step_s;
  std::map<index_t, std::vector<double>> by_batch;
  for (const recorded_row& row : rows) {
    const auto theirs = base_s.find(row.point.text());
    if (row.machine != machine || !row.step_s || theirs == base_s.end()) continue;
    by_batch[row.point.batch].push_back(theirs->second / *row.step_s);
  }
  return study::speed_ups_by_batch(by_batch, machine + " over " + base);
}

}  // namespace

std::string rows_page(const sweep_grid& grid, const std::vector<recorded_row>& rows,
                      const std::vector<std::string>& machines) {
  std::string body = rp::concat("<p>", rows.size(),
                                " rows; measured on the host, modelled on other machines. A map's cell is the highest "
                                "utilisation of its networks; ##: none fits the memory.</p>\n");
  const std::string parameter = shown_parameter(grid);
  for (const std::string& machine : machines) {
    const study::heat_map used = utilisation_map(rows, machine, parameter);
    if (used.x.empty()) continue;
    body += rp::concat("<h2>", rp::escape_markup(used.title), "</h2>\n", rp::chart_markup(vega_specification(used)));
  }
  for (const std::string& machine : machines) {
    const study::scatter fed = utilisation_by_feed(rows, machine);
    if (fed.points.empty()) continue;
    body += rp::concat("<h2>", rp::escape_markup(fed.title), "</h2>\n", rp::chart_markup(vega_specification(fed)));
  }
  for (const std::string& machine : machines) {
    if (machine == machines[0]) continue;
    const study::box_chart faster = speed_ups_over(rows, machine, machines[0]);
    if (faster.boxes.empty()) continue;
    body += rp::concat("<h2>", rp::escape_markup(faster.title),
                       "</h2>\n<p>Bar: 9th to 91st percentile; line: median; whiskers: 2nd and 98th.</p>\n",
                       rp::chart_markup(vega_specification(faster)));
  }
  return rp::page("Sweep of " + grid.name, body, vega_bundle());
}

}  // namespace tool

// SPDX-License-Identifier: MIT
#include "bench_planner.hpp"

#include <iomanip>
#include <sstream>

#include <ridgepoint/core/quantile.hpp>

namespace tool {
namespace {

double cycles_per_s(const bench_row& row, const std::string& ours) {
  const auto at = row.plain.rates.find(ours);
  return at == row.plain.rates.end() ? 0 : at->second.predicted_cycles_per_s;
}

}  // namespace

double planner_error::of(const bench_row& row, const std::string& ours) const {
  return shapes == 0 ? 0 : tool::cycles_per_s(row, ours) / cycles_per_s;
}

planner_error planner_error_of(const std::vector<bench_row>& rows, const std::string& ours) {
  std::vector<double> all;
  for (const bench_row& row : rows)
    if (const double predicted = cycles_per_s(row, ours); predicted > 0) all.push_back(predicted);
  if (all.empty()) return {};
  const double middle = ridgepoint::median(all);
  return {.shapes = all.size(),
          .cycles_per_s = middle,
          .tenth = ridgepoint::quantile(all, 0.1) / middle,
          .ninetieth = ridgepoint::quantile(all, 0.9) / middle};
}

std::string to_string(const planner_error& error) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << "planner: predicted / measured time of " << error.shapes
      << " shapes, scaled to a median of 1 (" << error.cycles_per_s * 1e-9 << " cycles/ns): 10 % of shapes below "
      << error.tenth << "x, 90 % below " << error.ninetieth << 'x';
  return out.str();
}

}  // namespace tool

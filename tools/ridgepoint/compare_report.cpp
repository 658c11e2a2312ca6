// SPDX-License-Identifier: MIT
#include "compare_report.hpp"

#include <ostream>

namespace tool {
namespace {

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

std::string verdict_of(const study::compared_row& row) {
  return rp::concat(to_string(row.verdict), row.reason.empty() ? "" : ": ", shown(row.reason));
}

void print_names(std::ostream& out, const char* of, const std::vector<std::string>& names) {
  if (names.empty()) return;
  out << "only in " << of << ":\n";
  for (const std::string& name : names) out << "  " << shown(name, 76) << '\n';
}

}  // namespace

rp::text_table::row comparison_cells(const study::compared_row& row) {
  const auto side = [&](std::size_t samples, double median) {
    return samples == 0 ? std::string("-") : rp::quantity(median, row.unit);
  };
  const bool has_ratio = row.judged();
  return {shown(row.name, 48),
          side(row.samples_a, row.median_a),
          side(row.samples_b, row.median_b),
          has_ratio ? ratio_text(row.speedup) : "-",
          has_ratio ? rp::concat(ratio_text(row.range.low), " … ", ratio_text(row.range.high)) : "-",
          row.wide ? "wide" : "",
          verdict_of(row)};
}

void print_comparison(std::ostream& out, const study::compared_sets& c) {
  rp::text_table table{.head = {"row", "A", "B", "speed-up", "95 % interval", "", "verdict"}, .align = "lrrrrll"};
  for (const study::compared_row& row : c.rows) table.rows.push_back(comparison_cells(row));
  out << table.text();
  print_names(out, "A", c.only_a);
  print_names(out, "B", c.only_b);
  out << '\n';
  for (const study::verdict v :
       {study::verdict::faster, study::verdict::slower, study::verdict::same, study::verdict::unclear})
    out << c.count(v) << ' ' << to_string(v) << (v == study::verdict::unclear ? "" : ", ");
  const double mean = c.geometric_mean();
  out << "; geometric mean of the speed-ups: " << (mean > 0 ? ratio_text(mean) : "-") << '\n';
}

}  // namespace tool

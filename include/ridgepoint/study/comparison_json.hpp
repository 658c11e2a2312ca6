// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <ridgepoint/study/comparison.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

namespace detail {

[[nodiscard]] inline nlohmann::ordered_json side(const measured_set& set) {
  return {{"source", set.source}, {"format", set.format}, {"circumstances", set.circumstances}};
}
[[nodiscard]] inline nlohmann::ordered_json to_json_document(const compared_row& row) {
  nlohmann::ordered_json entry{{"name", row.name},
                               {"unit", row.unit},
                               {"verdict", to_string(row.verdict)},
                               {"reason", row.reason},
                               {"a", {{"samples", row.samples_a}, {"median", row.median_a}}},
                               {"b", {{"samples", row.samples_b}, {"median", row.median_b}}}};
  if (row.judged()) {
    entry["speedup"] = row.speedup;
    entry["interval"] = {row.range.low, row.range.high};
    entry["wide"] = row.wide;
    entry["p"] = row.chance;
    entry["p_holm"] = row.chance_of_any;
  }
  return entry;
}

}  // namespace detail

/// Converts a comparison of two sets to a JSON document, schema "ridgepoint.compare", version 1. Speed-ups are how many
/// times as fast B is, in either direction of the unit; rows that could not be compared have none.
[[nodiscard]] inline nlohmann::ordered_json to_json_document(const compared_sets& c, const measured_set& a,
                                                             const measured_set& b, const comparison_options& options) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array(), counts = nlohmann::ordered_json::object();
  for (const compared_row& row : c.rows) rows.push_back(detail::to_json_document(row));
  for (const verdict v : {verdict::faster, verdict::slower, verdict::same, verdict::unclear})
    counts[std::string(to_string(v))] = c.count(v);
  const double mean = c.geometric_mean();
  return {{"schema", "ridgepoint.compare"},
          {"schema_version", 1},
          {"a", detail::side(a)},
          {"b", detail::side(b)},
          {"differences", differences(a, b)},
          {"gate", options.gate},
          {"paired", options.pairing == pairing::by_round},
          {"confidence", options.bootstrap.confidence},
          {"resamples", options.bootstrap.resamples},
          {"seed", options.bootstrap.seed},
          {"rows", std::move(rows)},
          {"only_a", c.only_a},
          {"only_b", c.only_b},
          {"counts", std::move(counts)},
          {"geometric_mean", mean > 0 ? nlohmann::ordered_json(mean) : nlohmann::ordered_json(nullptr)}};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

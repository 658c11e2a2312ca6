// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/study/measured/circumstances_json.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Results of `ridgepoint roofline`: a row for every op of a step, and the row `step`. Each is one sample, the median
/// over the steps: several files make a set that can be judged, see set_of_runs().
/// Throws: data_error naming what is wrong.
[[nodiscard]] inline measured_set roofline_set(const json_reader& in) {
  in.require_schema("ridgepoint.roofline");
  measured_set set{.format = "ridgepoint roofline"};
  const json_reader run = in.object("profile");
  detail::add_circumstances(set, run);
  if (in.has("environment")) detail::add_circumstances(set, in.object("environment"));
  for (const json_reader& row : run.objects("rows"))
    set.rows.push_back({.name = concat(row.text("layer"), ' ', row.text("pass"), ' ', row.text("shape")),
                        .samples = {row.number("elapsed_s", 0)}});
  set.rows.push_back({.name = "step", .samples = {run.number("step_s", 0)}});
  tell_apart(set.rows);
  return set;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

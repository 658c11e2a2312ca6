// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/study/measured/circumstances_json.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

namespace detail {

/// The implementations of a row on operands of one form: "64x64x64 openblas". Windows are seconds of a call; a file
/// that has none has the best rate alone.
inline void add_standing(measured_set& to, const json_reader& at, const std::string& shape, const std::string& unit) {
  const json_reader rates = at.object("rates");
  for (const std::string& implementation : rates.keys()) {
    measured_row row{.name = concat(shape, ' ', implementation)};
    const char* const name = implementation.c_str();
    if (at.has("windows_s") && at.object("windows_s").has(name)) {
      row.samples = at.object("windows_s").numbers(name, 0);
    } else if (at.has("steps") && at.object("steps").has(name)) {
      row.samples = at.object("steps").object(name).numbers("seconds", 0);
    } else {
      row.samples = {rates.number(name, 0)};
      row.unit = unit, row.better = better::more;
    }
    to.rows.push_back(std::move(row));
  }
}

}  // namespace detail

/// Results of `ridgepoint versus --json`: a row for every shape and implementation, with the time of a call in each
/// window as samples. Throws: data_error naming what is wrong.
[[nodiscard]] inline measured_set versus_set(const json_reader& in) {
  in.require_schema("ridgepoint.versus", 2);
  measured_set set{.format = "ridgepoint versus"};
  detail::add_circumstances(set, in);
  if (in.has("environment")) detail::add_circumstances(set, in.object("environment"));
  const std::string unit = in.text("unit");
  const std::string what = concat(in.text("what"), ' ', in.text("type"), ' ',
                                  in.has("transpose") ? in.text("transpose") + ' ' : std::string());
  for (const json_reader& row : in.objects("rows")) {
    const std::string shape = what + row.text("shape");
    detail::add_standing(set, row, shape, unit);
    if (row.has("packed")) detail::add_standing(set, row.object("packed"), shape + " packed", unit);
  }
  tell_apart(set.rows);
  return set;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

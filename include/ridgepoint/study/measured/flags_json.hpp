// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/roofline/strict_json.hpp>
#include <ridgepoint/study/measured_set.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Results of `ridgepoint flags --json`: a row for every benchmark and set of flags, "scale avx2+fma", with a sample of
/// each round. What its sets are is among the circumstances. Throws: data_error naming what is wrong.
[[nodiscard]] inline measured_set flags_set(const json_reader& in) {
  static constexpr std::size_t longest_text = 65'536;  // of flags, and of templates
  in.require_schema("ridgepoint.flags");
  measured_set set{.format = "ridgepoint flags"};
  const json_reader circumstances = in.object("circumstances");
  for (const std::string& name : circumstances.keys())
    set.circumstances[name] = circumstances.text(name.c_str(), longest_text);
  for (const json_reader& row : in.objects("rows")) {
    const std::string told = row.text("better");
    require<data_error>(told == "less" || told == "more", row.path("better"), " is ", told, "; must be less or more");
    set.rows.push_back({.name = concat(row.text("name", longest_text), ' ', row.text("set")),
                        .samples = row.numbers("samples", 0),
                        .unit = row.text("unit"),
                        .better = told == "less" ? better::less : better::more});
  }
  tell_apart(set.rows);
  return set;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

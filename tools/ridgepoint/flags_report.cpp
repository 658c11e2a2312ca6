// SPDX-License-Identifier: MIT
#include "flags_report.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

#include <nlohmann/json.hpp>

#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/roofline/profile_json.hpp>
#include <ridgepoint/roofline/text_table.hpp>

#include "compare_report.hpp"
#include "measurement/flags/mxcsr.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

/// Returns the flags of a set, and whether it is profile-guided.
std::string text_of(const measurement::flag_set& set) {
  return measurement::flags_text(set) + (set.profile_guided ? "  (profile-guided)" : "");
}

/// Returns a set's flags, or the path of its program if the flags are unknown.
std::string about(const flags_build& build) {
  const bool is_known = !build.compiler.name.empty();
  return is_known ? text_of(build.set) : build.programs.at(0).string();
}

/// Returns a figure; NaN or infinity, which are worse than any number, as "NaN".
std::string figure_or_nan(double value, int digits = 3) {
  return std::isfinite(value) ? rp::figures(value, digits) : "NaN";
}

/// Returns the numerical findings of a row: "3.86 ulp, other bits, NaN lost"; "" if there are none.
std::string accuracy_text(const measurement::accuracy& a) {
  std::vector<std::string> parts;
  for (const std::string& what : a.lost) parts.push_back(what + " LOST");
  if (a.found.ulp_max) parts.push_back(figure_or_nan(*a.found.ulp_max) + " ulp");
  if (a.loss_drift) parts.push_back(rp::concat("loss ", *a.loss_drift > 0 ? "+" : "", figure_or_nan(*a.loss_drift, 2)));
  if (a.same_bits) parts.emplace_back(*a.same_bits ? "same bits" : "other bits");
  return rp::names_of(parts);
}

const char* how_it_ended(flags_end end) {
  switch (end) {
    case flags_end::narrow:
      return "no interval is wide";
    case flags_end::time_over:
      return "the time is over";
    case flags_end::interrupted:
      break;
  }
  return "interrupted";
}

nlohmann::ordered_json to_json(const measurement::hot_loop& loop) {
  return {{"address", loop.begin},
          {"vector_bits", loop.vector_bits},
          {"widest_share", loop.widest_share()},
          {"fma_share", loop.fma_share()},
          {"instructions", loop.instructions},
          {"floating", loop.floating},
          {"bytes", loop.bytes},
          {"share_of_samples", loop.share_of_samples}};
}

nlohmann::ordered_json to_json(const flags_result& result, const flags_build& build) {
  nlohmann::ordered_json set{{"name", build.set.name},
                             {"compiler", build.compiler.name},
                             {"compiler_version", build.compiler.version},
                             {"flags", build.set.flags},
                             {"profile_guided", build.set.profile_guided}};
  if (const std::string failure = failure_of(result, build); !failure.empty()) set["failure"] = failure;
  if (build.programs.empty()) return set;
  if (build.built_elsewhere) {
    set["program"] = build.programs[0].string();
  } else {
    set["kept"] = build.kept;
    set["compile_s"] = build.compile_s;
  }
  set["code_bytes"] = build.code_bytes;
  set["flushes_denormals"] = build.flushes_denormals;
  if (build.mxcsr) set["mxcsr"] = *build.mxcsr;
  if (build.roof) set["roof"] = {{"flop_per_s", build.roof->flop_per_s}, {"bytes_per_s", build.roof->bytes_per_s}};
  return set;
}

nlohmann::ordered_json to_json(const measurement::row_findings& found) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) all[name] = *value;
  };
  add("ulp_max", found.ulp_max), add("ulp_mean", found.ulp_mean), add("gradient_error", found.gradient_error);
  add("loss", found.loss), add("bits", found.bits);
  add("nan_kept", found.nan_kept), add("subnormals_kept", found.subnormals_kept);
  add("flop", found.flop), add("bytes", found.bytes);
  return all;
}

nlohmann::ordered_json to_json(const measurement::accuracy& a) {
  nlohmann::ordered_json all = to_json(a.found);
  if (a.same_bits) all["same_bits"] = *a.same_bits;
  if (a.loss_drift) all["loss_drift"] = *a.loss_drift;
  if (!a.lost.empty()) all["lost"] = a.lost;
  return all;
}

nlohmann::ordered_json to_json(const std::string& set, const study::measured_row& row) {
  return {{"name", row.name},
          {"set", set},
          {"unit", row.unit},
          {"better", row.better == study::better::less ? "less" : "more"},
          {"samples", row.samples}};
}

/// Returns what must agree between compared results: machine facts from the programs, and the sets.
nlohmann::ordered_json circumstances_of(const flags_result& result) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  if (!result.base().rounds.empty())
    for (const auto& [name, value] : result.base().rounds[0].circumstances) all[name] = value;
  all["cpu_model"] = result.at.cpu_model;
  for (const flags_build& build : result.builds)
    all["set " + build.set.name] = build.compiler.version + ' ' + text_of(build.set);
  return all;
}

}  // namespace

std::string failure_of(const flags_result& result, const flags_build& build) {
  if (!build.failure.empty()) return build.failure;
  for (const flags_contender& c : result.field)
    if (c.measured.set == build.set.name && !c.measured.failure.empty()) return c.measured.failure;
  return "";
}

std::string flushing_of(const flags_build& build) {
  if (!build.mxcsr) return build.flushes_denormals ? "flushes denormals" : "";
  const bool ftz = (*build.mxcsr & measurement::mxcsr_ftz) != 0, daz = (*build.mxcsr & measurement::mxcsr_daz) != 0;
  if (!ftz && !daz) return "";
  return rp::concat("flushes denormals: ", ftz ? "FTZ" : "", ftz && daz ? ", " : "", daz ? "DAZ" : "");
}

std::vector<std::string> flags_summary(const flags_result& result) {
  const measurement::set_rounds &base = result.base(), &again = result.base_again();
  const auto whole = std::ranges::count_if(base.rounds, [&](const study::measured_set& round) {
    return round.rows.size() == base.rounds.front().rows.size();
  });
  std::vector<std::string> lines{rp::concat(base.rounds.size(), " rounds")};
  if (static_cast<std::size_t>(whole) < base.rounds.size()) lines[0] += rp::concat(", ", whole, " of them whole");
  lines[0] += rp::concat(": ", how_it_ended(result.end));
  const auto wide = std::ranges::count_if(result.rows, [](const auto& row) { return row.compared.wide; });
  if (wide > 0) lines[0] += rp::concat(", ", wide, " of ", result.rows.size(), " intervals are wide");
  const auto rows = std::ranges::count(result.rows, again.set, &measurement::flags_row::set);
  if (!again.failure.empty()) lines.push_back(again.set + ": " + shown(again.failure));
  else
    lines.push_back(rp::concat(base.set, " against itself: ", measurement::distinguished(result.rows, again.set),
                               " of ", rows, " rows distinguished; expected 0"));
  const std::size_t links = result.field[0].programs.size();
  if (links == 1) lines.emplace_back("layout: one link of each set, so its noise is not known");
  if (const auto noise = measurement::largest_layout_noise(base, links); noise.share > 0)
    lines.push_back(rp::concat("layout and noise: the medians of its ", links, " links differ by up to ",
                               rp::figures(100 * noise.share, 2), " % (", shown(noise.row, 48), ')'));
  return lines;
}

void print_flags_builds(std::ostream& out, const flags_result& result) {
  const bool has_roofs = std::ranges::any_of(result.builds, [](const auto& build) { return build.roof.has_value(); });
  rp::text_table table{.head = {"set", "code", "compiled", ""}, .units = {"", "KiB", "s", ""}, .align = "lrrl"};
  if (has_roofs) {
    table.head.insert(table.head.end(), {"peak", "memory"});
    table.units.insert(table.units.end(), {"GFLOP/s", "GB/s"});
    table.align += "rr";
  }
  table.head.emplace_back("flags"), table.units.emplace_back(), table.align += 'l';
  for (const flags_build& build : result.builds) {
    const std::string failure = failure_of(result, build);
    const bool has_program = !build.programs.empty();
    std::string last = failure.empty() ? about(build) : "failed: " + shown(failure);
    if (const std::string flushing = flushing_of(build); !flushing.empty()) last += "  (" + flushing + ')';
    table.rows.push_back({build.set.name, has_program ? rp::figures(static_cast<double>(build.code_bytes) / 1024) : "-",
                          has_program && !build.built_elsewhere ? rp::figures(build.compile_s) : "-",
                          build.kept ? "kept" : ""});
    if (has_roofs) {
      const auto roof = build.roof.value_or(measurement::build_roof{.flop_per_s = NAN, .bytes_per_s = NAN});
      table.rows.back().push_back(rp::figures(roof.flop_per_s * 1e-9));
      table.rows.back().push_back(rp::figures(roof.bytes_per_s * 1e-9));
    }
    table.rows.back().push_back(last);
  }
  out << table.text();
}

void print_flags_rows(std::ostream& out, const flags_result& result) {
  const bool tells =
      std::ranges::any_of(result.rows, [](const auto& row) { return !accuracy_text(row.accuracy).empty(); });
  rp::text_table table{.head = {"row", "set", result.base().set, "set's", "speed-up", "95 % interval", "", "verdict"},
                       .align = "llrrrrll"};
  const bool has_code = measurement::tell_code(result.rows);
  if (has_code) table.head.insert(table.head.end() - 1, "hot loop"), table.align.insert(table.align.size() - 1, "l");
  if (tells) table.head.emplace_back("numbers"), table.align += 'l';
  std::string before;
  for (const measurement::flags_row& row : result.rows) {
    rp::text_table::row cells = comparison_cells(row.compared);
    if (row.compared.name == before) cells[0].clear();
    before = row.compared.name;
    cells.insert(cells.begin() + 1, row.set);
    if (has_code) cells.insert(cells.end() - 1, shown(row.code.text(), 40));
    if (tells) cells.push_back(accuracy_text(row.accuracy));
    table.rows.push_back(std::move(cells));
  }
  out << table.text() << '\n';
  for (const std::string& line : flags_summary(result)) out << rp::printable(line) << '\n';
  if (!result.about_hot_loops.empty()) out << "hot loops: " << shown(result.about_hot_loops) << '\n';
}

std::string flags_json(const flags_result& result) {
  nlohmann::ordered_json json{{"schema", "ridgepoint.flags"},
                              {"schema_version", 1},
                              {"version", RIDGEPOINT_VERSION_STRING},
                              {"source", result.source.file.string()},
                              {"target", result.source.target},
                              {"base", result.base().set},
                              {"rounds", result.base().rounds.size()},
                              {"ended", how_it_ended(result.end)},
                              {"metric", result.how.metric},
                              {"seed", result.how.seed},
                              {"gate", result.how.judging.gate},
                              {"circumstances", circumstances_of(result)},
                              {"environment", rp::detail::to_json_document(result.at)}};
  json["sets"] = nlohmann::ordered_json::array();
  for (const flags_build& build : result.builds) json["sets"].push_back(to_json(result, build));
  json["rows"] = nlohmann::ordered_json::array();
  if (!result.base().rounds.empty())
    for (const study::measured_row& row : study::set_of_runs("", result.base().rounds).rows) {
      json["rows"].push_back(to_json(result.base().set, row));
      if (const auto found = result.base().findings.find(row.name); found != result.base().findings.end())
        if (const auto accuracy = to_json(found->second); !accuracy.empty()) json["rows"].back()["accuracy"] = accuracy;
    }
  for (const measurement::flags_row& row : result.rows) {
    const study::compared_row& c = row.compared;
    nlohmann::ordered_json entry = to_json(row.set, {.name = c.name, .samples = row.samples, .unit = c.unit});
    entry["better"] = c.unit == "s" ? "less" : "more";
    entry["verdict"] = to_string(c.verdict);
    entry["reason"] = c.reason;
    if (c.judged()) {
      entry["speedup"] = c.speedup;
      entry["interval"] = {c.range.low, c.range.high};
      entry["wide"] = c.wide;
      entry["p_holm"] = c.chance_of_any;
    }
    if (row.code.loop) entry["hot_loop"] = to_json(*row.code.loop);
    else if (!row.code.instead.empty()) entry["hot_code"] = row.code.instead;
    if (const auto accuracy = to_json(row.accuracy); !accuracy.empty()) entry["accuracy"] = accuracy;
    json["rows"].push_back(std::move(entry));
  }
  return rp::json_text(json) + '\n';
}

namespace {

std::string broken_speedup(const measurement::rule& rule, const study::compared_row& c) {
  if (!c.judged()) return "has no ratio: " + shown(c.reason);
  if (rule.holds(c.speedup)) return "";
  return rp::concat("is ", ratio_text(c.speedup), ", from ", ratio_text(c.range.low), " to ", ratio_text(c.range.high));
}

std::string broken_accuracy(const measurement::rule& rule, const measurement::flags_row& row) {
  const std::string of = " with " + row.set;
  for (const std::string& what : row.accuracy.lost) return rp::concat(what, " is lost", of);
  const double ulp = *row.accuracy.found.ulp_max;
  return rule.holds(ulp) ? "" : figure_or_nan(ulp) + " ulp" + of;
}

/// Returns the benchmarks of the base that a set lacks; they break a rule for all rows.
std::vector<std::string> lacking_rows(const std::string& set, const flags_result& result) {
  std::vector<std::string> lacking;
  for (const study::measured_row& row : study::set_of_runs(result.base().set, result.base().rounds).rows)
    if (std::ranges::none_of(result.rows, [&](const measurement::flags_row& found) {
          return found.set == set && found.compared.name == row.name;
        }))
      lacking.push_back(row.name);
  return lacking;
}

}  // namespace

std::vector<std::string> broken_rules(const std::vector<measurement::rule>& rules, const flags_result& result) {
  std::vector<std::string> broken;
  for (const measurement::rule& rule : rules) {
    std::size_t rows = 0;
    for (const measurement::flags_row& row : result.rows) {
      const study::compared_row& c = row.compared;
      const bool tells = row.accuracy.found.ulp_max || !row.accuracy.lost.empty();
      if (!rule.is_for(c.name, row.set) || (rule.is_of_accuracy() && !tells)) continue;
      ++rows;
      const std::string how = rule.is_of_accuracy() ? broken_accuracy(rule, row) : broken_speedup(rule, c);
      const std::string of = rule.row == "all" ? shown(c.name, 76) + ' ' : "";
      if (!how.empty()) broken.push_back(rp::concat(rule.text, ": ", of, how));
    }
    if (rows > 0 && rule.row == "all" && !rule.is_of_accuracy())
      for (const std::string& name : lacking_rows(rule.set, result))
        broken.push_back(rp::concat(rule.text, ": ", shown(name, 76), " is missing with ", rule.set));
    if (rows > 0) continue;
    const auto build = std::ranges::find(result.builds, rule.set, [](const flags_build& b) { return b.set.name; });
    const std::string failure = build == result.builds.end() ? "" : failure_of(result, *build);
    const char* const none = rule.is_of_accuracy() ? ": no such row reports its accuracy" : ": there is no such row";
    broken.push_back(rule.text + (failure.empty() ? none : ": the set failed: " + shown(failure)));
  }
  return broken;
}

}  // namespace tool

// SPDX-License-Identifier: MIT
#include "flags_report.hpp"

#include <algorithm>
#include <ostream>

#include <nlohmann/json.hpp>

#include <ridgepoint/roofline/profile_json.hpp>
#include <ridgepoint/roofline/text_table.hpp>

#include "compare_report.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

std::string flags_text(const std::vector<std::string>& flags) {
  std::string text;
  for (const std::string& flag : flags) text += (text.empty() ? "" : " ") + flag;
  return text;
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

nlohmann::ordered_json to_json(const flags_result& result, const flags_build& build) {
  nlohmann::ordered_json set{{"name", build.set.name},
                             {"compiler", build.compiler.name},
                             {"compiler_version", build.compiler.version},
                             {"flags", build.set.flags}};
  if (const std::string failure = failure_of(result, build); !failure.empty()) set["failure"] = failure;
  if (build.programs.empty()) return set;
  set["kept"] = build.kept;
  set["compile_s"] = build.compile_s;
  set["code_bytes"] = build.code_bytes;
  set["flushes_denormals"] = build.flushes_denormals;
  return set;
}

nlohmann::ordered_json to_json(const std::string& set, const study::measured_row& row) {
  return {{"name", row.name},
          {"set", set},
          {"unit", row.unit},
          {"better", row.better == study::better::less ? "less" : "more"},
          {"samples", row.samples}};
}

/// What must agree for two results to be compared: what the programs say of the machine, and what the sets are.
nlohmann::ordered_json circumstances_of(const flags_result& result) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  if (!result.base().rounds.empty())
    for (const auto& [name, value] : result.base().rounds[0].circumstances) all[name] = value;
  all["cpu_model"] = result.at.cpu_model;
  for (const flags_build& build : result.builds)
    all["set " + build.set.name] = build.compiler.version + ' ' + flags_text(build.set.flags);
  return all;
}

}  // namespace

std::string failure_of(const flags_result& result, const flags_build& build) {
  if (!build.failure.empty()) return build.failure;
  for (const flags_contender& c : result.field)
    if (c.measured.set == build.set.name && !c.measured.failure.empty()) return c.measured.failure;
  return "";
}

std::vector<std::string> flags_summary(const flags_result& result) {
  const measurement::set_rounds &base = result.base(), &again = result.base_again();
  std::vector<std::string> lines{rp::concat(base.rounds.size(), " rounds: ", how_it_ended(result.end))};
  const auto wide = std::ranges::count_if(result.rows, [](const auto& row) { return row.compared.wide; });
  if (wide > 0) lines[0] += rp::concat(", ", wide, " of ", result.rows.size(), " intervals are wide");
  const auto rows = std::ranges::count(result.rows, again.set, &measurement::flags_row::set);
  if (!again.failure.empty()) lines.push_back(again.set + ": " + shown(again.failure));
  else
    lines.push_back(rp::concat(base.set, " against itself: ", measurement::told_apart(result.rows, again.set), " of ",
                               rows, " rows told apart, where none should be"));
  const std::size_t links = result.field[0].programs.size();
  if (const auto noise = measurement::largest_layout_noise(base, links); noise.share > 0)
    lines.push_back(rp::concat("layout and noise: the medians of its ", links, " links lie up to ",
                               rp::figures(100 * noise.share, 2), " % apart (", shown(noise.row, 48), ')'));
  return lines;
}

void print_flags_builds(std::ostream& out, const flags_result& result) {
  rp::text_table table{
      .head = {"set", "code", "compiled", "", "flags"}, .units = {"", "KiB", "s", "", ""}, .align = "lrrll"};
  for (const flags_build& build : result.builds) {
    const std::string failure = failure_of(result, build);
    const bool has_program = !build.programs.empty();
    std::string about = failure.empty() ? flags_text(build.set.flags) : "failed: " + shown(failure);
    if (build.flushes_denormals) about += "  (flushes denormals)";
    table.rows.push_back({build.set.name, has_program ? rp::figures(static_cast<double>(build.code_bytes) / 1024) : "-",
                          has_program ? rp::figures(build.compile_s) : "-", build.kept ? "kept" : "", about});
  }
  out << table.text();
}

void print_flags_rows(std::ostream& out, const flags_result& result) {
  rp::text_table table{.head = {"row", "set", result.base().set, "set's", "speed-up", "95 % interval", "", "verdict"},
                       .align = "llrrrrll"};
  std::string before;
  for (const measurement::flags_row& row : result.rows) {
    rp::text_table::row cells = comparison_cells(row.compared);
    if (row.compared.name == before) cells[0].clear();
    before = row.compared.name;
    cells.insert(cells.begin() + 1, row.set);
    table.rows.push_back(std::move(cells));
  }
  out << table.text() << '\n';
  for (const std::string& line : flags_summary(result)) out << line << '\n';
}

std::string flags_json(const flags_result& result) {
  nlohmann::ordered_json json{{"schema", "ridgepoint.flags"},
                              {"schema_version", 1},
                              {"version", RIDGEPOINT_VERSION_STRING},
                              {"source", result.source.file.string()},
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
    for (const study::measured_row& row : study::set_of_runs("", result.base().rounds).rows)
      json["rows"].push_back(to_json(result.base().set, row));
  for (const measurement::flags_row& row : result.rows) {
    const study::compared_row& c = row.compared;
    nlohmann::ordered_json entry = to_json(row.set, {.name = c.name, .samples = row.samples, .unit = c.unit});
    entry["better"] = c.unit == "s" ? "less" : "more";
    entry["verdict"] = to_string(c.verdict);
    entry["reason"] = c.reason;
    if (c.speedup > 0) {
      entry["speedup"] = c.speedup;
      entry["interval"] = {c.range.low, c.range.high};
      entry["wide"] = c.wide;
      entry["p_holm"] = c.chance_of_any;
    }
    json["rows"].push_back(std::move(entry));
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::vector<std::string> broken_rules(const std::vector<measurement::rule>& rules, const flags_result& result) {
  std::vector<std::string> broken;
  for (const measurement::rule& rule : rules) {
    std::size_t rows = 0;
    for (const measurement::flags_row& row : result.rows) {
      const study::compared_row& c = row.compared;
      if (!rule.is_for(c.name, row.set)) continue;
      ++rows;
      const std::string of = rule.row == "all" ? shown(c.name, 76) + ' ' : "";
      if (c.speedup == 0) broken.push_back(rp::concat(rule.text, ": ", of, "has no ratio: ", shown(c.reason)));
      else if (!rule.holds(c.speedup))
        broken.push_back(rp::concat(rule.text, ": ", of, "is ", ratio_text(c.speedup), ", from ",
                                    ratio_text(c.range.low), " to ", ratio_text(c.range.high)));
    }
    if (rows > 0) continue;
    const auto build = std::ranges::find(result.builds, rule.set, [](const flags_build& b) { return b.set.name; });
    const std::string failure = build == result.builds.end() ? "" : failure_of(result, *build);
    broken.push_back(rule.text + (failure.empty() ? ": there is no such row" : ": the set failed: " + shown(failure)));
  }
  return broken;
}

}  // namespace tool

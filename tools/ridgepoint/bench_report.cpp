// SPDX-License-Identifier: MIT
#include "bench_report.hpp"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <ostream>
#include <set>

#include <nlohmann/json.hpp>

#include <ridgepoint/roofline/profile_json.hpp>

#include "bench_planner.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
using half = bench_standing bench_row::*;

/// Returns the column names: ours first, then the others by name, ceilings last.
std::vector<std::string> columns(const bench_setup& setup, const std::vector<bench_row>& rows, half form) {
  std::set<std::string> names;
  for (const bench_row& row : rows)
    for (const auto& [name, rate] : (row.*form).rates) names.insert(name);
  std::vector<std::string> order(names.begin(), names.end());
  const auto rank = [&](const std::string& name) {
    return name == setup.ours ? 0 : name.starts_with("ceiling.") ? 2 : 1;
  };
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

/// Returns 1e9 for "FLOP/s" and other units in billions, 1 for steps.
double scale(const bench_setup& setup) { return setup.what == "mlp" ? 1 : 1e9; }

int width_of(const std::string& name) { return static_cast<int>(std::max<std::size_t>(name.size(), 8)) + 2; }

std::string how(const bench_rate& rate) {
  const bool is_enough = rate.detail.empty() || rate.detail == rate.setting;
  return rp::printable(is_enough ? rate.setting : rate.setting + " / " + rate.detail);
}

void print_head(std::ostream& out, const bench_setup& setup, const std::string& remark) {
  out << '\n'
      << setup.what << ' ' << setup.type << ' ' << setup.transpose << (setup.transpose.empty() ? "" : ", ")
      << setup.threads << (setup.threads == 1 ? " thread, " : " threads, ") << (scale(setup) > 1 ? "G" : "")
      << setup.unit << remark << '\n';
}

void print_row(std::ostream& out, const bench_setup& setup, const std::vector<std::string>& names, const bench_row& row,
               const bench_standing& at, const planner_error& planner) {
  out << std::right << std::fixed << std::setprecision(2);
  for (const std::string& name : names) {
    const auto found = at.rates.find(name);
    if (found == at.rates.end()) out << std::setw(width_of(name)) << '-';
    else out << std::setw(width_of(name)) << found->second.per_s / scale(setup);
  }
  const auto share = [&](double value, int width, int digits) {
    if (value > 0) out << std::setprecision(digits) << std::setw(width) << value;
    else out << std::setw(width) << '-';
  };
  share(at.ratio, 9, 3);
  if (planner.shapes > 0) share(planner.of(row, setup.ours), 11, 2);
  if (at.ratio > 0)
    out << "  " << how(at.rates.at(setup.ours)) << " : " << at.best_peer << ' ' << how(at.rates.at(at.best_peer));
  out << '\n';
  for (const auto& [name, reason] : row.refused)
    if (name == setup.ours) out << "  " << name << ": " << rp::printable(reason) << '\n';
}

/// Prints the table. `planner`: adds a column with predicted ÷ measured time, if there are predictions.
void print_table(std::ostream& out, const bench_setup& setup, const std::vector<bench_row>& rows, half form,
                 const planner_error& planner = {}) {
  const auto shape_width = static_cast<int>(std::max<std::size_t>(
      5, std::ranges::max(rows, {}, [](const bench_row& r) { return r.shape.size(); }).shape.size()));
  const std::vector<std::string> names = columns(setup, rows, form);
  out << std::left << std::setw(shape_width) << "shape" << std::right;
  for (const std::string& name : names) out << std::setw(width_of(name)) << name;
  out << std::setw(9) << "ratio";
  if (planner.shapes > 0) out << std::setw(11) << "predicted";
  out << "  ours : best peer\n";
  for (const bench_row& row : rows) {
    if (form == &bench_row::packed && !row.packed.rates.contains(setup.ours)) continue;
    out << std::left << std::setw(shape_width) << row.shape;
    print_row(out, setup, names, row, row.*form, planner);
  }
}

std::map<std::string, std::vector<bench_row>> by_class(const std::vector<bench_row>& rows) {
  std::map<std::string, std::vector<bench_row>> classes;
  for (const bench_row& row : rows) classes[row.shape_class].push_back(row);
  return classes;
}

void print_mean(std::ostream& out, const bench_setup& setup, const std::vector<bench_row>& rows, half form) {
  const auto print = [&](const std::string& of, double mean) {
    if (mean > 0)
      out << "geometric mean of " << setup.ours << " / best peer" << of << ": " << std::setprecision(3) << mean << '\n';
  };
  const auto classes = by_class(rows);
  if (setup.class_means && classes.size() > 1)
    for (const auto& [name, members] : classes) print(", " + name, geometric_mean(members, form));
  print("", geometric_mean(rows, form));
}

/// Returns the ratio that few of many random shapes may fall below.
double low_ratio(const bench_setup& setup) { return setup.what == "conv" ? 0.85 : 0.90; }

/// Prints a line of the summary: rows with a ratio, their mean, how many are below `low`; nothing if none has a ratio.
void print_group(std::ostream& out, const std::string& name, const std::vector<bench_row>& rows, double low) {
  std::vector<double> ratios;
  for (const bench_row& row : rows)
    if (row.plain.ratio > 0) ratios.push_back(row.plain.ratio);
  if (ratios.empty()) return;
  const auto below = std::ranges::count_if(ratios, [&](double r) { return r < low; });
  out << std::left << std::setw(18) << name << std::right << std::setw(8) << ratios.size() << std::fixed
      << std::setprecision(3) << std::setw(16) << geometric_mean(rows) << std::setw(12) << below << std::setprecision(1)
      << std::setw(7) << 100 * static_cast<double>(below) / static_cast<double>(ratios.size()) << " %"
      << std::setprecision(3) << std::setw(10) << std::ranges::min(ratios) << '\n';
}

/// Returns the rows, without libxsmm below `least` multiplications. Its kernel is generated for one shape before the
/// clock starts; a call that takes any shape cannot be as short for the smallest products.
std::vector<bench_row> without_libxsmm(std::vector<bench_row> rows, double least, const std::string& ours) {
  for (bench_row& row : rows)
    if (row.multiplications < least && row.plain.rates.erase("libxsmm") > 0)
      row.plain = compared(row.plain.rates, ours);
  return rows;
}

nlohmann::ordered_json to_json(const bench_standing& at) {
  const auto or_null = [](const auto& value, const auto& nothing) {
    return value == nothing ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(value);
  };
  nlohmann::ordered_json rates = nlohmann::ordered_json::object(), settings = rates, windows_s = rates;
  for (const auto& [name, rate] : at.rates) {
    rates[name] = rate.per_s, settings[name] = how(rate);
    if (rate.losses.empty() && !rate.windows_s.empty()) windows_s[name] = rate.windows_s;  // otherwise among the steps
  }
  nlohmann::ordered_json standing{{"rates", std::move(rates)},
                                  {"best_peer", or_null(at.best_peer, "")},
                                  {"ratio", or_null(at.ratio, 0.0)},
                                  {"settings", std::move(settings)}};
  if (!windows_s.empty()) standing["windows_s"] = std::move(windows_s);
  return standing;
}

}  // namespace

void print_bench(std::ostream& out, const bench_setup& setup, const std::vector<bench_row>& rows) {
  for (const std::string& line : setup.about) out << rp::printable(line) << '\n';
  print_head(out, setup, "");
  print_table(out, setup, rows, &bench_row::plain);
  print_mean(out, setup, rows, &bench_row::plain);
  if (std::ranges::none_of(rows, [&](const bench_row& row) { return row.packed.rates.contains(setup.ours); })) return;
  print_head(out, setup, ", B packed once beforehand, which is not timed");
  print_table(out, setup, rows, &bench_row::packed);
  print_mean(out, setup, rows, &bench_row::packed);
}

void print_bench_summary(std::ostream& out, const bench_setup& setup, const std::vector<bench_row>& rows) {
  for (const std::string& line : setup.about) out << rp::printable(line) << '\n';
  print_head(out, setup, rp::concat(", ", rows.size(), " random shapes of seed ", setup.seed));
  const double low = low_ratio(setup);
  out << "class               shapes  geometric mean  below " << std::fixed << std::setprecision(2) << low
      << "          lowest\n";
  for (const auto& [name, members] : by_class(rows)) print_group(out, name, members, low);
  print_group(out, "all", rows, low);
  if (std::ranges::any_of(rows, [](const bench_row& row) { return row.plain.rates.contains("libxsmm"); })) {
    constexpr double small = 32 * 32 * 32, none = std::numeric_limits<double>::infinity();
    print_group(out, "libxsmm from 32^3", without_libxsmm(rows, small, setup.ours), low);
    print_group(out, "without libxsmm", without_libxsmm(rows, none, setup.ours), low);
  }

  std::vector<bench_row> worst = rows;
  std::ranges::stable_sort(worst, {}, [](const bench_row& row) { return row.plain.ratio; });
  worst.resize(std::min<std::size_t>(worst.size(), 10));
  out << "\nthe ten worst\n";
  const planner_error planner = planner_error_of(rows, setup.ours);
  print_table(out, setup, worst, &bench_row::plain, planner);
  if (planner.shapes > 0) out << to_string(planner) << '\n';
}

std::string bench_json(const bench_setup& setup, const std::vector<bench_row>& rows) {
  // `bench` was once called `versus`: the schema keeps this name, so that `compare` still reads older records.
  nlohmann::ordered_json json{
      {"schema", "ridgepoint.versus"}, {"schema_version", 2}, {"version", RIDGEPOINT_VERSION_STRING},
      {"command", setup.command},      {"what", setup.what},  {"type", setup.type}};
  if (!setup.transpose.empty()) json["transpose"] = setup.transpose;
  json["unit"] = setup.unit;
  json["threads"] = setup.threads;
  json["rounds"] = setup.rounds;
  json["seed"] = setup.seed;
  json["random"] = setup.random;
  json["ours"] = setup.ours;
  json["implementations"] = setup.about;
  json["environment"] = rp::detail::to_json_document(setup.at);
  const planner_error planner = planner_error_of(rows, setup.ours);
  if (planner.shapes > 0)
    json["planner"] = {{"shapes", planner.shapes},
                       {"cycles_per_s", planner.cycles_per_s},
                       {"p10", planner.tenth},
                       {"p90", planner.ninetieth}};
  json["rows"] = nlohmann::ordered_json::array();
  for (const bench_row& row : rows) {
    nlohmann::ordered_json entry{{"shape", row.shape}};
    if (!row.shape_class.empty()) entry["class"] = row.shape_class;
    entry.update(to_json(row.plain));
    if (!row.packed.rates.empty()) entry["packed"] = to_json(row.packed);
    for (const auto& [name, rate] : row.plain.rates)
      if (!rate.losses.empty()) entry["steps"][name] = {{"seconds", rate.windows_s}, {"losses", rate.losses}};
    if (!row.losses.empty()) entry["losses"] = row.losses;
    entry["rounds"] = row.rounds;
    if (const double share = planner.of(row, setup.ours); share > 0) entry["predicted_over_measured"] = share;
    if (!row.refused.empty()) entry["refused"] = row.refused;
    json["rows"].push_back(std::move(entry));
  }
  const auto mean = [&](half form) {
    const double ratio = geometric_mean(rows, form);
    return ratio > 0 ? nlohmann::ordered_json(ratio) : nlohmann::ordered_json(nullptr);
  };
  json["geomean"] = mean(&bench_row::plain);
  json["packed_geomean"] = mean(&bench_row::packed);
  return rp::json_text(json) + '\n';
}

}  // namespace tool

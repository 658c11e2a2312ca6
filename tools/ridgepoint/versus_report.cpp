// SPDX-License-Identifier: MIT
#include "versus_report.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <set>

#include <nlohmann/json.hpp>

#include <ridgepoint/roofline/profile_json.hpp>

namespace tool {
namespace {

/// Ours first, then the others by name, ceilings last.
std::vector<std::string> columns(const versus_setup& setup, const std::vector<versus_row>& rows) {
  std::set<std::string> names;
  for (const versus_row& row : rows)
    for (const auto& [name, rate] : row.rates) names.insert(name);
  std::vector<std::string> order(names.begin(), names.end());
  const auto rank = [&](const std::string& name) {
    return name == setup.ours ? 0 : name.starts_with("ceiling.") ? 2 : 1;
  };
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

/// 1e9 for "FLOP/s" and what else is counted in billions, 1 for steps.
double scale(const versus_setup& setup) { return setup.what == "mlp" ? 1 : 1e9; }

}  // namespace

void print_versus(std::ostream& out, const versus_setup& setup, const std::vector<versus_row>& rows) {
  for (const std::string& line : setup.about) out << line << '\n';
  out << '\n'
      << setup.what << ' ' << setup.type << ' ' << setup.transpose << (setup.transpose.empty() ? "" : ", ")
      << setup.threads << (setup.threads == 1 ? " thread, " : " threads, ") << (scale(setup) > 1 ? "G" : "")
      << setup.unit << '\n';

  std::size_t shape_width = 5;
  for (const versus_row& row : rows) shape_width = std::max(shape_width, row.shape.size());
  const std::vector<std::string> names = columns(setup, rows);
  const auto width = [](const std::string& name) {
    return static_cast<int>(std::max<std::size_t>(name.size(), 8)) + 2;
  };
  out << std::left << std::setw(static_cast<int>(shape_width)) << "shape" << std::right;
  for (const std::string& name : names) out << std::setw(width(name)) << name;
  out << std::setw(9) << "ratio"
      << "  best peer\n"
      << std::fixed;
  for (const versus_row& row : rows) {
    out << std::left << std::setw(static_cast<int>(shape_width)) << row.shape << std::right << std::setprecision(2);
    for (const std::string& name : names) {
      const auto at = row.rates.find(name);
      if (at == row.rates.end()) out << std::setw(width(name)) << "-";
      else out << std::setw(width(name)) << at->second.per_s / scale(setup);
    }
    if (row.ratio > 0) {
      const versus_rate& best = row.rates.at(row.best_peer);
      out << std::setprecision(3) << std::setw(9) << row.ratio << "  " << row.best_peer << ' ' << best.setting;
    } else {
      out << std::setw(9) << "-";
    }
    out << '\n';
    for (const auto& [name, reason] : row.refused)
      if (name == setup.ours) out << "  " << name << ": " << reason << '\n';
  }
  if (const double mean = geometric_mean(rows); mean > 0)
    out << "geometric mean of " << setup.ours << " / best peer: " << std::setprecision(3) << mean << '\n';
}

std::string versus_json(const versus_setup& setup, const std::vector<versus_row>& rows) {
  nlohmann::ordered_json json{{"schema", "ridgepoint.versus"},
                              {"schema_version", 1},
                              {"version", RIDGEPOINT_VERSION_STRING},
                              {"what", setup.what},
                              {"type", setup.type}};
  if (!setup.transpose.empty()) json["transpose"] = setup.transpose;
  json["unit"] = setup.unit;
  json["threads"] = setup.threads;
  json["rounds"] = setup.rounds;
  json["ours"] = setup.ours;
  json["implementations"] = setup.about;
  json["environment"] = ridgepoint::detail::to_json_document(setup.at);
  json["rows"] = nlohmann::ordered_json::array();
  for (const versus_row& row : rows) {
    nlohmann::ordered_json entry{{"shape", row.shape}, {"rates", nlohmann::ordered_json::object()}};
    nlohmann::ordered_json settings = nlohmann::ordered_json::object();
    for (const auto& [name, rate] : row.rates) {
      entry["rates"][name] = rate.per_s;
      settings[name] = rate.detail.empty() ? rate.setting : rate.setting + " / " + rate.detail;
    }
    entry["best_peer"] =
        row.best_peer.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(row.best_peer);
    entry["ratio"] = row.ratio > 0 ? nlohmann::ordered_json(row.ratio) : nlohmann::ordered_json(nullptr);
    entry["settings"] = std::move(settings);
    entry["rounds"] = row.rounds;
    if (!row.refused.empty()) entry["refused"] = row.refused;
    json["rows"].push_back(std::move(entry));
  }
  const double mean = geometric_mean(rows);
  json["geomean"] = mean > 0 ? nlohmann::ordered_json(mean) : nlohmann::ordered_json(nullptr);
  return json.dump(2) + '\n';
}

}  // namespace tool

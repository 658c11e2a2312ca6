// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/core/csv.hpp>
#include <ridgepoint/core/nearest_name.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Price of a machine per hour from a month on.
struct price {
  std::string machine;
  double usd_per_hour = 0;
  std::string date;  // year and month: "2017-11"
  std::string source = {};
};

/// Prices that the studies calculate with.
[[nodiscard]] inline const std::vector<price>& published_prices() {
  static const std::vector<price> all = [] {
    std::vector<price> prices;
    const auto add = [&](const char* source, const char* date,
                         std::initializer_list<std::pair<const char*, double>> machines) {
      for (const auto& [machine, usd_per_hour] : machines) prices.push_back({machine, usd_per_hour, date, source});
    };
    constexpr double charged = 1.0607;  // times the list price, as in the study
    add("study D, July 2017: Google Compute Engine", "2017-07",
        {{"k80", 0.745},
         {"cpu8", 0.060 * charged},
         {"cpu16", 0.120 * charged},
         {"cpu32", 0.240 * charged},
         {"cpu64", 0.480 * charged}});
    add("study D, November 2017: Google Compute Engine, preemptible", "2017-11",
        {{"k80", 0.4975}, {"p100", 1.5075}, {"cpu16", 0.12}, {"cpu32", 0.24}});
    add("study B, April 2018: EC2 P3.2xlarge, Azure NCv3, Cloud TPU", "2018-04", {{"v100", 3.06}, {"tpu-v2", 6.50}});
    return prices;
  }();
  return all;
}

/// True for a year and month from 2000-01 on, such as "2026-11".
[[nodiscard]] constexpr bool is_month(std::string_view date) noexcept {
  const auto digit = [&](std::size_t i) { return date[i] >= '0' && date[i] <= '9'; };
  return date.size() == 7 && digit(0) && digit(1) && digit(2) && digit(3) && date[4] == '-' && digit(5) && digit(6) &&
         date >= "2000-01" && date.substr(5) >= "01" && date.substr(5) <= "12";
}

/// Reads prices from a table with the columns machine, usd_per_hour, date and source.
/// Throws: data_error for a missing column or machine, for a price that is not 1e-6 to 1e6, another date, and two
/// prices of one machine and date.
[[nodiscard]] inline std::vector<price> load_prices(const std::string& path) {
  const csv_table t = load_csv(path);
  const std::size_t machine = t.column("machine"), usd = t.column("usd_per_hour"), date = t.column("date"),
                    source = t.column("source");
  std::vector<price> prices;
  std::set<std::pair<std::string, std::string>> before;
  for (std::size_t row = 0; row < t.size(); ++row) {
    price p{t.text(row, machine), t.number(row, usd), t.text(row, date), t.text(row, source)};
    require<data_error>(!p.machine.empty(), t.where(row, machine), " is empty; must name a machine");
    require<data_error>(p.usd_per_hour >= 1e-6 && p.usd_per_hour <= 1e6, t.where(row, usd), " is \"",
                        printable(t.text(row, usd)), "\"; must be 1e-6 to 1e6 US dollars");
    require<data_error>(is_month(p.date), t.where(row, date), " is \"", printable(p.date),
                        "\"; must be a year and month such as 2026-11");
    require<data_error>(before.emplace(p.machine, p.date).second, t.where(row, machine), " has a second price of ",
                        printable(p.machine), " from ", p.date, "; must have one");
    prices.push_back(std::move(p));
  }
  return prices;
}

/// Returns the last price of a machine up to a month, or the last of all without one; null without a price.
/// Example: find_price(rp::study::published_prices(), "k80", "2017-08")->usd_per_hour == 0.745
[[nodiscard]] inline const price* find_price(const std::vector<price>& among, std::string_view machine,
                                             std::string_view until = {}) {
  const price* last = nullptr;
  for (const price& p : among)
    if (same_name(p.machine, machine) && (until.empty() || p.date <= until) && (last == nullptr || p.date > last->date))
      last = &p;
  return last;
}

/// Cost of a time: elapsed_s / 3600 · usd_per_hour.
[[nodiscard]] constexpr double cost_usd(double elapsed_s, double usd_per_hour) noexcept {
  return elapsed_s / 3600 * usd_per_hour;
}

/// Price per hour up to which a machine is cheaper than another that takes `other_s` for the same work at
/// `other_usd_per_hour`.
[[nodiscard]] constexpr double break_even_usd_per_hour(double elapsed_s, double other_s,
                                                       double other_usd_per_hour) noexcept {
  return other_usd_per_hour * other_s / elapsed_s;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

// SPDX-License-Identifier: MIT
#include "bench_steps.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>

#include <ridgepoint/core/quantile.hpp>

namespace tool {
namespace {

namespace rp = ridgepoint;

/// Returns "pytorch" of "pytorch.compile".
std::string framework_of(const std::string& implementation) {
  return implementation.substr(0, implementation.find('.'));
}

struct step_times {
  double least_s = 0, median_s = 0;
};
step_times times_of(const bench_rate& rate) {
  return {.least_s = 1 / rate.per_s, .median_s = rp::median(rate.windows_s)};
}

void print_line(std::ostream& out, const std::string& name, const bench_rate& rate, const step_times& ours) {
  const step_times at = times_of(rate);
  out << std::left << std::setw(24) << name << std::right << std::fixed << std::setprecision(3) << std::setw(11)
      << 1e3 * at.least_s << std::setw(11) << 1e3 * at.median_s << std::setprecision(2) << std::setw(9)
      << at.least_s / ours.least_s << std::setw(9) << at.median_s / ours.median_s << std::setw(7)
      << rate.windows_s.size() << std::setprecision(6);
  for (const double loss : rate.losses) out << std::setw(14) << loss;
  if (!rate.detail.empty()) out << "  " << rp::printable(rate.detail);
  out << '\n';
}

void print_steps(std::ostream& out, const bench_setup& setup, const bench_row& row) {
  out << '\n'
      << row.shape << ", " << setup.threads << (setup.threads == 1 ? " thread" : " threads") << ": ms a training step\n"
      << std::left << std::setw(24) << "" << std::right << std::setw(11) << "least" << std::setw(11) << "median"
      << std::setw(9) << "/ ours" << std::setw(9) << "/ ours" << std::setw(7) << "steps" << std::setw(14)
      << "loss, step 1" << std::setw(14) << "step 2" << '\n';
  const auto& rates = row.plain.rates;
  if (const auto own = rates.find(setup.ours); own != rates.end()) {
    const step_times ours = times_of(own->second);
    print_line(out, setup.ours, own->second, ours);
    std::map<std::string, std::pair<double, std::string>> best;  // by framework: its least time and its name
    for (const auto& [name, rate] : rates) {
      if (name == setup.ours) continue;
      print_line(out, name, rate, ours);
      const auto [at, first] = best.try_emplace(framework_of(name), 1 / rate.per_s, name);
      if (!first) at->second = std::min(at->second, std::pair(1 / rate.per_s, name));
    }
    for (const auto& [framework, fastest] : best)
      out << std::setprecision(3) << "ours is " << fastest.first / ours.least_s << " times as fast as "
          << fastest.second << (fastest.second == framework ? "" : rp::concat(", the best of ", framework)) << '\n';
  }
  for (const auto& [name, reason] : row.refused) out << name << ": " << rp::printable(reason) << '\n';
}

}  // namespace

void print_bench_steps(std::ostream& out, const bench_setup& setup, const std::vector<bench_row>& rows) {
  for (const std::string& line : setup.about) out << rp::printable(line) << '\n';
  for (const bench_row& row : rows) print_steps(out, setup, row);
  out << "Losses are of two steps from the same weights, without dropout; the steps that are timed have it.\n";
}

}  // namespace tool

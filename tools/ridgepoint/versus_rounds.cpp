// SPDX-License-Identifier: MIT
#include "versus_rounds.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <sstream>

#include <ridgepoint/core/error.hpp>

namespace tool {
namespace {

namespace rp = ridgepoint;

/// A contender in the rounds of one problem.
struct running {
  contender* who;
  double work, best_s = std::numeric_limits<double>::infinity();
  std::string detail;
};

/// The answer without "ok "; throws backend_error with the reason of a "no".
std::string accepted(contender& who, const std::string& request) {
  const std::string answer = who.process.ask(request);
  rp::require<rp::backend_error>(answer.starts_with("ok"), answer.starts_with("no ") ? answer.substr(3) : answer);
  return answer.size() > 3 ? answer.substr(3) : std::string();
}

/// One window; false if the program is no more.
bool time_window(running& r, double window_s, std::map<std::string, std::string>& refused) {
  try {
    r.best_s = std::min(r.best_s, std::stod(accepted(*r.who, rp::concat("run ", window_s))));
    return true;
  } catch (const rp::backend_error& e) {
    refused.try_emplace(r.who->implementation, e.what());
    return false;
  }
}

void drop_slow_settings(std::vector<running>& field) {
  std::map<std::string, double> best_s;
  for (const running& r : field) {
    const auto [at, first] = best_s.emplace(r.who->implementation, r.best_s);
    at->second = std::min(at->second, r.best_s);
  }
  std::erase_if(field, [&](const running& r) { return r.best_s > 1.1 * best_s[r.who->implementation]; });
}

}  // namespace

versus_row compare(std::vector<contender>& contenders, const versus_problem& problem, const versus_options& options) {
  versus_row row;
  row.shape = problem.shape;
  std::vector<running> field;
  for (contender& c : contenders) {
    try {
      std::istringstream in(accepted(c, problem.request));
      running r{.who = &c, .work = 0, .detail = {}};
      in >> r.work >> std::ws;
      std::getline(in, r.detail);
      field.push_back(r);
    } catch (const rp::backend_error& e) {
      row.refused.try_emplace(c.implementation, e.what());
    }
  }

  const auto start = std::chrono::steady_clock::now();
  const auto in_time = [&] { return std::chrono::steady_clock::now() - start < std::chrono::milliseconds(500); };
  for (; !field.empty() && (row.rounds < options.rounds || (row.rounds < 100 && in_time())); ++row.rounds) {
    options.progress(row.rounds);
    std::rotate(field.begin(), field.begin() + 1, field.end());  // nobody always follows the same one
    std::erase_if(field, [&](running& r) { return !time_window(r, options.window_s, row.refused); });
    if (row.rounds == 2) drop_slow_settings(field);
  }

  for (const running& r : field) {
    versus_rate& best = row.rates[r.who->implementation];
    if (const double per_s = r.work / r.best_s; per_s > best.per_s)
      best = {.per_s = per_s, .setting = r.who->setting, .detail = r.detail};
    row.refused.erase(r.who->implementation);
  }
  double best_peer = 0;
  for (const bool ceilings : {false, true})
    for (const auto& [name, rate] : row.rates)
      if (name != options.ours && name.starts_with("ceiling.") == ceilings && rate.per_s > best_peer &&
          (!ceilings || row.best_peer.empty() || row.best_peer.starts_with("ceiling.")))
        best_peer = rate.per_s, row.best_peer = name;
  if (const auto ours = row.rates.find(options.ours); ours != row.rates.end() && best_peer > 0)
    row.ratio = ours->second.per_s / best_peer;
  return row;
}

double geometric_mean(const std::vector<versus_row>& rows) {
  double sum = 0;
  int count = 0;
  for (const versus_row& row : rows)
    if (row.ratio > 0) sum += std::log(row.ratio), ++count;
  return count == 0 ? 0 : std::exp(sum / count);
}

}  // namespace tool

// SPDX-License-Identifier: MIT
#include "bench_rounds.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/random.hpp>

namespace tool {
namespace {

namespace rp = ridgepoint;

/// A contender in the rounds of one problem.
struct running {
  contender* who;
  double work = 0, predicted_cycles = 0, best_s = std::numeric_limits<double>::infinity();
  std::vector<double> losses = {}, windows_s = {};
  std::string detail = {};
};

/// A refusal that the program itself reports.
struct declined : rp::backend_error {
  using rp::backend_error::backend_error;
};

/// Returns the answer without "ok ". Throws: declined with the reason of a "no"; backend_error for anything else.
std::string accepted(contender& who, const std::string& request) {
  const std::string answer = who.process.ask(request);
  if (answer.starts_with("no ")) throw declined(answer.substr(3));
  rp::require<rp::backend_error>(answer == "ok" || answer.starts_with("ok "), "the answer to '", request, "' is '",
                                 answer, "'; must begin with ok or no");
  return answer.size() > 3 ? answer.substr(3) : std::string();
}
/// Throws: backend_error unless the text is a number and nothing else.
double number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  rp::require<rp::backend_error>(!text.empty() && *end == '\0', "an answer has '", text, "'; must be a number");
  return value;
}

/// Returns a contender that has prepared a problem: "<work> <detail>", optionally with "predicted_cycles=<number>" or
/// "losses=<number>,<number>" before the detail.
running prepared(contender& who, const std::string& answer) {
  constexpr std::string_view prediction = "predicted_cycles=", losses = "losses=";
  running r{.who = &who};
  std::istringstream in(answer);
  std::string word;
  in >> word;
  r.work = number_of(word);
  std::getline(in >> std::ws, r.detail);
  word = r.detail.substr(0, r.detail.find(' '));
  if (word.starts_with(prediction)) {
    r.predicted_cycles = number_of(word.substr(prediction.size()));
  } else if (word.starts_with(losses)) {
    std::istringstream list(word.substr(losses.size()));
    for (std::string loss; std::getline(list, loss, ',');) r.losses.push_back(number_of(loss));
  } else {
    return r;
  }
  r.detail.erase(0, word.size() + 1);
  return r;
}

/// Throws: backend_error unless the losses match the problem's.
void check_losses(const std::vector<double>& losses, const bench_problem& problem) {
  const std::vector<double>& wanted = problem.losses;
  rp::require<rp::backend_error>(losses.size() >= wanted.size(), "reports ", losses.size(), " losses; must report ",
                                 wanted.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(wanted.size(), 2); ++i) {
    const double share = i == 0 ? problem.loss_share : 10 * problem.loss_share;
    rp::require<rp::backend_error>(std::abs(losses[i] - wanted[i]) <= share * std::abs(wanted[i]), "the loss of step ",
                                   i + 1, " is ", losses[i], "; must be ", wanted[i], " to ", 100 * share, " %");
  }
}

/// Records why an implementation has no rate.
void refuse(bench_row& row, const std::string& implementation, const rp::backend_error& why) {
  row.refused.try_emplace(implementation, why.what());
  if (dynamic_cast<const declined*>(&why) == nullptr) row.broken.insert(implementation);
}

/// Times one window; false if the program has ended.
bool time_window(running& r, double window_s, bench_row& row) {
  try {
    r.windows_s.push_back(number_of(accepted(*r.who, rp::concat("run ", window_s))));
    r.best_s = std::min(r.best_s, r.windows_s.back());
    return true;
  } catch (const rp::backend_error& e) {
    refuse(row, r.who->implementation, e);
    return false;
  }
}

/// The settings of one implementation on operands of one form, which share a table column.
using column = std::pair<form, std::string>;
column column_of(const running& r) { return {r.who->operands, r.who->implementation}; }

/// Returns true for ours and its variants.
bool is_of(const std::string& ours, const std::string& name) { return name == ours || name.starts_with(ours + '.'); }

/// Removes the contenders without a chance, and returns them.
std::vector<running> drop_hopeless(std::vector<running>& field, const std::string& ours) {
  std::map<column, double> best_s;
  std::map<form, double> best_peer_s;
  const auto keep_least = [](auto& times, const auto& key, double s) {
    const auto [at, first] = times.emplace(key, s);
    at->second = std::min(at->second, s);
  };
  const auto is_ours = [&](const running& r) { return is_of(ours, r.who->implementation); };
  for (const running& r : field) {
    keep_least(best_s, column_of(r), r.best_s);
    if (!is_ours(r)) keep_least(best_peer_s, r.who->operands, r.best_s);
  }
  const auto hopeless = std::stable_partition(field.begin(), field.end(), [&](const running& r) {
    return r.best_s <= 1.1 * best_s[column_of(r)] && (is_ours(r) || r.best_s <= 2 * best_peer_s[r.who->operands]);
  });
  std::vector<running> dropped(hopeless, field.end());
  field.erase(hopeless, field.end());
  return dropped;
}

void shuffle(std::vector<running>& field, rp::random_stream& random) {
  for (std::size_t left = field.size(); left > 1; --left)
    std::swap(field[left - 1], field[random.below(static_cast<std::uint32_t>(left))]);
}

void enter(bench_row& row, const running& r) {
  bench_standing& standing = r.who->operands == form::plain ? row.plain : row.packed;
  bench_rate& best = standing.rates[r.who->implementation];
  if (const double per_s = r.work / r.best_s; per_s > best.per_s)
    best = {.per_s = per_s,
            .setting = r.who->setting,
            .detail = r.detail,
            .predicted_cycles_per_s = r.predicted_cycles / r.best_s,
            .windows_s = r.windows_s,
            .losses = r.losses};
}

}  // namespace

bench_standing compared(std::map<std::string, bench_rate> rates, const std::string& ours) {
  bench_standing standing{.rates = std::move(rates), .best_peer = {}};
  double best = 0;
  for (const bool ceilings : {false, true})
    for (const auto& [name, rate] : standing.rates)
      if (!is_of(ours, name) && name.starts_with("ceiling.") == ceilings && rate.per_s > best &&
          (!ceilings || standing.best_peer.empty() || standing.best_peer.starts_with("ceiling.")))
        best = rate.per_s, standing.best_peer = name;
  if (const auto at = standing.rates.find(ours); at != standing.rates.end() && best > 0)
    standing.ratio = at->second.per_s / best;
  return standing;
}

bench_row compare(std::vector<contender>& contenders, const bench_problem& problem, const bench_options& options) {
  bench_row row;
  row.shape = problem.shape, row.shape_class = problem.shape_class;
  row.multiplications = problem.multiplications;
  row.losses = problem.losses;
  std::vector<running> field;
  for (contender& c : contenders) {
    try {
      running r = prepared(c, accepted(c, problem.request));
      check_losses(r.losses, problem);
      if (problem.work > 0) r.work = problem.work;
      field.push_back(std::move(r));
    } catch (const rp::backend_error& e) {
      refuse(row, c.implementation, e);
    }
  }

  using namespace std::chrono_literals;
  const std::chrono::duration<double> limit(options.limit_s);
  rp::random_stream random(options.seed);
  std::vector<running> resting;  // left out, with their times so far
  const auto start = std::chrono::steady_clock::now();
  const auto goes_on = [&] {
    const auto elapsed = std::chrono::steady_clock::now() - start;
    return row.rounds < options.rounds ? row.rounds < 3 || elapsed < limit
                                       : row.rounds < 50 && elapsed < std::min(options.rounds * 31ms, 250ms);
  };
  for (; !field.empty() && goes_on(); ++row.rounds) {
    options.progress(row.rounds);
    shuffle(field, random);  // so that the order varies
    std::erase_if(field, [&](running& r) { return !time_window(r, options.window_s, row); });
    if (row.rounds == 2) resting = drop_hopeless(field, options.ours);
  }
  field.insert(field.end(), resting.begin(), resting.end());

  for (const running& r : field) {
    enter(row, r);
    row.refused.erase(r.who->implementation);
    row.broken.erase(r.who->implementation);
  }
  if (problem.roof.per_s > 0 && !row.plain.rates.empty()) row.plain.rates["ceiling.roof"] = problem.roof;
  for (bench_standing* standing : {&row.plain, &row.packed}) *standing = compared(standing->rates, options.ours);
  return row;
}

void add_rounds(bench_row& row, const bench_row& more, const std::string& ours) {
  row.rounds += more.rounds;
  row.refused.insert(more.refused.begin(), more.refused.end());
  row.broken.insert(more.broken.begin(), more.broken.end());
  for (const auto form : {&bench_row::plain, &bench_row::packed}) {
    std::map<std::string, bench_rate> rates = (row.*form).rates;
    for (const auto& [name, rate] : (more.*form).rates) {
      bench_rate& kept = rates[name];
      const bench_rate before = kept;
      if (rate.per_s > kept.per_s) kept = rate;
      if (before.setting != rate.setting) continue;
      kept.windows_s = before.windows_s;
      kept.windows_s.insert(kept.windows_s.end(), rate.windows_s.begin(), rate.windows_s.end());
    }
    row.*form = compared(std::move(rates), ours);
  }
  for (const auto& [name, rate] : row.plain.rates) row.refused.erase(name), row.broken.erase(name);
}

double geometric_mean(const std::vector<bench_row>& rows, bench_standing bench_row::*form) {
  double sum = 0;
  int count = 0;
  for (const bench_row& row : rows)
    if (const double ratio = (row.*form).ratio; ratio > 0) sum += std::log(ratio), ++count;
  return count == 0 ? 0 : std::exp(sum / count);
}

}  // namespace tool

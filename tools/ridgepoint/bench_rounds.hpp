// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench_child.hpp"

namespace tool {

/// Plain operands, or B packed once beforehand, outside the timed calls.
enum class form { plain, packed };

/// One implementation with one setting, and its process.
struct contender {
  std::string implementation, setting, about;
  form operands = form::plain;
  bench_child process;
};

/// The best rate of one implementation over its settings and rounds.
struct bench_rate {
  double per_s = 0;  // work per second: FLOP, elements or steps
  std::string setting, detail;
  double predicted_cycles_per_s = 0;   // predicted cycles ÷ measured time; 0: no prediction
  std::vector<double> windows_s = {};  // time of a call in each window of this setting
  std::vector<double> losses = {};     // of the first steps, if compared
};

/// A problem to compare: "64x64x64", the request line for the peers, the class of the shape, and the memory of one
/// implementation.
struct bench_problem {
  std::string shape, request, shape_class = {};
  double multiplications = 0;  // of a product
  bench_rate roof = {};        // from the probed ceilings; 0: not requested
  std::uint64_t operand_bytes = 0;
  double work = 0;  // of a call; 0: as each implementation reports
  /// Expected losses of the first steps. The first loss, of the forward pass alone, must be within this share, the
  /// second within ten times as much.
  std::vector<double> losses = {};
  double loss_share = 1e-3;
};

/// The rates of the implementations for one form of operands.
struct bench_standing {
  std::map<std::string, bench_rate> rates;  // by implementation
  std::string best_peer;                    // empty if missing
  double ratio = 0;                         // ours ÷ best peer; 0 if one is missing
};

/// Compares these rates. An implementation named "ceiling.…" counts as a peer only if there is no other. Names that
/// extend ours, such as "ours.eager", are not peers.
bench_standing compared(std::map<std::string, bench_rate> rates, const std::string& ours);

struct bench_row {
  std::string shape, shape_class;
  double multiplications = 0;
  bench_standing plain, packed;
  std::map<std::string, std::string> refused;  // implementation: why it has no rate
  std::set<std::string> broken;                // implementations that failed without a refusal
  std::vector<double> losses;                  // expected losses
  int rounds = 0;
};

struct bench_options {
  int rounds = 8;
  double window_s = 2e-4;
  double limit_s = 2;      // above it, three rounds are enough
  std::string ours;        // implementation for the ratio
  std::uint64_t seed = 0;  // of the run orders
  std::function<void(int round)> progress = [](int) {};
};

/// Times one problem: in every round each contender runs one window, in a newly drawn order. The rate is that of the
/// best window.
///
/// After three rounds, leaves out contenders without a chance: a setting 10 % slower than another one of its
/// implementation, and a peer that takes twice the time of the best peer. Runs `rounds` rounds or more: short problems
/// get up to 50 in 31 ms for each requested round, up to 0.25 s; problems of more than `limit_s` stop after three. All
/// contenders get the same number.
bench_row compare(std::vector<contender>& contenders, const bench_problem& problem, const bench_options& options);

/// Adds windows of the same problem from another time, as if they belonged to the row.
void add_rounds(bench_row& row, const bench_row& more, const std::string& ours);

/// Returns the geometric mean of the existing ratios; 0 if there are none.
double geometric_mean(const std::vector<bench_row>& rows, bench_standing bench_row::*form = &bench_row::plain);

}  // namespace tool

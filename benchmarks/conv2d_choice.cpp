// SPDX-License-Identifier: MIT
// bench_conv2d_choice [COUNT [SEED]]: random convolutions, each pass by every algorithm that supports it, on one
// thread in alternating order, with a constant filter. Prints the time of the chosen algorithm relative to the
// fastest one, and predicted ÷ measured time of each, scaled to an overall median of 1.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ridgepoint/core/quantile.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/ops/prepare.hpp>

#include "measurement/decimal.hpp"
#include "measurement/peers/convolution_problem.hpp"
#include "measurement/shapes.hpp"

namespace rp = ridgepoint;

namespace {

/// One pass by one algorithm.
struct way {
  std::string algorithm;
  std::function<void()> run;
  double predicted_cycles = 0, best_s = std::numeric_limits<double>::infinity();

  void time() {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    int runs = 0;
    std::chrono::duration<double> passed{};
    do run(), ++runs, passed = clock::now() - start;
    while (passed.count() < 20e-6);
    best_s = std::min(best_s, passed.count() / runs);
  }
};

/// Returns the pass with the planner's algorithm first, then with every other algorithm that supports it.
std::vector<way> ways_of(const rp::cpu& on, peer::convolution_problem& problem) {
  using enum rp::conv_algorithm;
  std::vector<way> ways;
  for (const rp::conv_algorithm choice : {automatic, segments, patches, joined, dots, winograd_2x2, winograd_4x4}) try {
      problem.with_args([&](auto args) {
        if constexpr (requires { args.algorithm; }) {
          args.algorithm = choice;
          const auto call =
              std::make_shared<const rp::prepared<rp::cpu, decltype(args)>>(on, args, problem.constant_filter());
          for (const way& known : ways)
            if (known.algorithm == call->info().algorithm) return;
          ways.push_back({call->info().algorithm, [call] { call->run(); }, call->info().predicted_cycles});
        }
      });
    } catch (const rp::unsupported&) {  // not for this shape
    }
  return ways;
}

/// Comparison results of one pass.
struct outcome {
  std::vector<double> regret;                               // time of the chosen ÷ the fastest
  std::map<std::string, std::vector<double>> cycles_per_s;  // predicted ÷ measured, by algorithm
};

void print(const std::string& pass, const outcome& seen) {
  double logs = 0;
  for (const double r : seen.regret) logs += std::log(r);
  std::printf("%s: %zu shapes; the chosen takes %.3f times the fastest (geometric mean), at most %.2f times\n",
              pass.c_str(), seen.regret.size(), std::exp(logs / static_cast<double>(seen.regret.size())),
              rp::quantile(seen.regret, 1));
  std::vector<double> all;
  for (const auto& [name, values] : seen.cycles_per_s) all.insert(all.end(), values.begin(), values.end());
  const double middle = rp::median(all);
  for (const auto& [name, values] : seen.cycles_per_s)
    std::printf("  %-14s %4zu  predicted / measured time: 10 %% below %.2f, median %.2f, 10 %% above %.2f\n",
                name.c_str(), values.size(), rp::quantile(values, 0.1) / middle, rp::median(values) / middle,
                rp::quantile(values, 0.9) / middle);
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? measurement::decimal<int>(argv[1]).value_or(0) : 100;
  const std::optional<std::uint64_t> seed = argc > 2 ? measurement::decimal<std::uint64_t>(argv[2]) : 1;
  if (count < 1 || !seed || argc > 3) {
    std::fputs("usage: bench_conv2d_choice [COUNT [SEED]]: COUNT must be an integer of 1 or more, SEED of 0 or more\n",
               stderr);
    return 2;
  }
  const rp::cpu on(1);
  for (const std::string pass : {"forward", "backward-data", "backward-weights"}) {
    outcome seen;
    for (std::string line : measurement::random_convolutions(count, *seed)) {
      peer::words problem{"conv2d", "f32", pass};
      for (std::size_t at = line.find(','), next = 0; at != std::string::npos; at = next) {
        next = line.find(',', at + 1);
        problem.push_back(line.substr(at + 1, next - at - 1));
      }
      peer::convolution_problem convolution(problem);
      std::vector<way> ways = ways_of(on, convolution);
      for (int round = 0; round < 10; ++round)
        for (way& each : ways) each.time();
      double least = std::numeric_limits<double>::infinity();
      for (const way& each : ways) {
        least = std::min(least, each.best_s);
        seen.cycles_per_s[each.algorithm].push_back(each.predicted_cycles / each.best_s);
      }
      if (ways.size() > 1) seen.regret.push_back(ways.front().best_s / least);
    }
    print(pass, seen);
  }
}

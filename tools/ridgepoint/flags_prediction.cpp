// SPDX-License-Identifier: MIT
#include "flags_prediction.hpp"

#include <sys/resource.h>

#include <chrono>

#include <ridgepoint/roofline/format.hpp>

#include "progress_bar.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;

/// Returns the peak memory of any finished child process, with its children.
double largest_child_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

/// Returns the time of a round of the base alone.
double round_s(const flags_build& base, flags_rounds_options how) {
  how.least = 1;
  how.most_s = 0;
  std::vector<flags_contender> alone{{.measured = {.set = base.set.name}, .programs = base.programs}};
  auto start = std::chrono::steady_clock::now();
  how.progress = [&](int round, std::size_t) {
    if (round == 1) start = std::chrono::steady_clock::now();
  };
  take_rounds(alone, how);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::string predicted_cost(const std::vector<flags_build>& sets, const flags_source& of,
                           const flags_rounds_options& how) {
  std::vector<flags_build> first{sets.at(0)};
  build_flags(first, of);
  const flags_build& base = first[0];
  rp::require<rp::backend_error>(base.failure.empty(), "flags: the base, ", base.set.name, ": ", base.failure);
  std::string cost;
  if (!base.built_elsewhere) {
    const double at_once = compilers_at_once(), others = static_cast<double>(sets.size() - 1);
    const double bytes = at_once * (base.kept ? 1 << 30 : largest_child_bytes());
    cost = rp::concat(rp::quantity(bytes, "B", 2), " of memory and ", duration_text(others * base.compile_s / at_once),
                      " to build, and ");
  }
  const double runs = static_cast<double>(sets.size() + 1);  // the base runs twice
  const int rounds = how.least > 0 ? how.least : flags_rounds_options::usual_least;
  return rp::concat(cost, duration_text(runs * rounds * round_s(base, how)), " for ", rounds, " rounds");
}

}  // namespace tool

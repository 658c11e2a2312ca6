// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <vector>

#include <ridgepoint/core/parallel.hpp>

#include "map_problem.hpp"

namespace {

using values = std::vector<float>;

/// What an op loads and stores, without what it computes: y ← x for a map; for an optimiser y (its weights) and its
/// states ← themselves and x (the gradient).
/// Compiled so that the loop is not replaced by memcpy(), which may bypass the caches.
struct traffic {
  int states;  // -1: a map
  values x, y, first, second;
  explicit traffic(const peer::map_problem& p)
      : states(peer::state_vectors(p.op)), x(static_cast<std::size_t>(p.size()), 1.0F), y(x.size()) {
    if (states > 0) first = values(x.size());
    if (states > 1) second = values(x.size());
  }
  void move(int threads) {
    constexpr std::size_t part = 16384;
    const auto parts = static_cast<ridgepoint::index_t>((x.size() + part - 1) / part);
    ridgepoint::parallel_for(threads, parts, [&](ridgepoint::index_t p) {
      const std::size_t begin = static_cast<std::size_t>(p) * part, end = std::min(begin + part, x.size());
      const float* __restrict from = x.data();
      float* __restrict to = y.data(), * __restrict a = first.data(), * __restrict b = second.data();
      if (states < 0)
        for (std::size_t i = begin; i < end; ++i) to[i] = from[i];
      else if (states == 0)
        for (std::size_t i = begin; i < end; ++i) to[i] += from[i];
      else if (states == 1)
        for (std::size_t i = begin; i < end; ++i) to[i] += from[i], a[i] += from[i];
      else
        for (std::size_t i = begin; i < end; ++i) to[i] += from[i], a[i] += from[i], b[i] += from[i];
    });
  }
};

}  // namespace

int main(int argc, char** argv) {
  const char* threads_text = std::getenv("OMP_NUM_THREADS");
  const int threads = threads_text == nullptr ? ridgepoint::available_threads() : std::atoi(threads_text);
  const auto prepare = [threads](const peer::words& problem, const std::string&) -> peer::task {
    const peer::map_problem p(problem);
    const auto t = std::make_shared<traffic>(p);
    return {.work = static_cast<double>(p.size()),
            .run = [=] { t->move(threads); },
            .verify =
                [=] {
                  if (t->y != t->x) throw peer::wrong_result("the values did not arrive");
                },
            .detail = t->states < 0 ? "copy" : "weights and states updated by additions"};
  };
  return peer::serve(argc, argv,
                     {.settings = {{"copy"}},
                      .about = [] { return "the op's loads and stores without its arithmetic"; },
                      .prepare = prepare});
}

// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <vector>

#include <ridgepoint/core/parallel.hpp>

#include "map_problem.hpp"

namespace {

using values = std::vector<float>;

/// What an op loads and stores, without what it computes: y ← x for a map; for Adam w, m and v ← themselves and g.
/// Compiled so that the loop is not replaced by memcpy(), which may bypass the caches.
struct traffic {
  values x, y, m, v;
  explicit traffic(const peer::map_problem& p) : x(static_cast<std::size_t>(p.size()), 1.0F), y(x.size()) {
    if (p.op == "adam") m = values(x.size()), v = values(x.size());
  }
  void move(int threads) {
    constexpr std::size_t part = 16384;
    const auto parts = static_cast<ridgepoint::index_t>((x.size() + part - 1) / part);
    ridgepoint::parallel_for(threads, parts, [&](ridgepoint::index_t p) {
      const std::size_t begin = static_cast<std::size_t>(p) * part, end = std::min(begin + part, x.size());
      const float* __restrict from = x.data();
      float* __restrict to = y.data(), * __restrict first = m.data(), * __restrict second = v.data();
      if (m.empty())
        for (std::size_t i = begin; i < end; ++i) to[i] = from[i];
      else
        for (std::size_t i = begin; i < end; ++i) to[i] += from[i], first[i] += from[i], second[i] += from[i];
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
            .detail = p.op == "adam" ? "w, m and v updated by additions" : "copy"};
  };
  return peer::serve(argc, argv,
                     {.settings = {{"copy"}},
                      .about = [] { return "the op's loads and stores without its arithmetic"; },
                      .prepare = prepare});
}

// SPDX-License-Identifier: MIT
#include <cstdlib>

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/core/team.hpp>

#include "map_problem.hpp"

namespace {

/// Loads and stores of an op without its arithmetic: y ← x for a map; for an optimiser y (its weights) and its states
/// ← themselves and x (the gradient).
/// Compiled so that the loop is not replaced by memcpy(), which may bypass the caches.
struct traffic {
  int states;  // -1: a map
  std::size_t size;
  ridgepoint::tensor<float> memory;
  explicit traffic(const peer::map_problem& p)
      : states(peer::state_vectors(p.op)),
        size(static_cast<std::size_t>(p.size())),
        memory({static_cast<ridgepoint::index_t>(4 * stride(size))}) {
    std::fill_n(array(0), size, 1.0F);
  }
  /// Returns x, y or a state. A load waits for a preceding store to the same offset in another page, so each array
  /// begins at a different quarter of a page.
  [[nodiscard]] float* array(std::size_t nth) { return memory.data() + nth * stride(size); }

  void move(int threads) {
    constexpr std::size_t part = 16384;
    const auto parts = static_cast<ridgepoint::index_t>((size + part - 1) / part);
    ridgepoint::parallel_for(threads, parts, [&](ridgepoint::index_t p) {
      const std::size_t begin = static_cast<std::size_t>(p) * part, end = std::min(begin + part, size);
      const float* __restrict from = array(0);
      float* __restrict to = array(1), * __restrict a = array(2), * __restrict b = array(3);
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

 private:
  static constexpr std::size_t page = 4096;
  /// Returns the distance between the starts of two arrays, in elements: whole pages and a quarter.
  static std::size_t stride(std::size_t size) {
    return (size * sizeof(float) / page + 1) * (page / sizeof(float)) + page / sizeof(float) / 4;
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
                  if (!std::equal(t->array(0), t->array(0) + t->size, t->array(1)))
                    throw peer::wrong_result("the values did not arrive");
                },
            .detail = t->states < 0 ? "copy" : "weights and states updated by additions"};
  };
  return peer::serve(argc, argv,
                     {.settings = {{"copy"}},
                      .about = [] { return "the op's loads and stores without its arithmetic"; },
                      .prepare = prepare});
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <atomic>
#include <vector>

#include <ridgepoint/core/parallel.hpp>

namespace rp = ridgepoint;

TEST_CASE("every part runs once, for any number of threads") {
  for (const int threads : {0, 1, 2, 3, 8, 1000})
    for (const rp::index_t parts : {0, 1, 2, 5, 64, 1000}) {
      CAPTURE(threads);
      CAPTURE(parts);
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(parts));
      rp::parallel_for(threads, parts, [&](rp::index_t part) { ++runs[static_cast<std::size_t>(part)]; });
      for (const auto& count : runs) CHECK(count == 1);
    }
  CHECK(rp::available_threads() >= 1);
}

TEST_CASE("parts are dealt to the threads in turn, so that they do not depend on timing") {
#if defined(_OPENMP)
  std::vector<int> thread(12, -1);
  rp::parallel_for(3, 12, [&](rp::index_t part) { thread[static_cast<std::size_t>(part)] = omp_get_thread_num(); });
  for (std::size_t part = 3; part < thread.size(); ++part) CHECK(thread[part] == thread[part - 3]);
#endif
}

TEST_CASE("a call inside a part runs serially") {
  std::vector<std::atomic<int>> runs(64);
  rp::parallel_for(4, 8, [&](rp::index_t outer) {
    int inside = 0;  // no other thread touches it
    rp::parallel_for(4, 8, [&](rp::index_t inner) {
      ++inside;
      ++runs[static_cast<std::size_t>(8 * outer + inner)];
    });
    runs[static_cast<std::size_t>(8 * outer)] += inside - 8;
  });
  for (const auto& count : runs) CHECK(count == 1);
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
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
}

TEST_CASE("concurrent calls from several threads run every part once") {
  std::vector<std::atomic<int>> runs(1000);
  const auto caller = [&] {
    for (int i = 0; i < 200; ++i)
      rp::parallel_for(3, 1000, [&](rp::index_t part) { ++runs[static_cast<std::size_t>(part)]; });
  };
  std::thread other(caller);
  caller();
  other.join();
  for (const auto& count : runs) CHECK(count == 400);
}

TEST_CASE("a nested call runs serially") {
  std::vector<std::atomic<int>> runs(64);
  rp::parallel_for(4, 8, [&](rp::index_t outer) {
    int inside = 0;  // no other thread accesses it
    rp::parallel_for(4, 8, [&](rp::index_t inner) {
      ++inside;
      ++runs[static_cast<std::size_t>(8 * outer + inner)];
    });
    runs[static_cast<std::size_t>(8 * outer)] += inside - 8;
  });
  for (const auto& count : runs) CHECK(count == 1);
}

TEST_CASE("concurrent parts have different workers; worker numbers are below the number of threads and of parts") {
  for (const int threads : {1, 2, 3, 8})
    for (const rp::index_t parts : {1, 2, 5, 400}) {
      CAPTURE(threads);
      CAPTURE(parts);
      std::vector<std::atomic<int>> inside(static_cast<std::size_t>(std::min<rp::index_t>(threads, parts)));
      std::atomic<int> shared = 0, outside = 0;
      rp::parallel_for(threads, parts, [&](rp::index_t, rp::index_t worker) {
        const auto w = static_cast<std::size_t>(worker);
        if (worker < 0 || w >= inside.size()) return static_cast<void>(++outside);
        if (++inside[w] != 1) ++shared;
        for (int i = 0; i < 100; ++i) std::this_thread::yield();
        --inside[w];
      });
      CHECK(shared == 0);
      CHECK(outside == 0);
    }
}

TEST_CASE("an exception of the lowest part reaches the caller, for any number of threads") {
  for (const int threads : {1, 2, 3, 8}) {
    CAPTURE(threads);
    std::vector<std::atomic<int>> runs(40);
    const auto body = [&](rp::index_t part) {
      if (part % 10 == 7) throw std::runtime_error("part " + std::to_string(part));
      ++runs[static_cast<std::size_t>(part)];
    };
    CHECK_THROWS_WITH_AS(rp::parallel_for(threads, 40, body), "part 7", std::runtime_error);
    for (std::size_t part = 0; part < runs.size(); ++part) CHECK(runs[part] <= 1);
    for (std::size_t part = 0; part < 7; ++part) CHECK(runs[part] == 1);
    CHECK_THROWS_AS(rp::parallel_for(threads, 5, [](rp::index_t) { throw std::bad_alloc(); }), std::bad_alloc);
    int again = 0;
    rp::parallel_for(threads, 1, [&](rp::index_t) { ++again; });
    CHECK(again == 1);
  }
}

TEST_CASE("an exception of a nested call reaches the caller") {
  CHECK_THROWS_AS(rp::parallel_for(2, 4,
                                   [](rp::index_t) {
                                     rp::parallel_for(2, 4, [](rp::index_t inner) {
                                       if (inner == 2) throw std::bad_alloc();
                                     });
                                   }),
                  std::bad_alloc);
}

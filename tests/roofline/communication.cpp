// SPDX-License-Identifier: MIT
#include <ridgepoint/roofline/communication.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "support/near.hpp"

namespace rp = ridgepoint;
using enum rp::all_reduce_algorithm;

namespace {

const rp::network_link slow{.name = "slow", .description = "", .latency_s = 1e-3, .bytes_per_s = 1e6, .source = ""};

/// Simulates a ring all-reduce message by message: rank r sends a slice to rank r + 1 once it has received the previous
/// one.
double simulated_ring_s(int ranks, double bytes, const rp::network_link& over) {
  std::vector<double> ready(static_cast<std::size_t>(ranks));  // when a rank has the slice that it sends next
  for (int step = 0; step < 2 * (ranks - 1); ++step) {
    std::vector<double> arrived(ready.size());
    for (std::size_t r = 0; r < ready.size(); ++r)
      arrived[(r + 1) % ready.size()] = ready[r] + over.latency_s + bytes / ranks / over.bytes_per_s;
    ready = arrived;
  }
  return *std::ranges::max_element(ready);
}

/// Simulates recursive halving and doubling among 2^levels ranks.
double simulated_halving_s(int levels, double bytes, const rp::network_link& over) {
  double elapsed_s = 0;
  for (int level = 0; level < levels; ++level) {
    bytes /= 2;
    elapsed_s += 2 * (over.latency_s + bytes / over.bytes_per_s);  // on the way down and on the way up
  }
  return elapsed_s;
}

}  // namespace

TEST_CASE("all_reduce_s is the time of its messages") {
  for (const int ranks : {2, 3, 4, 7, 8}) {
    CAPTURE(ranks);
    CHECK(rp::all_reduce_s(ring, ranks, 1e6, slow) == near(simulated_ring_s(ranks, 1e6, slow)));
  }
  for (const int levels : {1, 2, 3}) {
    CAPTURE(levels);
    CHECK(rp::all_reduce_s(halving, 1 << levels, 1e6, slow) == near(simulated_halving_s(levels, 1e6, slow)));
  }
  CHECK(rp::all_reduce_s(tree, 8, 1e6, slow) == near(6 * (1e-3 + 1)));
  CHECK(rp::all_reduce_s(ring, 8, 100e6, rp::find_link("nvlink2")) == near(14 * 5e-6 + 1.75 * 100e6 / 150e9));
}

TEST_CASE("all_reduce_s of one rank is 0; few bytes take latency, many the link's rate") {
  for (const auto by : {ring, halving, tree}) CHECK(rp::all_reduce_s(by, 1, 1e9, slow) == 0.0);
  CHECK(rp::all_reduce_s(64, 0, slow) == near(12e-3));  // 2 log2 64 messages
  CHECK(rp::bus_bandwidth(64, 1e12, rp::all_reduce_s(64, 1e12, slow)) == near(1e6, 1e-3));
  CHECK(rp::algorithm_bandwidth(1e6, 0.5) == near(2e6));
  for (const double bytes : {0.0, 1.0, 1e3, 1e6})
    for (rp::index_t ranks = 2; ranks < 70; ++ranks)
      CHECK(rp::all_reduce_s(ranks, bytes, slow) <= rp::all_reduce_s(ring, ranks, bytes, slow));
}

TEST_CASE("sums overlap with the backward pass, except for the last one") {
  const rp::data_parallel_step step{.alone_s = 3, .backward_s = 2, .gradient_bytes = 1e6, .bucket_bytes = 0.25e6};
  const rp::data_parallel_times two = rp::times_of(step, 2, slow);
  CHECK(two.sums_s == near(4 * 0.252));
  CHECK(two.exposed_s == near(0.252));  // of 1.008 s, 2 s are available
  CHECK(two.step_s == near(3.252));
  CHECK(two.efficiency() == near(3 / 3.252));
  const rp::data_parallel_times bound =
      rp::times_of({.alone_s = 0.5, .backward_s = 0.3, .gradient_bytes = 1e6, .bucket_bytes = 0.25e6}, 2, slow);
  CHECK(bound.exposed_s == near(4 * 0.252 - 0.3));
  CHECK(rp::times_of(step, 1, slow).step_s == 3.0);
  CHECK(rp::times_of(step, 1, slow).efficiency() == 1.0);
  const rp::data_parallel_times odd =
      rp::times_of({.alone_s = 3, .backward_s = 2, .gradient_bytes = 0.3e6, .bucket_bytes = 0.25e6}, 2, slow);
  CHECK(odd.exposed_s == near(0.052));  // the last sum has 50 kB
}

TEST_CASE("smallest_batch reaches the efficiency, and one sample less does not") {
  const auto efficiency_of = [](rp::index_t batch) {
    const double alone_s = 1e-4 * static_cast<double>(batch);
    return rp::times_of({.alone_s = alone_s, .backward_s = alone_s / 2, .gradient_bytes = 30e6}, 8,
                        rp::find_link("10gbe"))
        .efficiency();
  };
  const rp::index_t batch = rp::smallest_batch(1e-4, 0.5, 30e6, 8, rp::find_link("10gbe"), 0.5);
  CHECK(efficiency_of(batch) >= 0.5);
  CHECK(efficiency_of(batch - 1) < 0.5);
  CHECK(rp::smallest_batch(0, 0.5, 30e6, 8, rp::find_link("10gbe"), 0.5) == 0);  // no time to hide it in
}

TEST_CASE("Amdahl's fraction and the bubble of a pipeline") {
  CHECK(rp::non_parallel_fraction(8, 8) == 0.0);
  CHECK(rp::non_parallel_fraction(8, 1) == near(1));
  CHECK(rp::non_parallel_fraction(8, 4) == near(1.0 / 7));
  CHECK(rp::pipeline_bubble(1, 4) == 0.0);
  CHECK(rp::pipeline_bubble(4, 4) == near(3.0 / 7));
}

TEST_CASE("communication refuses bad input") {
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::all_reduce_s(ring, 0, 1, slow)), "all_reduce: ranks is 0; must be >= 1",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::all_reduce_s(2, -1, slow)),
                       "all_reduce: bytes is -1; must be finite and >= 0", rp::value_error);
  rp::network_link broken = slow;
  broken.bytes_per_s = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::all_reduce_s(2, 1, broken)),
                       "link slow: bytes_per_s is inf; must be finite and > 0", rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::find_link("pcie")), doctest::Contains("pcie3"), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(rp::times_of({.alone_s = 1, .backward_s = 2}, 2, slow)), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(rp::smallest_batch(1, 0.5, 1, 2, slow, 1)), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(rp::non_parallel_fraction(1, 1)), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(rp::pipeline_bubble(0, 1)), rp::value_error);
}

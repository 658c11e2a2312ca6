// SPDX-License-Identifier: MIT
#include "measurement/peers/device_times.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "cuda/fake_case.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;

namespace {

/// Returns the launches and the device's events since reset(), in order: "L" and "E".
std::string launches_and_events() {
  std::string all;
  for (const std::string& call : fake::calls())
    all += call == "cudaLaunchKernel" ? "L" : call == "cudaEventRecord" ? "E" : "";
  return all;
}

}  // namespace

TEST_CASE("cuda: calls with warm caches are timed together between two events, with cold caches separately") {
  const rp::cuda& on = fake_gpu();
  const auto call = [&] { execute(on, rp::gpu_nothing_args{}); };
  const peer::cold_cache cache(on);
  call(), cache.make_cold();
  fake::reset();
  CHECK(peer::warm_s(on, 3, call) == near(0.25));  // the duration of everything on the fake device
  CHECK(launches_and_events() == "ELLLE");
  fake::reset();
  CHECK(peer::cold_s(on, cache, 2, call) == near(0.5));
  CHECK(launches_and_events() == "LELELELE");
}

TEST_CASE("cuda: the buffer that flushes a cache is larger than it, and is fully written") {
  const rp::cuda& on = fake_gpu();
  const peer::cold_cache cache(on);
  const std::size_t bytes = cache.memory().size_bytes();
  CHECK(bytes > 2 * on.described().l2_bytes);
  std::vector<std::uint32_t> words(bytes / 4, 7);
  on.upload(cache.memory().data(), words.data(), bytes);
  cache.make_cold();
  on.download(words.data(), cache.memory().data(), bytes);
  CHECK(std::find(words.begin(), words.end(), 7U) == words.end());
}

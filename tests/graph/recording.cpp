// SPDX-License-Identifier: MIT
// A backend that records calls, like CUDA graphs, replays a recorded step.
#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/reference/all.hpp>

#include "taped.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;

namespace {

/// Measures with its own clock.
struct with_events : rp::reference_backend {
  template <class Body>
  [[nodiscard]] double elapsed_s(Body&& body) const {
    body();
    return 0.25;
  }
};

}  // namespace

static_assert(rp::records<taped::backend> && !rp::records<rp::reference_backend>);

TEST_CASE("a step is recorded once, then replayed, with bitwise the same results") {
  const taped::backend on;
  auto recorded = toy::trainer<float>(on);
  auto plain = toy::trainer<float>(rp::reference);
  const auto calls = static_cast<int>(recorded.plan().calls.size());
  const rp::index_t size = 32;
  std::vector<float> x(size * 6);
  std::vector<std::int32_t> labels(size);
  std::vector<rp::index_t> rows(size);
  for (int step = 1; step <= 3; ++step) {
    for (rp::index_t i = 0; i < size; ++i) rows[static_cast<std::size_t>(i)] = step * size + i;
    toy::corners().gather(rows, x.data(), labels.data());
    CHECK(recorded.step(x, labels) == plain.step(x, labels));
    CHECK(on.seen->recorded == calls);
    CHECK(on.seen->replayed == step * calls);
  }
  CHECK(on.seen->direct == 0);
  CHECK(recorded.parameter("dense_1.w")[5] == plain.parameter("dense_1.w")[5]);
}

TEST_CASE("rows of a profile are timed by the backend if it has its own clock") {
  auto trainer = toy::trainer<float>(with_events{});
  const rp::profile p = trainer.profile(toy::corners(), 2);
  for (const rp::profile_row& row : p.rows) CHECK(row.elapsed_s == 0.25);
  CHECK(p.step_s == 0.25);
}

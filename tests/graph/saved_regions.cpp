// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/saved_regions.hpp>
#include <ridgepoint/reference/all.hpp>

#include "toy.hpp"

namespace rp = ridgepoint;

TEST_CASE("the named regions are restored as last saved; others stay unchanged") {
  auto trainer = toy::trainer<float>(rp::reference, 4);
  const std::vector<float> x(24, 0.5F);
  const std::vector<std::int32_t> labels(4, 1);
  const auto values = [&](const char* name) {
    const auto w = trainer.parameter(name);
    return std::vector<float>(w.values().begin(), w.values().end());
  };
  rp::saved_regions<rp::reference_backend> before(trainer.learning().program(), {rp::memory_region::parameters});
  const auto start = values("dense_1.w");
  trainer.step(x, labels);
  const auto after_one = values("dense_1.w");
  CHECK(after_one != start);
  before.restore();
  CHECK(values("dense_1.w") == start);
  CHECK(trainer.steps_done() == 1);
  trainer.step(x, labels);
  const auto later = values("dense_1.w");
  CHECK(later != after_one);  // the moments were not saved
  before.save();
  trainer.step(x, labels);
  before.restore();
  CHECK(values("dense_1.w") == later);
}

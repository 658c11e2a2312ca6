// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/image_datasets.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace rp = ridgepoint;

TEST_CASE("samples are their own targets") {
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  const rp::memory_dataset images(x, std::vector<std::int32_t>{0, 1, 0}, {2, 1, 1}, 2);
  const rp::own_targets data(images);
  CHECK(data.size() == 3);
  CHECK(data.sample_shape() == rp::shape{2, 1, 1});
  CHECK(data.target_shape() == rp::shape{2, 1, 1});
  CHECK(data.classes() == 0);
  CHECK(data.stays_the_same());
  const std::vector<rp::index_t> rows{2, 0};
  std::vector<float> samples(4), targets(4);
  data.gather(rows, samples.data(), targets.data());
  CHECK(samples == std::vector<float>{5, 6, 1, 2});
  CHECK(targets == samples);
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>

#include <ridgepoint/data/image_datasets.hpp>
#include <ridgepoint/graph/dataset.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;

TEST_CASE("each image has mean 0 and deviation 1; a plain image becomes 0") {
  std::vector<float> bytes;
  for (int i = 0; i < 48; ++i) bytes.push_back(static_cast<float>((37 * i) % 256) / 255.0F);
  for (int i = 0; i < 48; ++i) bytes.push_back(i % 2 == 0 ? 0.25F : 0.5F);
  bytes.insert(bytes.end(), 48, 0.75F);
  const rp::memory_dataset images(bytes, std::vector<std::int32_t>{1, 0, 1}, {4, 4, 3}, 2);
  const rp::standardised_images data(images);
  CHECK(data.size() == 3);
  CHECK(data.sample_shape() == rp::shape{4, 4, 3});
  CHECK(data.classes() == 2);
  CHECK(data.stays_the_same());
  const std::vector<rp::index_t> rows{2, 0, 1};
  std::vector<float> x(3 * 48);
  std::vector<std::int32_t> labels(3);
  data.gather(rows, x.data(), labels.data());
  CHECK(labels == std::vector<std::int32_t>{1, 1, 0});
  for (std::size_t i = 0; i < 48; ++i) CHECK(x[i] == 0);
  double sum = 0, squares = 0;
  for (std::size_t i = 48; i < 96; ++i) {
    sum += x[i];
    squares += static_cast<double>(x[i]) * x[i];
  }
  CHECK(std::abs(sum) < 48 * 1e-6);
  CHECK(squares == near(48, 1e-6));
  for (std::size_t i = 96; i < 144; ++i) CHECK(x[i] == (i % 2 == 0 ? -1.0F : 1.0F));
}

TEST_CASE("a deviation below that of a byte's last bit counts as noise, as in TensorFlow") {
  std::vector<float> x(4, 0.5F);
  x[0] += 0x1p-20F;
  const rp::memory_dataset image(x, std::vector<std::int32_t>{0}, {2, 2, 1}, 1);
  const rp::index_t row = 0;
  std::int32_t label = 0;
  rp::standardised_images(image).gather({&row, 1}, x.data(), &label);
  CHECK(x[0] == near(0x1p-20 * 0.75 * 255 * 2, 1e-5));
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <numeric>

#include <ridgepoint/data/image_datasets.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace rp = ridgepoint;

namespace {

/// Returns `count` images of 5 × 4 pixels and 2 channels: pixel (y, x) of image i is 100·i + 10·y + x and its negative.
rp::memory_dataset<std::int32_t> grid_images(int count) {
  std::vector<float> x;
  std::vector<std::int32_t> labels;
  for (int i = 0; i < count; ++i) {
    labels.push_back(i % 3);
    for (int row = 0; row < 5; ++row)
      for (int column = 0; column < 4; ++column)
        for (const int sign : {1, -1}) x.push_back(static_cast<float>(sign * (100 * i + 10 * row + column)));
  }
  return rp::memory_dataset(x, labels, {5, 4, 2}, 3);
}
std::vector<float> taken(const rp::dataset& from, const std::vector<rp::index_t>& rows) {
  std::vector<float> x(rows.size() * 40);
  std::vector<std::int32_t> labels(rows.size());
  from.gather(rows, x.data(), labels.data());
  for (std::size_t i = 0; i < rows.size(); ++i) CHECK(labels[i] == rows[i] % 3);
  return x;
}
std::vector<rp::index_t> rows_to(rp::index_t count) {
  std::vector<rp::index_t> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), rp::index_t{0});
  return rows;
}

}  // namespace

TEST_CASE("an augmented image is a shift and mirror of its original, and every combination occurs") {
  const auto original = grid_images(400);
  const rp::augmented_images moved(original, {.shift = 0.45});  // 2 of 5 rows, 1 of 4 columns
  CHECK(moved.size() == 400);
  CHECK(moved.sample_shape() == rp::shape{5, 4, 2});
  CHECK(moved.classes() == 3);
  const std::vector<float> x = taken(moved, rows_to(400));
  std::vector<int> seen(5 * 3 * 2);
  for (int i = 0; i < 400; ++i) {
    int matches = 0;
    for (int down = -2; down <= 2; ++down)
      for (int right = -1; right <= 1; ++right)
        for (const int mirrored : {0, 1}) {
          bool same = true;
          for (int row = 0; row < 5; ++row)
            for (int column = 0; column < 4; ++column) {
              const int from_row = std::clamp(row - down, 0, 4),
                        from_column = std::clamp((mirrored == 0 ? column : 3 - column) - right, 0, 3);
              const auto want = static_cast<float>(100 * i + 10 * from_row + from_column);
              const std::size_t at = static_cast<std::size_t>((i * 5 + row) * 4 + column) * 2;
              same = same && x[at] == want && x[at + 1] == -want;
            }
          if (!same) continue;
          ++matches;
          ++seen[static_cast<std::size_t>(((down + 2) * 3 + right + 1) * 2 + mirrored)];
        }
    CHECK(matches == 1);
  }
  for (const int count : seen) CHECK(count > 0);  // 13 expected
}

TEST_CASE("augmentation depends on seed, epoch and row only") {
  const auto original = grid_images(50);
  const rp::augmented_images a(original, {.shift = 0.3, .seed = 1}), b(original, {.shift = 0.3, .seed = 1}),
      c(original, {.shift = 0.3, .seed = 2});
  const std::vector<float> first = taken(a, rows_to(50));
  CHECK(taken(a, rows_to(50)) == first);
  CHECK(taken(c, rows_to(50)) != first);
  a.begin_epoch(1);
  CHECK(taken(a, rows_to(50)) != first);
  b.begin_epoch(7);
  b.begin_epoch(1);
  CHECK(taken(b, {49, 7}) == [&] {
    std::vector<float> x = taken(a, {49}), y = taken(a, {7});
    x.insert(x.end(), y.begin(), y.end());
    return x;
  }());
}

TEST_CASE("without shift and mirror the image is the original; a mirror alone is exact") {
  const auto original = grid_images(9);
  const std::vector<float> x = taken(original, rows_to(9));
  CHECK(taken(rp::augmented_images(original, {.shift = 0, .mirrored = 0}), rows_to(9)) == x);
  const std::vector<float> mirrored = taken(rp::augmented_images(original, {.shift = 0, .mirrored = 1}), rows_to(9));
  for (std::size_t row = 0; row < 9 * 5; ++row)
    for (std::size_t column = 0; column < 4; ++column)
      for (std::size_t c = 0; c < 2; ++c)
        CHECK(mirrored[(row * 4 + column) * 2 + c] == x[(row * 4 + 3 - column) * 2 + c]);
}

TEST_CASE("invalid augmentations are refused") {
  const auto original = grid_images(1);
  const rp::memory_dataset flat(std::vector<float>(4), std::vector<std::int32_t>{0}, {4}, 1);
  CHECK_THROWS_WITH_AS(rp::augmented_images{flat}, "augmented_images: a sample is 4; must be height x width x channels",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS((rp::augmented_images{original, {.shift = 1}}),
                       "augmented_images: shift is 1; must be >= 0 and < 1", rp::value_error);
  CHECK_THROWS_AS((rp::augmented_images{original, {.mirrored = -0.5}}), rp::value_error);
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/labelled_images.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {

struct two_files {
  temporary_directory there;
  two_files(const rp::shape& images, const std::vector<std::uint8_t>& labels) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(images.size()));
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i);
    rp::write_idx(there / "images", images, pixels);
    rp::write_idx(there / "labels", {static_cast<rp::index_t>(labels.size())}, labels);
  }
  rp::labelled_images load(int classes = 10) const { return {there / "images", there / "labels", classes}; }
};

}  // namespace

TEST_CASE("samples are gathered in any order, as pixel / 255") {
  const rp::labelled_images images = two_files({128, 1, 2}, std::vector<std::uint8_t>(128, 9)).load();
  CHECK(images.size() == 128);
  CHECK(images.sample_shape() == rp::shape{1, 2, 1});
  CHECK(images.classes() == 10);
  CHECK(images.stays_the_same());
  const std::vector<rp::index_t> rows{127, 0, 64, 64};
  std::vector<float> x(8, -1.0F);
  std::vector<std::int32_t> labels(4, -1);
  images.gather(rows, x.data(), labels.data());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t pixel = 0; pixel < 2; ++pixel)
      CHECK(x[2 * i + pixel] == static_cast<float>(2 * rows[i] + static_cast<int>(pixel)) / 255.0F);
  CHECK(x[1] == 1.0F);
  CHECK(labels == std::vector<std::int32_t>(4, 9));
  CHECK(images.image(127)[1] == 255);
  images.gather({}, nullptr, nullptr);  // no rows: writes nothing
}

TEST_CASE("images in memory are taken as they are, with the same checks") {
  const rp::labelled_images images({{2, 1, 2}, {0, 51, 102, 255}}, {{2}, {3, 1}}, 4, "here", "there");
  const std::vector<rp::index_t> rows{1, 0};
  std::vector<float> x(4);
  std::vector<std::int32_t> labels(2);
  images.gather(rows, x.data(), labels.data());
  CHECK(x == std::vector<float>{102 / 255.0F, 1, 0, 51 / 255.0F});
  CHECK(labels == std::vector<std::int32_t>{1, 3});
  CHECK_THROWS_WITH_AS(rp::labelled_images({{1, 1, 1}, {0}}, {{1}, {4}}, 4, "here", "there"),
                       "there: label 0 is 4; must be 0 to 3", rp::data_error);
}

TEST_CASE("images and labels must match") {
  CHECK_THROWS_WITH_AS(two_files({3, 2, 2}, {0, 1}).load(), doctest::Contains("has 2 labels; must be equal"),
                       rp::data_error);
  CHECK_THROWS_WITH_AS(two_files({2, 2, 2}, {0, 10}).load(), doctest::Contains("labels: label 1 is 10; must be 0 to 9"),
                       rp::data_error);
  CHECK_THROWS_WITH_AS(two_files({2, 2, 2}, {2, 0}).load(2), doctest::Contains("label 0 is 2; must be 0 to 1"),
                       rp::data_error);
  CHECK_THROWS_WITH_AS(two_files({0, 2, 2}, {}).load(), doctest::Contains("holds 0x2x2 pixels; must have at least one"),
                       rp::data_error);
  CHECK_THROWS_WITH_AS(two_files({2, 0, 2}, {0, 0}).load(), doctest::Contains("holds 2x0x2 pixels"), rp::data_error);
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/embryos.hpp>
#include <support/png.hpp>
#include <support/random_image.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {
std::string png_file(const rp::grey_image& image) {
  std::string rows;
  for (auto row = image.pixels.begin(); row != image.pixels.end(); row += image.width) {
    rows += '\0';  // no filter
    rows.append(row, row + image.width);
  }
  return png::file(
      {.width = static_cast<std::uint32_t>(image.width), .height = static_cast<std::uint32_t>(image.height)}, rows);
}
/// Tree of images of 24 × 24 of embryos 4 and 5 with one to four cells.
struct tree_of_images {
  static constexpr rp::embryo_options options{.pixels = 24, .clipped = 16, .side = 4, .angles = 20};
  temporary_directory there;

  tree_of_images() {
    for (int cells = 1; cells <= 4; ++cells) {
      std::filesystem::create_directory(there / std::to_string(cells));
      for (const int embryo : {4, 5}) write_bytes(file(cells, embryo), png_file(image(cells, embryo)));
    }
  }
  [[nodiscard]] std::string file(int cells, int embryo) const {
    return there / std::to_string(cells) / ("E" + std::to_string(embryo) + ".png");
  }
  [[nodiscard]] static rp::grey_image image(int cells, int embryo) {
    return random_image(24, 24, static_cast<std::uint64_t>(10 * cells + embryo));
  }
  void refused(const char* because) const {
    CHECK_THROWS_WITH_AS(static_cast<void>(rp::embryos(there.path(), options)), doctest::Contains(because),
                         rp::data_error);
  }
};
}  // namespace

TEST_CASE("training images are rotated to twenty angles; every fifth embryo is for testing, upright") {
  const tree_of_images tree;
  rp::index_t calls = 0;
  const rp::embryo_data data = rp::embryos(tree.there.path(), tree.options, [&](rp::index_t done, rp::index_t total) {
    CHECK(done == ++calls);
    CHECK(total == 8);
  });
  CHECK(calls == 8);
  CHECK(data.train.size() == 4 * 20);
  CHECK(data.test.size() == 4);
  CHECK(data.train.sample_shape() == rp::shape{4, 4, 1});
  CHECK(data.test.classes() == 4);
  CHECK(data.read_s > 0);
  CHECK(data.preprocess_s > 0);
  std::array<float, 16> x{};
  std::int32_t label = -1;
  for (rp::index_t row = 0; row < data.train.size(); ++row) {
    data.train.gather({&row, 1}, x.data(), &label);
    CHECK(label == row / 20);
  }
  for (int cells = 1; cells <= 4; ++cells) {
    const auto prepared = [&](int embryo, int angle) {
      return rp::resize_image(
                 rp::rotate_image(
                     rp::invert_shadows(rp::equalise_histogram(rp::clip_centre(tree.image(cells, embryo), 16))),
                     18.0 * angle),
                 4, 4)
          .pixels;
    };
    const auto is = [](std::span<const std::uint8_t> sample, const std::vector<std::uint8_t>& wanted) {
      return std::equal(sample.begin(), sample.end(), wanted.begin(), wanted.end());
    };
    CHECK(is(data.test.image(cells - 1), prepared(5, 0)));
    for (const int angle : {0, 1, 7, 19}) CHECK(is(data.train.image(20 * (cells - 1) + angle), prepared(4, angle)));
  }
}

TEST_CASE("prepared images do not depend on the number of threads") {
  const tree_of_images tree;
  const auto all = [&](int threads) {
    rp::embryo_options options = tree.options;
    options.threads = threads;
    const rp::embryo_data data = rp::embryos(tree.there.path(), options);
    std::vector<std::uint8_t> bytes;
    for (rp::index_t row = 0; row < data.train.size(); ++row)
      bytes.insert(bytes.end(), data.train.image(row).begin(), data.train.image(row).end());
    return bytes;
  };
  CHECK(all(1) == all(5));
}

TEST_CASE("an image of another size, or a file that is not an image, is refused by name") {
  const tree_of_images tree;
  write_bytes(tree.file(3, 4), png_file(random_image(24, 23)));
  tree.refused("3/E4.png: is 24 x 23 pixels; must be 24 x 24");
  write_bytes(tree.file(3, 4), png_file(random_image(25, 24)));
  tree.refused("3/E4.png: is 25 x 24 pixels; must be at most 24 x 24");
  write_bytes(tree.file(3, 4), read_bytes(tree.file(3, 5)).substr(0, 200));
  tree.refused("3/E4.png: cut off, corrupt or no PNG file");
}

TEST_CASE("there must be embryos for training and for testing") {
  tree_of_images tree;
  for (int cells = 1; cells <= 4; ++cells) std::filesystem::remove(tree.file(cells, 5));
  tree.refused("has 80 training images and 0 test images; must have both");
  for (int cells = 1; cells <= 4; ++cells) std::filesystem::rename(tree.file(cells, 4), tree.file(cells, 10));
  tree.refused("has 0 training images and 4 test images; must have both");
}

TEST_CASE("invalid options are refused") {
  const tree_of_images tree;
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::embryos(tree.there.path(), {.angles = 0})),
                       "embryos: 480 pixels, 64 of a sample, 0 angles; must be >= 1 each", rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(rp::embryos(tree.there.path(), {.pixels = 24})), rp::shape_error);  // clips 320
}

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

TEST_CASE("test images are rotated like training images on request") {
  const tree_of_images tree;
  rp::embryo_options options = tree.options;
  options.test_angles = 20;
  const rp::embryo_data rotated = rp::embryos(tree.there.path(), options);
  REQUIRE(rotated.test.size() == 4 * 20);
  CHECK(rotated.train.size() == 4 * 20);
  // The same images, had they been for training.
  for (int cells = 1; cells <= 4; ++cells) {
    std::filesystem::copy_file(tree.file(cells, 5), tree.file(cells, 6));
    std::filesystem::remove(tree.file(cells, 4));
  }
  const rp::embryo_data trained = rp::embryos(tree.there.path(), options);
  REQUIRE(trained.train.size() == 4 * 20);
  for (rp::index_t row = 0; row < rotated.test.size(); ++row)
    CHECK(std::ranges::equal(rotated.test.image(row), trained.train.image(row)));
}

TEST_CASE("classes are balanced to the same number of images, a fifth for testing, evenly spaced") {
  std::vector<rp::embryo_file> files;
  for (int cells = 1; cells <= 4; ++cells)
    for (rp::index_t embryo = 1; embryo <= 50 * cells; ++embryo)
      files.push_back({rp::concat(cells, "/E", embryo, ".png"), cells, embryo});
  for (const rp::index_t each : {5, 18, 50}) {
    const std::vector<rp::embryo_file> kept = rp::balanced(files, each);
    CHECK(kept.size() == static_cast<std::size_t>(4 * each));
    for (int cells = 1; cells <= 4; ++cells) {
      rp::index_t count = 0, tests = 0, last = 0, widest = 0;
      for (const rp::embryo_file& file : kept) {
        if (file.cells != cells) continue;
        CHECK(file.embryo > last);  // in order, none twice
        widest = (std::max)(widest, file.embryo - last);
        last = file.embryo, ++count;
        tests += file.is_test() ? 1 : 0;
      }
      CHECK(count == each);
      CHECK(tests == each / 5);
      CHECK(last == 50 * cells);
      CHECK(widest <= 2 * 50 * cells / (each - each / 5));
    }
  }
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::balanced(files, 51)),
                       "embryos: class 1 has 40 training images; must have 41 for 51 images of each class",
                       rp::data_error);
  std::erase_if(files, [](const auto& file) { return file.cells == 3 && file.is_test() && file.embryo > 20; });
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::balanced(files, 25)),
                       "embryos: class 3 has 4 test images; must have 5 for 25 images of each class", rp::data_error);
  files.push_back({});
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::balanced(files, 5)), "embryos: a file has 0 cells; must be 1 to 4",
                       rp::value_error);
}

TEST_CASE("balanced classes reach the data; too few images are refused") {
  const tree_of_images tree;
  for (int cells = 1; cells <= 4; ++cells)
    for (const int embryo : {6, 7, 8, 9, 11, 12})
      if (embryo < 9 || cells == 2) write_bytes(tree.file(cells, embryo), png_file(tree.image(cells, embryo)));
  rp::embryo_options options = tree.options;
  options.per_class = 5;
  const rp::embryo_data data = rp::embryos(tree.there.path(), options);
  CHECK(data.train.size() == 4 * 4 * 20);
  CHECK(data.test.size() == 4);
  options.per_class = 6;
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::embryos(tree.there.path(), options)),
                       "embryos: class 1 has 4 training images; must have 5 for 6 images of each class",
                       rp::data_error);
}

TEST_CASE("the stages of an image are its central square, equalised, without shadows, and the rotated sample") {
  const tree_of_images tree;
  const rp::grey_image image = tree.image(3, 4);
  const std::array<rp::grey_image, 4> stages = rp::embryo_stages(image, tree.options);
  CHECK(stages[0] == rp::clip_centre(image, 16));
  CHECK(stages[1] == rp::equalise_histogram(stages[0]));
  CHECK(stages[2] == rp::without_shadows(image, tree.options));
  const rp::embryo_data data = rp::embryos(tree.there.path(), tree.options);
  CHECK(std::ranges::equal(data.train.image(2 * 20 + 1), stages[3].pixels));  // 18° of the third class
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
                       "embryos: 480 pixels, 64 of a sample, 0 angles, 1 of test images; must be >= 1 each",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::embryos(tree.there.path(), {.test_angles = 0})),
                       doctest::Contains("20 angles, 0 of test images"), rp::value_error);
  for (const rp::index_t each : {-1, 1, 4})
    CHECK_THROWS_WITH_AS(static_cast<void>(rp::embryos(tree.there.path(), {.per_class = each})),
                         doctest::Contains("images of each class; must be >= 5"), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(rp::embryos(tree.there.path(), {.pixels = 24})), rp::shape_error);  // clips 320
}

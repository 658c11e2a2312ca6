// SPDX-License-Identifier: MIT
#include "measurement/synthetic/embryos.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <ridgepoint/data/embryos.hpp>
#include <support/fnv.hpp>
#include <support/linear_softmax.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {
rp::grey_image drawn_embryo(int cells, std::uint64_t embryo, std::uint64_t image) {
  return synthetic::embryo_painter(rp::random_stream(42, embryo)).draw(cells, rp::random_stream(43, image));
}
/// Returns whether the embryo with its shell is inside study C's centre crop: outside is at most dirt.
double shade_outside(const rp::grey_image& image) {
  double sum = 0, count = 0;
  for (rp::index_t y = 0; y < image.height; ++y)
    for (rp::index_t x = 0; x < image.width; ++x)
      if (y < 80 || y >= 400 || x < 80 || x >= 400) sum += std::abs(image.at(y, x) - 128), ++count;
  return sum / count;
}
}  // namespace

TEST_CASE("an embryo has the same bytes on every machine") {
  std::vector<std::uint8_t> all;
  for (int cells = 1; cells <= 4; ++cells)
    for (std::uint64_t embryo = 0; embryo < 3; ++embryo) {
      const auto image = drawn_embryo(cells, embryo, embryo + 10);
      CHECK(image.height == 480);
      CHECK(image.width == 480);
      all.insert(all.end(), image.pixels.begin(), image.pixels.end());
    }
  CHECK(fnv(all) == 1214402250175384776ULL);
}

TEST_CASE("images of an embryo do not depend on earlier ones") {
  synthetic::embryo_painter painter(rp::random_stream(42, 3));
  static_cast<void>(painter.draw(4, rp::random_stream(43, 1)));
  CHECK(painter.draw(2, rp::random_stream(43, 9)) == drawn_embryo(2, 3, 9));
  CHECK(drawn_embryo(2, 3, 9) != drawn_embryo(2, 3, 10));
  CHECK(drawn_embryo(2, 3, 9) != drawn_embryo(2, 4, 9));
}

TEST_CASE("an embryo is centred, equally bright and dark; its number of cells changes the pattern, not the contrast") {
  std::array<double, 4> steepness{};
  for (int cells = 1; cells <= 4; ++cells)
    for (std::uint64_t image = 0; image < 25; ++image) {
      const auto drawn = drawn_embryo(cells, image / 5, image);
      CHECK(shade_outside(drawn) < 14);
      double sum = 0, distance = 0;
      for (const int grey : drawn.pixels) sum += grey - 128, distance += std::abs(grey - 128);
      CHECK(std::abs(sum) / (480 * 480) < 6);
      steepness[static_cast<std::size_t>(cells - 1)] += distance / 25 / (480 * 480);
    }
  MESSAGE("mean distance from grey: ", steepness[0], " ", steepness[1], " ", steepness[2], " ", steepness[3]);
  const auto [least, most] = std::minmax_element(steepness.begin(), steepness.end());
  CHECK(*most < 1.5 * *least);
  CHECK(*least > 4);
}

TEST_CASE("synthetic embryos are a tree of PNG files, all classes equally often, the same for the same seed") {
  const temporary_directory a, b;
  synthetic::write_embryos(a.path(), {.seed = 7, .embryos = 6, .images = 4});
  synthetic::write_embryos(b.path(), {.seed = 7, .embryos = 7, .images = 5});
  const auto files = rp::embryo_files(a.path());
  CHECK(files.size() == 24);
  for (int cells = 1; cells <= 4; ++cells)
    CHECK(std::count_if(files.begin(), files.end(), [=](const auto& file) { return file.cells == cells; }) == 6);
  for (const auto& file : files)  // only the number differs
    CHECK(rp::read_png(file.path) == rp::read_png(b / file.path.substr(a.path().string().size() + 1)));
  CHECK(a.entries() == 5);  // including the note
  synthetic::embryo_painter second(rp::random_stream(7, (std::uint64_t{1} << 62) + 1));
  CHECK(rp::read_png(a / "4/E001_F002.png") == second.draw(4, rp::random_stream(7, (std::uint64_t{1} << 32) + 2)));
  const rp::embryo_data data = rp::embryos(a.path());
  CHECK(data.train.size() == 4 * 4 * 20);
  CHECK(data.test.size() == 2 * 4);
  CHECK(data.train.sample_shape() == rp::shape{64, 64, 1});
}

TEST_CASE("existing embryos are not drawn again; another seed redraws them; a user's files are left alone") {
  const temporary_directory there;
  int calls = 0;
  const auto count_calls = [&](rp::index_t done, rp::index_t total) {
    CHECK(done <= total);
    ++calls;
  };
  const std::string tree = there / "embryos", one = tree + "/1/E000_F000.png";
  synthetic::write_embryos(tree, {.embryos = 6, .images = 4}, count_calls);
  CHECK(calls == 6);
  const std::string before = read_bytes(one);
  synthetic::write_embryos(tree, {.embryos = 6, .images = 4}, count_calls);
  CHECK(calls == 6);
  std::filesystem::remove(one);
  synthetic::write_embryos(tree, {.embryos = 6, .images = 4});
  CHECK(read_bytes(one) == before);
  synthetic::write_embryos(tree, {.seed = 1, .embryos = 6, .images = 4});
  CHECK(read_bytes(one) != before);

  write_bytes(tree + "/3/mine.png", "mine");
  CHECK_THROWS_WITH_AS(
      synthetic::write_embryos(tree, {.embryos = 6, .images = 4}),
      doctest::Contains("holds data files of another origin; must be empty, or hold synthetic embryos"),
      rp::data_error);
  CHECK(read_bytes(tree + "/3/mine.png") == "mine");
  CHECK_THROWS_WITH_AS(synthetic::write_embryos(there / "few", {.embryos = 5}),
                       "synthetic embryos: 5 embryos of 30 images; must be >= 6 and >= 4", rp::value_error);
  CHECK(there.entries() == 1);
}

TEST_SUITE("slow") {
  TEST_CASE("the synthetic embryos are not linearly separable: a linear softmax gets at most 60 % right") {
    const temporary_directory there;
    synthetic::write_embryos(there.path(), {.embryos = 100, .images = 12});
    const rp::embryo_data data = rp::embryos(there.path());
    linear_softmax model(data.train, 0.22F, 1e-3F);
    model.learn(data.train, 5);
    const double seen = model.accuracy(data.train, data.train.size()),
                 unseen = model.accuracy(data.test, data.test.size());
    MESSAGE("a linear softmax gets ", 100 * seen, " % of training images right, ", 100 * unseen, " % of test images");
    CHECK(seen > 0.3);
    CHECK(unseen < 0.6);
  }
}

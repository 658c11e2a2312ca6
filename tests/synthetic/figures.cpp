// SPDX-License-Identifier: MIT
#include "measurement/synthetic/figures.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <ridgepoint/data/cifar.hpp>
#include <support/fnv.hpp>
#include <support/linear_softmax.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {
std::vector<std::uint8_t> drawn_figure(int figure, std::uint64_t stream) {
  std::vector<std::uint8_t> pixels(3072);
  synthetic::figure_painter(rp::random_stream(42, stream)).draw(figure, pixels);
  return pixels;
}
rp::cifar_images read_figures(const std::string& path) {
  rp::cifar_images images;
  rp::read_cifar(path, rp::cifar10_format, images);
  return images;
}
}  // namespace

TEST_CASE("a figure has the same bytes on every machine") {
  std::vector<std::uint8_t> all;
  for (int figure = 0; figure < 10; ++figure)
    for (std::uint64_t stream = 0; stream < 20; ++stream) {
      const auto image = drawn_figure(figure, stream);
      all.insert(all.end(), image.begin(), image.end());
    }
  CHECK(fnv(all) == 5173745184258604240ULL);
}

TEST_CASE("figures of one seed cover different pixels, and a fair part of the image") {
  for (std::uint64_t stream = 0; stream < 20; ++stream)
    for (int a = 0; a < 10; ++a)
      for (int b = 0; b < a; ++b) {
        const auto one = drawn_figure(a, stream), other = drawn_figure(b, stream);
        int differ = 0;
        for (std::size_t i = 0; i < one.size(); ++i) differ += std::abs(one[i] - other[i]) > 40 ? 1 : 0;
        CHECK(differ > 20);
      }
}

TEST_CASE("synthetic images are the six files of CIFAR-10, the same for the same seed") {
  const temporary_directory a, b, c;
  synthetic::write_figures(a.path(), {.seed = 7, .train = 703, .test = 90});
  synthetic::write_figures(b.path(), {.seed = 7, .train = 500, .test = 90});
  synthetic::write_figures(c.path(), {.seed = 8, .train = 500, .test = 90});
  CHECK(a.entries() == 7);
  const rp::cifar_data images = rp::cifar10(a.path());
  CHECK(images.train.size() == 703);
  CHECK(images.test.size() == 90);
  const auto first = rp::cifar_names::train10[0];
  const rp::cifar_images more = read_figures(a / first), fewer = read_figures(b / first);
  CHECK(more.size() == 140);
  CHECK(fewer.size() == 100);
  CHECK(std::equal(fewer.pixels.begin(), fewer.pixels.end(), more.pixels.begin()));  // only the number differs
  CHECK(read_bytes(a / rp::cifar_names::test10) == read_bytes(b / rp::cifar_names::test10));
  CHECK(read_bytes(b / first) != read_bytes(c / first));
}

TEST_CASE("all figures are drawn about equally often, each image from its own random stream") {
  const temporary_directory there;
  synthetic::write_figures(there.path(), {.seed = 3, .train = 5, .test = 1000});
  const rp::cifar_images images = read_figures(there / rp::cifar_names::test10);
  int counts[10] = {};
  for (const auto label : images.labels) ++counts[label];
  for (const int count : counts) CHECK(count > 60);  // 100 expected, standard deviation 9.5

  rp::random_stream random(3, (std::uint64_t{1} << 32) + 700);
  const auto label = static_cast<int>(random.below(10));
  std::vector<std::uint8_t> pixels(3072);
  synthetic::figure_painter(random).draw(label, pixels);
  CHECK(images.labels[700] == label);
  CHECK(std::equal(pixels.begin(), pixels.end(), images.pixels.begin() + 700 * 3072));
}

TEST_CASE("existing images are not drawn again; other options redraw them; a user's files are left alone") {
  const temporary_directory there;
  int calls = 0;
  const auto count_calls = [&](rp::index_t done, rp::index_t total) {
    CHECK(done <= total);
    ++calls;
  };
  const auto one = there / "images" / rp::cifar_names::train10[2];
  synthetic::write_figures(there / "images", {.train = 30, .test = 10}, count_calls);
  CHECK(calls == 6);
  const std::string before = read_bytes(one);
  synthetic::write_figures(there / "images", {.train = 30, .test = 10}, count_calls);
  CHECK(calls == 6);
  std::filesystem::remove(one);
  synthetic::write_figures(there / "images", {.train = 30, .test = 10});
  CHECK(read_bytes(one) == before);
  synthetic::write_figures(there / "images", {.train = 40, .test = 10});
  CHECK(read_figures(one).size() == 8);

  write_bytes(there / rp::cifar_names::test10, "mine");
  CHECK_THROWS_WITH_AS(synthetic::write_figures(there.path(), {.train = 5, .test = 1}),
                       doctest::Contains("holds data files of another origin; must be empty, or hold synthetic images"),
                       rp::data_error);
  CHECK(read_bytes(there / rp::cifar_names::test10) == "mine");
  CHECK_THROWS_WITH_AS(synthetic::write_figures(there / "few", {.train = 4}),
                       "synthetic cifar: 4 train and 10000 test images; must be >= 5 and >= 1", rp::value_error);
  CHECK(there.entries() == 2);
}

TEST_SUITE("slow") {
  TEST_CASE("the synthetic images are not linearly separable: a linear softmax gets less than half right") {
    const temporary_directory there;
    synthetic::write_figures(there.path(), {.train = 20'000, .test = 4'000});
    const rp::cifar_data images = rp::cifar10(there.path());
    linear_softmax model(images.train, 0.5F, 5e-4F);
    model.learn(images.train, 5);
    const double seen = model.accuracy(images.train, 4'000), unseen = model.accuracy(images.test, 4'000);
    MESSAGE("a linear softmax gets ", 100 * seen, " % of training images right, ", 100 * unseen, " % of test images");
    CHECK(unseen < 0.5);
  }
}

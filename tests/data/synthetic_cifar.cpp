// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include <ridgepoint/data/cifar.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {
rp::cifar_images read_part(const std::string& path) {
  rp::cifar_images images;
  rp::read_cifar(path, rp::cifar10_format, images);
  return images;
}
}  // namespace

TEST_CASE("synthetic images are the six files of CIFAR-10, the same for the same seed") {
  const temporary_directory a, b, c;
  rp::write_synthetic_cifar10(a.path(), {.seed = 7, .train = 703, .test = 90});
  rp::write_synthetic_cifar10(b.path(), {.seed = 7, .train = 500, .test = 90});
  rp::write_synthetic_cifar10(c.path(), {.seed = 8, .train = 500, .test = 90});
  CHECK(a.entries() == 7);
  const rp::cifar_data images = rp::cifar10(a.path());
  CHECK(images.train.size() == 703);
  CHECK(images.test.size() == 90);
  const auto first = rp::cifar_names::train10[0];
  const rp::cifar_images more = read_part(a / first), fewer = read_part(b / first);
  CHECK(more.size() == 140);
  CHECK(fewer.size() == 100);
  CHECK(std::equal(fewer.pixels.begin(), fewer.pixels.end(), more.pixels.begin()));  // only the number differs
  CHECK(read_bytes(a / rp::cifar_names::test10) == read_bytes(b / rp::cifar_names::test10));
  CHECK(read_bytes(b / first) != read_bytes(c / first));
}

TEST_CASE("all figures are drawn about equally often") {
  const rp::cifar_images images = rp::detail::draw_figures(3, 0, 1000, [](rp::index_t) {});
  int counts[10] = {};
  for (const auto label : images.labels) ++counts[label];
  for (const int count : counts) CHECK(count > 60);  // 100 expected, standard deviation 9.5
}

TEST_CASE("existing images are not drawn again; other options redraw them; a user's files are left alone") {
  const temporary_directory there;
  int calls = 0;
  const auto count_calls = [&](rp::index_t done, rp::index_t total) {
    CHECK(done <= total);
    ++calls;
  };
  const auto one = there / "images" / rp::cifar_names::train10[2];
  rp::write_synthetic_cifar10(there / "images", {.train = 30, .test = 10}, count_calls);
  CHECK(calls == 6);
  const std::string before = read_bytes(one);
  rp::write_synthetic_cifar10(there / "images", {.train = 30, .test = 10}, count_calls);
  CHECK(calls == 6);
  std::filesystem::remove(one);
  rp::write_synthetic_cifar10(there / "images", {.train = 30, .test = 10});
  CHECK(read_bytes(one) == before);
  rp::write_synthetic_cifar10(there / "images", {.train = 40, .test = 10});
  CHECK(read_part(one).size() == 8);

  write_bytes(there / rp::cifar_names::test10, "mine");
  CHECK_THROWS_WITH_AS(rp::write_synthetic_cifar10(there.path(), {.train = 5, .test = 1}),
                       doctest::Contains("holds data files of another origin; must be empty, or hold synthetic images"),
                       rp::data_error);
  CHECK(read_bytes(there / rp::cifar_names::test10) == "mine");
  CHECK_THROWS_WITH_AS(rp::write_synthetic_cifar10(there / "few", {.train = 4}),
                       "synthetic cifar: 4 train and 10000 test images; must be >= 5 and >= 1", rp::value_error);
  CHECK(there.entries() == 2);
}

TEST_CASE("synthetic images of 100 classes are the two files of CIFAR-100, the same for the same seed") {
  const temporary_directory a, b;
  int calls = 0;
  const rp::cifar_data images = rp::synthetic_cifar100(a.path(), {.seed = 7, .train = 600, .test = 90},
                                                       [&](rp::index_t, rp::index_t) { ++calls; });
  CHECK(calls == 3);
  CHECK(a.entries() == 3);
  CHECK(images.train.size() == 600);
  CHECK(images.test.size() == 90);
  CHECK(images.train.classes() == 100);
  std::vector<rp::index_t> rows(600);
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<float> pixels(600 * 3072);
  std::vector<std::int32_t> labels(600);
  images.train.gather(rows, pixels.data(), labels.data());
  CHECK(std::ranges::count_if(labels, [](std::int32_t label) { return label >= 10; }) > 500);
  CHECK(read_bytes(a / rp::cifar_names::train100).size() == 600 * 3074);
  rp::write_synthetic_cifar100(b.path(), {.seed = 7, .train = 500, .test = 90});
  CHECK(read_bytes(a / rp::cifar_names::test100) == read_bytes(b / rp::cifar_names::test100));
  CHECK(read_bytes(a / rp::cifar_names::train100).starts_with(read_bytes(b / rp::cifar_names::train100)));
  CHECK_THROWS_WITH_AS(rp::write_synthetic_cifar100(a / "none", {.train = 0}),
                       "synthetic cifar: 0 train and 10000 test images; must be >= 1 and >= 1", rp::value_error);
}

TEST_CASE("all 100 classes are drawn, each figure in its colour") {
  const rp::cifar_images images = rp::detail::draw_figures(
      3, 0, 4000, [](rp::index_t) {}, 100);
  std::array<int, 100> counts{};
  for (const auto label : images.labels) ++counts[label];
  for (const int count : counts) CHECK(count > 15);  // 40 expected, standard deviation 6.3

  std::vector<std::uint8_t> any(3072), inked(3072);
  for (std::uint64_t i = 0; i < 20; ++i) {
    rp::random_stream random(3, i);
    const auto label = static_cast<int>(random.below(100));
    CHECK(images.labels[i] == label);
    rp::figure_painter(random).draw(label % 10, label / 10, inked);
    CHECK(std::equal(inked.begin(), inked.end(), images.pixels.begin() + static_cast<std::ptrdiff_t>(i) * 3072));
  }
  const auto painter = [](std::uint64_t stream) { return rp::figure_painter(rp::random_stream(42, stream)); };
  const auto redness = [&](int ink) {  // of the pixels painted with it: more red than blue, over many backgrounds
    double sum = 0;
    for (std::uint64_t stream = 0; stream < 300; ++stream) {
      painter(stream).draw(2, ink, inked);
      for (std::size_t i = 0; i < 1024; ++i) sum += (inked[i] - inked[2048 + i]) / (300.0 * 1024);
    }
    return sum;
  };
  painter(1).draw(2, any);
  painter(1).draw(2, 4, inked);
  CHECK(inked != any);
  const double red = redness(4), blue = redness(1), grey = redness(8);
  CHECK(red > grey + 10);
  CHECK(grey > blue + 10);
}

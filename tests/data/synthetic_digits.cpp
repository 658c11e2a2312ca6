// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/idx.hpp>
#include <ridgepoint/data/synthetic_digits.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

TEST_CASE("synthetic digits are four IDX files, the same for the same seed") {
  const temporary_directory a, b, c;
  rp::write_synthetic_digits(a.path(), {.seed = 7, .train = 700, .test = 90});
  rp::write_synthetic_digits(b.path(), {.seed = 7, .train = 500, .test = 90});
  rp::write_synthetic_digits(c.path(), {.seed = 8, .train = 500, .test = 90});
  CHECK(a.entries() == 5);
  const rp::idx images = rp::read_idx<3>(a / rp::mnist_names::train_images);
  const rp::idx labels = rp::read_idx<1>(a / rp::mnist_names::train_labels);
  CHECK(images.shape == rp::shape{700, 28, 28});
  CHECK(labels.shape == rp::shape{700});
  CHECK(rp::read_idx<3>(a / rp::mnist_names::test_images).shape == rp::shape{90, 28, 28});

  const rp::idx fewer = rp::read_idx<3>(b / rp::mnist_names::train_images);
  CHECK(std::equal(fewer.values.begin(), fewer.values.end(), images.values.begin()));  // only the number differs
  CHECK(read_bytes(a / rp::mnist_names::test_images) == read_bytes(b / rp::mnist_names::test_images));
  CHECK(read_bytes(b / rp::mnist_names::train_images) != read_bytes(c / rp::mnist_names::train_images));

  int counts[10] = {};
  for (const auto label : labels.values) ++counts[label];
  for (const int count : counts) CHECK(count > 40);  // 70 expected, standard deviation 8
}

TEST_CASE("existing digits are not drawn again, unless a file is missing or other options are given") {
  const temporary_directory there;
  const auto images = there / "digits" / rp::mnist_names::train_images;
  int calls = 0;
  const auto count_calls = [&](rp::index_t done, rp::index_t total) {
    CHECK(done <= total);
    ++calls;
  };
  rp::write_synthetic_digits(there / "digits", {.train = 30, .test = 10}, count_calls);
  CHECK(calls == 2);
  const std::string first = read_bytes(images);
  rp::write_synthetic_digits(there / "digits", {.train = 30, .test = 10}, count_calls);
  CHECK(calls == 2);
  std::filesystem::remove(images);
  rp::write_synthetic_digits(there / "digits", {.train = 30, .test = 10});
  CHECK(read_bytes(images) == first);
  rp::write_synthetic_digits(there / "digits", {.train = 40, .test = 10});
  CHECK(rp::read_idx<3>(images).shape == rp::shape{40, 28, 28});
}

TEST_CASE("files of another origin are never overwritten") {
  const temporary_directory there;
  write_bytes(there / rp::mnist_names::test_labels, "mine");
  CHECK_THROWS_WITH_AS(rp::write_synthetic_digits(there.path(), {.train = 3, .test = 1}),
                       doctest::Contains("holds data files of another origin"), rp::data_error);
  CHECK(there.entries() == 1);
  CHECK(read_bytes(there / rp::mnist_names::test_labels) == "mine");
}

TEST_CASE("files of another origin are recognised under every readable name") {
  for (const char* name : {"train-images-idx3-ubyte.gz", "t10k-labels.idx1-ubyte", "t10k-images.idx3-ubyte.gz"}) {
    const temporary_directory there;
    write_bytes(there / name, "mine");
    CHECK_THROWS_WITH_AS(rp::write_synthetic_digits(there.path(), {.train = 3, .test = 1}),
                         doctest::Contains("holds data files of another origin"), rp::data_error);
    CHECK(there.entries() == 1);
  }
}

TEST_CASE("invalid options and directories are refused") {
  const temporary_directory there;
  CHECK_THROWS_WITH_AS(rp::write_synthetic_digits(there / "a", {.train = 0}),
                       doctest::Contains("0 train and 10000 test images; must be >= 1"), rp::value_error);
  CHECK_THROWS_AS(rp::write_synthetic_digits(there / "a", {.train = 1, .test = -1}), rp::value_error);
  CHECK(there.entries() == 0);
  write_bytes(there / "file", "");
  CHECK_THROWS_WITH_AS(rp::write_synthetic_digits(there / "file" / "digits", {.train = 1, .test = 1}),
                       doctest::Contains("cannot be created"), rp::data_error);
  CHECK_THROWS_AS(rp::write_synthetic_digits("/proc/digits", {.train = 1, .test = 1}), rp::data_error);
}

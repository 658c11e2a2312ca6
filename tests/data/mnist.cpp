// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/mnist.hpp>
#include <support/gzip.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

TEST_CASE("synthetic digits come in by the same door as MNIST") {
  const temporary_directory there;
  const rp::mnist_data digits = rp::synthetic_mnist(there.path(), {.train = 300, .test = 100});
  CHECK(digits.train.size() == 300);
  CHECK(digits.test.size() == 100);
  CHECK(digits.train.sample_shape() == rp::shape{28, 28, 1});
  CHECK(digits.train.classes() == 10);
  CHECK(rp::mnist(there.path()).test.size() == 100);
}

TEST_CASE("the files may be packed, or named as some mirrors do") {
  const temporary_directory there;
  rp::write_synthetic_digits(there.path(), {.train = 300, .test = 100});
  const std::string images = read_bytes(there / rp::mnist_names::train_images);
  std::filesystem::remove(there / rp::mnist_names::train_images);
  write_bytes(there / "train-images-idx3-ubyte.gz", gzip(images));
  std::filesystem::rename(there / rp::mnist_names::test_labels, there / "t10k-labels.idx1-ubyte");
  const rp::mnist_data digits = rp::mnist(there.path());
  CHECK(digits.train.size() == 300);
  CHECK(std::equal(digits.train.image(299).begin(), digits.train.image(299).end(),
                   reinterpret_cast<const std::uint8_t*>(images.data()) + images.size() - 784));
}

TEST_CASE("a missing file is named, with all four") {
  const temporary_directory there;
  rp::write_synthetic_digits(there.path(), {.train = 3, .test = 1});
  std::filesystem::remove(there / rp::mnist_names::test_images);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::mnist(there.path())),
                       doctest::Contains("has no t10k-images-idx3-ubyte; must hold train-images-idx3-ubyte, "
                                         "train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte"),
                       rp::data_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::mnist(there / "nowhere")),
                       doctest::Contains("has no train-images-idx3-ubyte"), rp::data_error);
}

TEST_CASE("training and test images must have the same size") {
  const temporary_directory there;
  rp::write_synthetic_digits(there.path(), {.train = 3, .test = 1});
  rp::write_idx(there / rp::mnist_names::test_images, {1, 4, 2}, std::vector<std::uint8_t>(8));
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::mnist(there.path())), doctest::Contains("of 4x2x1; must be the same"),
                       rp::data_error);
}

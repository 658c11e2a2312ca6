// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numeric>

#include <ridgepoint/data/mnist.hpp>
#include <support/gzip.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

TEST_CASE("synthetic digits load through the same function as MNIST") {
  const temporary_directory there;
  const rp::mnist_data digits = rp::synthetic_mnist(there.path(), {.train = 300, .test = 100});
  CHECK(digits.train.size() == 300);
  CHECK(digits.test.size() == 100);
  CHECK(digits.train.sample_shape() == rp::shape{28, 28, 1});
  CHECK(digits.train.classes() == 10);
  CHECK(rp::mnist(there.path()).test.size() == 100);
}

TEST_CASE("the files may be compressed, or named as on some mirrors") {
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

TEST_CASE("the error for a missing file lists all four") {
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

TEST_CASE("mismatched headers are refused before any image is decompressed") {
  const temporary_directory there;
  rp::write_synthetic_digits(there.path(), {.train = 3, .test = 1});
  rp::write_idx(there / rp::mnist_names::test_images, {1, 4, 2}, std::vector<std::uint8_t>(8));
  const std::string packed = gzip(read_bytes(there / rp::mnist_names::train_images));
  write_bytes(there / rp::mnist_names::train_images, packed.substr(0, packed.size() - 1));
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::mnist(there.path())), doctest::Contains("of 4x2x1; must be the same"),
                       rp::data_error);
}

TEST_SUITE("slow") {
  TEST_CASE("the digits are neither trivial nor hopeless: a linear softmax gets 75 % to 95 % right") {
    const temporary_directory there;
    const rp::mnist_data digits = rp::synthetic_mnist(there.path());
    constexpr int classes = 10, batch = 100, epochs = 10;
    const auto inputs = static_cast<std::size_t>(digits.train.sample_shape().size());
    std::vector<float> w(inputs * classes), b(classes), x(batch * inputs);
    std::vector<std::int32_t> labels(batch);
    std::vector<rp::index_t> rows(batch);
    const auto scores = [&](std::size_t i) {  // of sample i in the batch
      std::array<float, classes> z;
      for (std::size_t c = 0; c < classes; ++c) z[c] = b[c];
      for (std::size_t p = 0; p < inputs; ++p)
        for (std::size_t c = 0; c < classes; ++c) z[c] += x[i * inputs + p] * w[p * classes + c];
      return z;
    };
    const auto load = [&](const rp::labelled_images& from, rp::index_t first) {
      std::iota(rows.begin(), rows.end(), first);
      from.gather(rows, x.data(), labels.data());
    };
    for (int epoch = 0; epoch < epochs; ++epoch)
      for (rp::index_t first = 0; first < digits.train.size(); first += batch) {
        load(digits.train, first);
        std::array<std::array<float, classes>, batch> slope;  // rate · (softmax − one-hot)
        for (std::size_t i = 0; i < batch; ++i) {
          auto& z = slope[i] = scores(i);
          const float top = *std::max_element(z.begin(), z.end());
          float sum = 0;
          for (float& v : z) sum += v = std::exp(v - top);
          for (std::size_t c = 0; c < classes; ++c)
            z[c] = 0.2F / batch * (z[c] / sum - (labels[i] == static_cast<int>(c) ? 1.0F : 0.0F));
        }
        for (std::size_t i = 0; i < batch; ++i)
          for (std::size_t c = 0; c < classes; ++c) b[c] -= slope[i][c];
        for (std::size_t i = 0; i < batch; ++i)
          for (std::size_t p = 0; p < inputs; ++p)
            for (std::size_t c = 0; c < classes; ++c) w[p * classes + c] -= x[i * inputs + p] * slope[i][c];
      }
    int right = 0;
    for (rp::index_t first = 0; first < digits.test.size(); first += batch) {
      load(digits.test, first);
      for (std::size_t i = 0; i < batch; ++i) {
        const auto z = scores(i);
        right += std::max_element(z.begin(), z.end()) - z.begin() == labels[i] ? 1 : 0;
      }
    }
    MESSAGE("a linear softmax gets ", right, " of 10000 right");
    CHECK(right > 7500);
    CHECK(right < 9500);
  }
}

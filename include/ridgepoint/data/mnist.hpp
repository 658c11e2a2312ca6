// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/data/labelled_images.hpp>
#include <ridgepoint/data/synthetic_digits.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Training and test data.
struct mnist_data {
  labelled_images train, test;
};

namespace detail {

/// Returns the file under the first of its names that exists.
inline std::string find_mnist_file(const std::string& directory, std::string_view name) {
  for (const std::string& candidate : mnist_file_names(name))
    if (std::string file = in_directory(directory, candidate); status_of(file).exists) return file;
  throw data_error(concat("mnist: ", directory, " has no ", name, "; must hold ", mnist_names::train_images, ", ",
                          mnist_names::train_labels, ", ", mnist_names::test_images, " and ", mnist_names::test_labels,
                          ", plain or with .gz"));
}

}  // namespace detail

/// Reads MNIST, or any data set of ten classes in its four files (Fashion-MNIST, KMNIST), plain or gzip.
///
/// Throws: data_error if a file is missing (naming the four) or invalid, or if the training images differ in size from
/// the test images, which is checked from the headers before decompression.
/// Example:
///   const rp::mnist_data digits = rp::mnist("data/mnist");
///   digits.train.size() == 60'000 && digits.train.sample_shape() == rp::shape{28, 28, 1}
[[nodiscard]] inline mnist_data mnist(const std::string& directory) {
  const auto file = [&](std::string_view name) { return detail::find_mnist_file(directory, name); };
  const auto train_images = file(mnist_names::train_images), train_labels = file(mnist_names::train_labels);
  const auto test_images = file(mnist_names::test_images), test_labels = file(mnist_names::test_labels);
  idx_file<3> train(train_images), test(test_images);
  const auto of_one = [](const shape& images) { return shape{images[1], images[2], 1}; };
  const shape trained = of_one(train.extents()), tested = of_one(test.extents());
  require<data_error>(trained == tested, "mnist: ", train_images, " has images of ", trained, " but ", test_images,
                      " of ", tested, "; must be the same");
  return {labelled_images(std::move(train), idx_file<1>(train_labels)),
          labelled_images(std::move(test), idx_file<1>(test_labels))};
}

/// Reads synthetic digits from `directory`, creating them first if missing: see write_synthetic_digits().
[[nodiscard]] inline mnist_data synthetic_mnist(const std::string& directory,
                                                const synthetic_digits_options& options = {},
                                                const data_progress& progress = {}) {
  write_synthetic_digits(directory, options, progress);
  return mnist(directory);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/data/mnist.hpp>

#include "progress_bar.hpp"

namespace tool {

inline constexpr const char* synthetic_directory = "data/digits";

/// MNIST's four files from `directory`; if it is empty, synthetic digits, drawn into data/digits the first time.
/// Throws: data_error.
[[nodiscard]] inline ridgepoint::mnist_data load_digits(const std::string& directory) {
  if (!directory.empty()) return ridgepoint::mnist(directory);
  progress_bar bar(std::string("drawing synthetic digits into ") + synthetic_directory);
  return ridgepoint::synthetic_mnist(synthetic_directory, {}, [&](auto done, auto total) { bar.show(done, total); });
}

}  // namespace tool

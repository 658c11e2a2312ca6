// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include <ridgepoint/data/mnist.hpp>

#include "progress_bar.hpp"

namespace tool {

/// Throws: value_error if the data set has less than a batch.
inline void check_batch(const ridgepoint::dataset& data, ridgepoint::index_t batch) {
  ridgepoint::require<ridgepoint::value_error>(batch <= data.size(), "data set: has ", data.size(),
                                               " samples; must have at least a batch of ", batch);
}

/// MNIST's four files from `directory`; if it is empty, synthetic digits, drawn into data/digits below `out` the first
/// time.
/// Throws: data_error.
[[nodiscard]] inline ridgepoint::mnist_data load_digits(const std::string& directory,
                                                        const std::filesystem::path& out = {}) {
  if (!directory.empty()) return ridgepoint::mnist(directory);
  const std::string drawn = (out / "data" / "digits").lexically_normal().string();
  progress_bar bar("drawing synthetic digits into " + drawn);
  return ridgepoint::synthetic_mnist(drawn, {}, [&](auto done, auto total) { bar.show(done, total); });
}

}  // namespace tool

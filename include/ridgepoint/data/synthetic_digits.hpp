// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/data/drawn_files.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The four files of MNIST and of data sets in its format.
struct mnist_names {
  static constexpr std::string_view train_images = "train-images-idx3-ubyte", train_labels = "train-labels-idx1-ubyte",
                                    test_images = "t10k-images-idx3-ubyte", test_labels = "t10k-labels-idx1-ubyte";
  static constexpr std::array all{train_images, train_labels, test_images, test_labels};
};

/// Seed and numbers of the synthetic digits.
struct synthetic_digits_options {
  std::uint64_t seed = 42;
  index_t train = 60'000, test = 10'000;  // numbers of images
};

namespace detail {

/// Returns the possible names of an MNIST file: MNIST's or some mirrors' (train-images.idx3-ubyte), plain or gzip.
[[nodiscard]] inline std::array<std::string, 4> mnist_file_names(std::string_view name) {
  std::string dotted(name);
  dotted[dotted.find("-idx")] = '.';
  return {std::string(name), concat(name, ".gz"), dotted, dotted + ".gz"};
}

}  // namespace detail

/// Ensures that `directory` holds synthetic hand-written digits as four IDX files; creates them if missing.
///
/// The same options give the same bytes on every machine. A note next to the files records their origin, so that
/// changed options recreate them, and files of another origin are never overwritten.
/// Throws: value_error if a number of images is below 1; data_error if the directory cannot be written or holds data
/// files without such a note.
/// Example: rp::write_synthetic_digits("digits", {.seed = 42, .train = 60'000, .test = 10'000});
void write_synthetic_digits(const std::string& directory, const synthetic_digits_options& options = {},
                            const data_progress& progress = {});

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/data/synthetic_digits-inl.hpp>
#endif

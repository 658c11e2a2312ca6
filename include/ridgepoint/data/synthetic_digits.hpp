// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/data/drawn_files.hpp>
#if RIDGEPOINT_DEFINES
#include <ridgepoint/data/draw_digit.hpp>
#include <ridgepoint/data/write_idx.hpp>
#endif

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The four files of MNIST and of every data set in its format.
struct mnist_names {
  static constexpr std::string_view train_images = "train-images-idx3-ubyte", train_labels = "train-labels-idx1-ubyte",
                                    test_images = "t10k-images-idx3-ubyte", test_labels = "t10k-labels-idx1-ubyte";
  static constexpr std::array all{train_images, train_labels, test_images, test_labels};
};

/// Which digits are drawn, and how many.
struct synthetic_digits_options {
  std::uint64_t seed = 42;
  index_t train = 60'000, test = 10'000;  // numbers of images
};

namespace detail {

/// Where a file of MNIST may be: as MNIST names it, or as some mirrors do (train-images.idx3-ubyte), plain or packed.
[[nodiscard]] inline std::array<std::string, 4> mnist_file_names(std::string_view name) {
  std::string dotted(name);
  dotted[dotted.find("-idx")] = '.';
  return {std::string(name), concat(name, ".gz"), dotted, dotted + ".gz"};
}

}  // namespace detail

/// Makes sure that `directory` holds synthetic hand-written digits as four IDX files, drawing them if it does not.
///
/// The same options give the same bytes on every machine. A note beside the files says how they were made, so that
/// changed options redraw them, and that files of another origin are never overwritten.
/// Throws: value_error if a number of images is below 1; data_error if the directory can not be written or holds data
/// files without such a note.
/// Example: rp::write_synthetic_digits("digits", {.seed = 42, .train = 60'000, .test = 10'000});
void write_synthetic_digits(const std::string& directory, const synthetic_digits_options& options = {},
                            const data_progress& progress = {});

#if RIDGEPOINT_DEFINES
namespace detail {

/// Images first … first + count - 1 of the endless stream of a seed, and their labels. Every image has its own random
/// stream, so it does not depend on how many are drawn.
inline void write_drawn_digits(const std::string& images, const std::string& labels, std::uint64_t seed,
                               std::uint64_t first, index_t count, const std::function<void(index_t)>& drawn) {
  constexpr index_t pixels = digit_side * digit_side;
  std::vector<std::uint8_t> ink(static_cast<std::size_t>(checked_mul(count, pixels))),
      digits(static_cast<std::size_t>(count));
  for (index_t i = 0; i < count; ++i) {
    random_stream random(seed, first + static_cast<std::uint64_t>(i));
    const auto digit = random.below(10);
    digits[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(digit);
    digit_painter(random).draw(static_cast<int>(digit),
                               std::span(ink).subspan(static_cast<std::size_t>(i * pixels), pixels));
    if (i % 512 == 511 || i + 1 == count) drawn(i + 1);
  }
  write_idx(images, {count, digit_side, digit_side}, ink);
  write_idx(labels, {count}, digits);
}

}  // namespace detail

RIDGEPOINT_DEFINITION void write_synthetic_digits(const std::string& directory, const synthetic_digits_options& options,
                                                  const data_progress& progress) {
  require<value_error>(options.train >= 1 && options.test >= 1, "synthetic digits: ", options.train, " train and ",
                       options.test, " test images; must be >= 1 each");
  detail::drawn_files files{.what = "synthetic digits",
                            .directory = directory,
                            .note = "synthetic-digits.txt",
                            .origin = concat("ridgepoint synthetic digits, version 1, seed ", options.seed, ", ",
                                             options.train, " train and ", options.test, " test images\n"),
                            .names = {mnist_names::all.begin(), mnist_names::all.end()},
                            .others = {}};
  for (const auto name : mnist_names::all)
    for (const std::string& other : detail::mnist_file_names(name))
      if (other != name) files.others.push_back(other);
  if (!detail::begin_drawing(files)) return;

  const auto file = [&](std::string_view name) { return detail::in_directory(directory, name); };
  const auto drawn = [&](index_t before) {
    return [&, before](index_t count) {
      if (progress) progress(before + count, options.train + options.test);
    };
  };
  constexpr std::uint64_t test_stream = std::uint64_t{1} << 32;  // the test images never meet the training ones
  detail::write_drawn_digits(file(mnist_names::train_images), file(mnist_names::train_labels), options.seed, 0,
                             options.train, drawn(0));
  detail::write_drawn_digits(file(mnist_names::test_images), file(mnist_names::test_labels), options.seed, test_stream,
                             options.test, drawn(options.train));
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

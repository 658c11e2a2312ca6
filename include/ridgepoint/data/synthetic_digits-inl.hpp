// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include <ridgepoint/data/draw_digit.hpp>
#include <ridgepoint/data/idx.hpp>
#include <ridgepoint/data/synthetic_digits.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Writes images first … first + count - 1 of a seed's infinite stream, and their labels. Every image has its own
/// random stream, independent of the number drawn.
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
  constexpr std::uint64_t test_stream = std::uint64_t{1} << 32;  // separates test images from training images
  detail::write_drawn_digits(file(mnist_names::train_images), file(mnist_names::train_labels), options.seed, 0,
                             options.train, drawn(0));
  detail::write_drawn_digits(file(mnist_names::test_images), file(mnist_names::test_labels), options.seed, test_stream,
                             options.test, drawn(options.train));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

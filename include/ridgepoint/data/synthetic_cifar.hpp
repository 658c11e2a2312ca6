// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/data/draw_figure.hpp>
#include <ridgepoint/data/drawn_files.hpp>
#include <ridgepoint/data/write_cifar.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// How many figures are drawn.
struct synthetic_cifar_options {
  std::uint64_t seed = 42;
  index_t train = 50'000, test = 10'000;  // numbers of images; at least one in each of five training files
};

namespace detail {
/// Images first … first + count − 1 of the endless stream of a seed. Every image has its own random stream, so it does
/// not depend on how many are drawn.
[[nodiscard]] inline cifar_images draw_figures(std::uint64_t seed, std::uint64_t first, index_t count,
                                               const std::function<void(index_t)>& drawn) {
  cifar_images images;
  images.pixels.resize(static_cast<std::size_t>(checked_mul(count, cifar_format::image_bytes)));
  for (index_t i = 0; i < count; ++i) {
    random_stream random(seed, first + static_cast<std::uint64_t>(i));
    const auto figure = random.below(figure_painter::figures);
    images.labels.push_back(static_cast<std::uint8_t>(figure));
    constexpr auto bytes = static_cast<std::size_t>(cifar_format::image_bytes);
    figure_painter(random).draw(static_cast<int>(figure),
                                std::span(images.pixels).subspan(static_cast<std::size_t>(i) * bytes, bytes));
    if (i % 512 == 511 || i + 1 == count) drawn(i + 1);
  }
  return images;
}
}  // namespace detail

/// Makes sure that `directory` holds synthetic images of ten classes, the figures of data/draw_figure.hpp, as the six
/// files of CIFAR-10, drawing them if it does not.
///
/// The same options give the same bytes on every machine. A note beside the files says how they were made, so that
/// changed options redraw them, and that files of another origin are never overwritten.
/// Throws: value_error for less than five training images or one test image; data_error if the directory can not be
/// written or holds data files without such a note.
/// Example: rp::write_synthetic_cifar10("cifar", {.seed = 42, .train = 50'000, .test = 10'000});
inline void write_synthetic_cifar10(const std::string& directory, const synthetic_cifar_options& options = {},
                                    const data_progress& progress = {}) {
  constexpr auto parts = static_cast<index_t>(cifar_names::train10.size());
  require<value_error>(options.train >= parts && options.test >= 1, "synthetic cifar: ", options.train, " train and ",
                       options.test, " test images; must be >= ", parts, " and >= 1");
  detail::drawn_files files{.what = "synthetic images",
                            .directory = directory,
                            .note = "synthetic-cifar10.txt",
                            .origin = concat("ridgepoint synthetic cifar-10, version 1, seed ", options.seed, ", ",
                                             options.train, " train and ", options.test, " test images\n"),
                            .names = {cifar_names::train10.begin(), cifar_names::train10.end()},
                            .others = {}};
  files.names.emplace_back(cifar_names::test10);
  if (!detail::begin_drawing(files)) return;

  const auto draw = [&](std::string_view name, std::uint64_t stream, index_t count, index_t before) {
    const cifar_images images = detail::draw_figures(options.seed, stream, count, [&](index_t done) {
      if (progress) progress(before + done, options.train + options.test);
    });
    write_cifar(detail::in_directory(directory, name), cifar10_format, images, 0, count);
  };
  for (index_t part = 0; part < parts; ++part) {
    const index_t first = part * options.train / parts, end = (part + 1) * options.train / parts;
    draw(cifar_names::train10[static_cast<std::size_t>(part)], static_cast<std::uint64_t>(first), end - first, first);
  }
  constexpr std::uint64_t test_stream = std::uint64_t{1} << 32;  // the test images never meet the training ones
  draw(cifar_names::test10, test_stream, options.test, options.train);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

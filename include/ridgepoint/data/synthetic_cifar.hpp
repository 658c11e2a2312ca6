// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <ridgepoint/data/draw_figure.hpp>
#include <ridgepoint/data/drawn_files.hpp>
#include <ridgepoint/data/write_cifar.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// How many figures are drawn.
struct synthetic_cifar_options {
  std::uint64_t seed = 42;
  index_t train = 50'000, test = 10'000;  // numbers of images; at least one in each file
};

namespace detail {
/// Images first … first + count − 1 of the endless stream of a seed: of ten classes, the figures, or of 100, those in
/// ten colours: figure + 10·ink. Every image has its own random stream, so it does not depend on how many are drawn.
[[nodiscard]] inline cifar_images draw_figures(std::uint64_t seed, std::uint64_t first, index_t count,
                                               const std::function<void(index_t)>& drawn,
                                               int classes = figure_painter::figures) {
  cifar_images images;
  images.pixels.resize(static_cast<std::size_t>(checked_mul(count, cifar_format::image_bytes)));
  for (index_t i = 0; i < count; ++i) {
    random_stream random(seed, first + static_cast<std::uint64_t>(i));
    const auto label = static_cast<int>(random.below(static_cast<std::uint32_t>(classes)));
    images.labels.push_back(static_cast<std::uint8_t>(label));
    constexpr auto bytes = static_cast<std::size_t>(cifar_format::image_bytes);
    const auto pixels = std::span(images.pixels).subspan(static_cast<std::size_t>(i) * bytes, bytes);
    constexpr int figures = figure_painter::figures;
    figure_painter painter(random);
    if (classes == figures) painter.draw(label, pixels);
    else painter.draw(label % figures, label / figures, pixels);
    if (i % 512 == 511 || i + 1 == count) drawn(i + 1);
  }
  return images;
}

/// Draws the files of `format` that `directory` lacks: training images spread evenly over those called `train`.
template <std::size_t Parts>
void write_synthetic_cifar(const std::string& directory, const cifar_format& format,
                           const std::array<std::string_view, Parts>& train, std::string_view test,
                           const synthetic_cifar_options& options, const data_progress& progress) {
  constexpr auto parts = static_cast<index_t>(Parts);
  require<value_error>(options.train >= parts && options.test >= 1, "synthetic cifar: ", options.train, " train and ",
                       options.test, " test images; must be >= ", parts, " and >= 1");
  drawn_files files{.what = "synthetic images",
                    .directory = directory,
                    .note = concat("synthetic-cifar", format.classes, ".txt"),
                    .origin = concat("ridgepoint synthetic cifar-", format.classes, ", version 1, seed ", options.seed,
                                     ", ", options.train, " train and ", options.test, " test images\n"),
                    .names = {train.begin(), train.end()},
                    .others = {}};
  files.names.emplace_back(test);
  if (!begin_drawing(files)) return;

  const auto draw = [&](std::string_view name, std::uint64_t stream, index_t count, index_t before) {
    const auto drawn = [&](index_t done) {
      if (progress) progress(before + done, options.train + options.test);
    };
    const cifar_images images = draw_figures(options.seed, stream, count, drawn, format.classes);
    write_cifar(in_directory(directory, name), format, images, 0, count);
  };
  for (index_t part = 0; part < parts; ++part) {
    const index_t first = part * options.train / parts, end = (part + 1) * options.train / parts;
    draw(train[static_cast<std::size_t>(part)], static_cast<std::uint64_t>(first), end - first, first);
  }
  constexpr std::uint64_t test_stream = std::uint64_t{1} << 32;  // the test images never meet the training ones
  draw(test, test_stream, options.test, options.train);
}
}  // namespace detail

/// Makes sure that `directory` holds synthetic images of ten classes, the figures of data/draw_figure.hpp, as the six
/// files of CIFAR-10, drawing them if it does not.
///
/// The same options give the same bytes on every machine. A note beside the files says how they were made, so that
/// changed options redraw them, and that files of another origin are never overwritten.
/// Throws: value_error for less than five training images or one test image; data_error if the directory cannot be
/// written or holds data files without such a note.
/// Example: rp::write_synthetic_cifar10("cifar", {.seed = 42, .train = 50'000, .test = 10'000});
inline void write_synthetic_cifar10(const std::string& directory, const synthetic_cifar_options& options = {},
                                    const data_progress& progress = {}) {
  detail::write_synthetic_cifar(directory, cifar10_format, cifar_names::train10, cifar_names::test10, options,
                                progress);
}
/// The same of 100 classes, each figure in ten colours (class = figure + 10·colour), as the two files of CIFAR-100,
/// whose groups of classes are all 0. Throws: as write_synthetic_cifar10(), but for one training image.
inline void write_synthetic_cifar100(const std::string& directory, const synthetic_cifar_options& options = {},
                                     const data_progress& progress = {}) {
  detail::write_synthetic_cifar(directory, cifar100_format, std::array{cifar_names::train100}, cifar_names::test100,
                                options, progress);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

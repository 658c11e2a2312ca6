// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <utility>

#include <ridgepoint/core/scope_exit.hpp>
#include <ridgepoint/data/clip_centre.hpp>
#include <ridgepoint/data/drawn_files.hpp>
#include <ridgepoint/data/embryo_files.hpp>
#include <ridgepoint/data/equalise_histogram.hpp>
#include <ridgepoint/data/invert_shadows.hpp>
#include <ridgepoint/data/labelled_images.hpp>
#include <ridgepoint/data/make_ahead.hpp>
#include <ridgepoint/data/read_png.hpp>
#include <ridgepoint/data/resize_image.hpp>
#include <ridgepoint/data/rotate_image.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What study C makes of its images.
struct embryo_options {
  index_t pixels = 480, clipped = 320, side = 64;  // of the files, of what is cut out of them, and of samples
  int angles = 20;                                 // each training image is learnt at so many, 360/20 = 18° apart
  int threads = 0;                                 // that prepare images, ahead of one another; 0: all cores
};

/// What is learnt from, and what is tested on, labelled by cells − 1.
struct embryo_data {
  labelled_images train, test;
  double read_s = 0, preprocess_s = 0;  // how long it took to read the files, and to make something of them
};

/// An image of study C as its network sees it, upright: the middle, with an equalised histogram and without shadows.
/// rotate_image() and resize_image() follow.
/// Throws: shape_error if it is smaller than what is cut out.
[[nodiscard]] inline grey_image without_shadows(const grey_image& image, const embryo_options& options = {}) {
  return invert_shadows(equalise_histogram(clip_centre(image, options.clipped)));
}

namespace detail {

/// Adds how long body() takes, and returns what it does.
template <class Body>
decltype(auto) add_elapsed(double& elapsed_s, const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  const scope_exit end(
      [&] { elapsed_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); });
  return body();
}

/// The samples of a file, one after another.
struct prepared_embryo {
  const embryo_file* file;
  std::vector<std::uint8_t> pixels;
  int samples = 0;
  double read_s = 0, preprocess_s = 0;
};
/// Throws: data_error if it is no image of the size it must have.
[[nodiscard]] inline grey_image read_embryo(const std::string& path, index_t pixels) {
  grey_image image = read_png(path, {.height = pixels, .width = pixels});
  require<data_error>(image.height == pixels && image.width == pixels, path, ": is ", image.height, " x ", image.width,
                      " pixels; must be ", pixels, " x ", pixels);
  return image;
}
[[nodiscard]] inline prepared_embryo prepare_embryo(const embryo_file& file, const embryo_options& options) {
  prepared_embryo made{.file = &file, .pixels = {}, .samples = file.is_test() ? 1 : options.angles};
  const grey_image image = add_elapsed(made.read_s, [&] { return read_embryo(file.path, options.pixels); });
  add_elapsed(made.preprocess_s, [&] {
    const grey_image upright = without_shadows(image, options);
    for (int angle = 0; angle < made.samples; ++angle) {
      const grey_image turned = rotate_image(upright, angle * 360.0 / options.angles),
                       sample = resize_image(turned, options.side, options.side);
      made.pixels.insert(made.pixels.end(), sample.pixels.begin(), sample.pixels.end());
    }
  });
  return made;
}

/// Samples and labels as they come.
struct embryo_samples {
  std::vector<std::uint8_t> pixels, labels;

  void add(const prepared_embryo& embryo) {
    pixels.insert(pixels.end(), embryo.pixels.begin(), embryo.pixels.end());
    labels.insert(labels.end(), static_cast<std::size_t>(embryo.samples),
                  static_cast<std::uint8_t>(embryo.file->cells - 1));
  }
  [[nodiscard]] labelled_images take(index_t side, std::string_view directory) && {
    const auto count = static_cast<index_t>(labels.size());
    return labelled_images({{count, side, side}, std::move(pixels)}, {{count}, std::move(labels)},
                           embryo_file::most_cells, directory, directory);
  }
};

}  // namespace detail

/// Mouse embryos of one to four cells from a tree of PNG files of 480 × 480 (embryo_files()), one embryo in five to be
/// tested on, and prepared as in study C: see without_shadows(). Training images are learnt at 20 angles.
///
/// Files are decoded and prepared on several threads; five per thread are in memory at a time, beside the samples of
/// 4,096 bytes. What comes of it does not depend on the number of threads. Users link libpng and zlib.
/// Throws: data_error, naming the file, if one is no such image, or there is none of a class, to learn from or to be
/// tested on; value_error for an option below 1; shape_error if what is cut out is larger than the files are.
/// Example:
///   const rp::embryo_data embryos = rp::embryos("data/embryos");
///   embryos.train.sample_shape() == rp::shape{64, 64, 1} && embryos.train.classes() == 4
[[nodiscard]] inline embryo_data embryos(const std::string& directory, const embryo_options& options = {},
                                         const data_progress& progress = {}) {
  require<value_error>(options.pixels >= 1 && options.side >= 1 && options.angles >= 1, "embryos: ", options.pixels,
                       " pixels, ", options.side, " of a sample, ", options.angles, " angles; must be >= 1 each");
  const std::vector<embryo_file> files = embryo_files(directory);
  detail::embryo_samples train, test;
  double read_s = 0, preprocess_s = 0, elapsed_s = 0;
  detail::add_elapsed(elapsed_s, [&] {
    index_t done = 0;
    make_ahead(
        static_cast<index_t>(files.size()), options.threads,
        [&](index_t i) { return detail::prepare_embryo(files[static_cast<std::size_t>(i)], options); },
        [&](const detail::prepared_embryo& embryo) {
          (embryo.file->is_test() ? test : train).add(embryo);
          read_s += embryo.read_s, preprocess_s += embryo.preprocess_s;
          if (progress) progress(++done, static_cast<index_t>(files.size()));
        });
  });
  require<data_error>(!train.labels.empty() && !test.labels.empty(), "embryos: ", directory, " has ",
                      train.labels.size(), " images to learn from and ", test.labels.size(),
                      " to be tested on; must have both: an embryo whose number is a multiple of 5 is tested on");
  const double share = preprocess_s / (std::max)(read_s + preprocess_s, 1e-9);
  return {std::move(train).take(options.side, directory), std::move(test).take(options.side, directory),
          (1 - share) * elapsed_s, share * elapsed_s};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/scope_exit.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/data/drawn_files.hpp>
#include <ridgepoint/data/image_processing.hpp>
#include <ridgepoint/data/labelled_images.hpp>
#include <ridgepoint/data/make_ahead.hpp>
#include <ridgepoint/data/png.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Image of study C: DIR/<cells>/<name>.png, where the first number in the name is that of the embryo, e.g.
/// 2/E017_F004.png: two cells, embryo 17.
struct embryo_file {
  static constexpr int most_cells = 4;

  std::string path;
  int cells = 0;       // 1 … 4
  index_t embryo = 0;  // all images of one embryo are training images, or all are test images

  /// Whether the embryo is a test embryo: one in five.
  [[nodiscard]] constexpr bool is_test() const noexcept { return embryo % 5 == 0; }
};

namespace detail {

/// Returns the first number in a name. Throws: data_error if it is missing or has more than nine digits.
[[nodiscard]] inline index_t first_number(const std::string& path, std::string_view name) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto begin = std::find_if(name.begin(), name.end(), digit), end = std::find_if_not(begin, name.end(), digit);
  require<data_error>(begin != end && end - begin <= 9, path,
                      ": must have the number of its embryo in its name, of one to nine digits, as in E017_F004.png");
  index_t number = 0;
  for (auto at = begin; at != end; ++at) number = 10 * number + (*at - '0');
  return number;
}

}  // namespace detail

/// Returns the PNG files of a tree of study C, in the order of their paths. Ignores other files.
///
/// Throws: data_error, naming the path: no such directory, one of its four (1, 2, 3, 4) missing or without an image,
/// another directory, or a name without number.
[[nodiscard]] inline std::vector<embryo_file> embryo_files(const std::string& directory) {
  std::vector<embryo_file> files;
  for (const std::string& name : detail::directory_entries(directory))
    require<data_error>((name >= "1" && name <= "4" && name.size() == 1) ||
                            !detail::status_of(detail::in_directory(directory, name)).directory,
                        "embryos: ", directory, " has a directory ", name,
                        "; must be 1, 2, 3 or 4, the number of cells in its images");
  for (int cells = 1; cells <= embryo_file::most_cells; ++cells) {
    const std::string of_class = detail::in_directory(directory, concat(cells));
    require<data_error>(detail::status_of(of_class).directory, "embryos: ", directory, " has no directory ", cells,
                        "; must have 1, 2, 3 and 4, with the images of that many cells");
    const std::size_t before = files.size();
    for (const std::string& name : detail::directory_entries(of_class)) {
      if (!name.ends_with(".png")) continue;
      std::string path = detail::in_directory(of_class, name);
      const index_t embryo = detail::first_number(path, name);
      files.push_back({std::move(path), cells, embryo});
    }
    require<data_error>(files.size() > before, "embryos: ", of_class, " has no image; must have PNG files");
  }
  return files;
}

/// Returns `each` files of every class, ⌊each/5⌋ of them for testing, evenly spaced among the class's files of either
/// kind; their order is kept.
/// Throws: data_error if a class has too few of either kind; value_error for less than five of a class, or a file of no
/// class.
/// Example: balanced(rp::embryo_files("data/embryos"), 766)      // 613 for training and 153 for testing, four times
[[nodiscard]] inline std::vector<embryo_file> balanced(const std::vector<embryo_file>& files, index_t each) {
  require<value_error>(each >= 5, "embryos: ", each, " images of each class; must be >= 5, one of them for testing");
  using counts = std::array<index_t, 2>;  // training, test
  const counts wanted{each - each / 5, each / 5};
  std::array<counts, embryo_file::most_cells> found{}, seen{};
  const auto kind = [](const embryo_file& file) { return file.is_test() ? std::size_t{1} : std::size_t{0}; };
  for (const embryo_file& file : files) {
    require<value_error>(1 <= file.cells && file.cells <= embryo_file::most_cells, "embryos: a file has ", file.cells,
                         " cells; must be 1 to ", embryo_file::most_cells);
    ++found[static_cast<std::size_t>(file.cells - 1)][kind(file)];
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t k = 0; k < wanted.size(); ++k)
      require<data_error>(found[i][k] >= wanted[k], "embryos: class ", i + 1, " has ", found[i][k],
                          k == 0 ? " training images" : " test images", "; must have ", wanted[k], " for ", each,
                          " images of each class");
  std::vector<embryo_file> kept;
  for (const embryo_file& file : files) {
    const auto i = static_cast<std::size_t>(file.cells - 1), k = kind(file);
    const index_t at = seen[i][k]++;
    if ((at + 1) * wanted[k] / found[i][k] > at * wanted[k] / found[i][k]) kept.push_back(file);
  }
  return kept;
}

/// Preparation of study C's images. For rotated test images and classes of equal size, as in the study:
/// {.test_angles = 20, .per_class = 766}.
struct embryo_options {
  index_t pixels = 480, clipped = 320, side = 64;  // side of the files, of the central cut-out, and of samples
  int angles = 20, test_angles = 1;                // rotations of each training and test image, 360/20 = 18° each
  index_t per_class = 0;                           // images used of each class: see balanced(); 0: all
  int threads = 0;                                 // threads that prepare images; 0: all cores
};

/// Training and test data, labelled by cells − 1.
struct embryo_data {
  labelled_images train, test;
  double read_s = 0, preprocess_s = 0;  // time to read the files, and to preprocess the images
};

/// Prepares an image of study C, not rotated: its central square, with an equalised histogram and without shadows.
/// rotate_image() and resize_image() follow.
/// Throws: shape_error if the image is smaller than the central square.
[[nodiscard]] inline grey_image without_shadows(const grey_image& image, const embryo_options& options = {}) {
  return invert_shadows(equalise_histogram(clip_centre(image, options.clipped)));
}

namespace detail {

/// Returns a sample of a prepared image, rotated by i of n angles.
[[nodiscard]] inline grey_image embryo_sample(const grey_image& prepared, int i, int n, index_t side) {
  return resize_image(rotate_image(prepared, i * 360.0 / n), side, side);
}

}  // namespace detail

/// Returns an image of study C after each stage of its preparation: its central square, with an equalised histogram,
/// without shadows, and the training sample of the first angle above 0, rotated and resized.
/// Throws: shape_error if the image is smaller than the central square.
/// Example: rp::embryo_stages(rp::read_png("data/embryos/2/E017_F004.png"))[3].width      // 64
[[nodiscard]] inline std::array<grey_image, 4> embryo_stages(const grey_image& image,
                                                             const embryo_options& options = {}) {
  const grey_image clipped = clip_centre(image, options.clipped), equalised = equalise_histogram(clipped),
                   inverted = invert_shadows(equalised);
  return {clipped, equalised, inverted, detail::embryo_sample(inverted, 1, options.angles, options.side)};
}

namespace detail {

/// Adds the duration of body() to `elapsed_s`, and returns its result.
template <class Body>
decltype(auto) add_elapsed(double& elapsed_s, const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  const scope_exit end(
      [&] { elapsed_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); });
  return body();
}

/// Samples of one file, in sequence.
struct prepared_embryo {
  const embryo_file* file;
  std::vector<std::uint8_t> pixels;
  int samples = 0;
  double read_s = 0, preprocess_s = 0;
};
/// Throws: data_error if the file is not an image of the expected size.
[[nodiscard]] inline grey_image read_embryo(const std::string& path, index_t pixels) {
  grey_image image = read_png(path, {.height = pixels, .width = pixels});
  require<data_error>(image.height == pixels && image.width == pixels, path, ": is ", image.height, " x ", image.width,
                      " pixels; must be ", pixels, " x ", pixels);
  return image;
}
[[nodiscard]] inline prepared_embryo prepare_embryo(const embryo_file& file, const embryo_options& options) {
  prepared_embryo made{.file = &file, .pixels = {}, .samples = file.is_test() ? options.test_angles : options.angles};
  const grey_image image = add_elapsed(made.read_s, [&] { return read_embryo(file.path, options.pixels); });
  add_elapsed(made.preprocess_s, [&] {
    const grey_image upright = without_shadows(image, options);
    for (int angle = 0; angle < made.samples; ++angle) {
      const grey_image sample = embryo_sample(upright, angle, made.samples, options.side);
      made.pixels.insert(made.pixels.end(), sample.pixels.begin(), sample.pixels.end());
    }
  });
  return made;
}

/// Samples and labels in the order of arrival.
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

/// Reads mouse embryos of one to four cells from a tree of PNG files of 480 × 480 (embryo_files()), prepared as in
/// study C: see without_shadows(). One embryo in five is for testing. By default training images are used at 20 angles,
/// test images upright.
///
/// Files are decoded and prepared on several threads; five per thread are in memory at a time, in addition to the
/// samples of 4,096 bytes. The result does not depend on the number of threads. Users link libpng and zlib.
/// Throws: data_error, naming the file, if a file is not such an image, or if a class, the training data or the test
/// data are empty, or a class has too few images; value_error for an option below 1, or `per_class` below 0 or 1 to 4;
/// shape_error if the central square is larger than the files.
/// Example:
///   const rp::embryo_data embryos = rp::embryos("data/embryos");
///   embryos.train.sample_shape() == rp::shape{64, 64, 1} && embryos.train.classes() == 4
[[nodiscard]] inline embryo_data embryos(const std::string& directory, const embryo_options& options = {},
                                         const data_progress& progress = {}) {
  require<value_error>(options.pixels >= 1 && options.side >= 1 && options.angles >= 1 && options.test_angles >= 1,
                       "embryos: ", options.pixels, " pixels, ", options.side, " of a sample, ", options.angles,
                       " angles, ", options.test_angles, " of test images; must be >= 1 each");
  const std::vector<embryo_file> files =
      options.per_class == 0 ? embryo_files(directory) : balanced(embryo_files(directory), options.per_class);
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
                      train.labels.size(), " training images and ", test.labels.size(),
                      " test images; must have both: embryos whose number is a multiple of 5 are for testing");
  const double share = preprocess_s / (std::max)(read_s + preprocess_s, 1e-9);
  return {std::move(train).take(options.side, directory), std::move(test).take(options.side, directory),
          (1 - share) * elapsed_s, share * elapsed_s};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

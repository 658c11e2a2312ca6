// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/data/drawn_files.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Layout of CIFAR's binary files: consecutive records, each with its label bytes, then 1024 red, 1024 green and 1024
/// blue bytes, row by row.
struct cifar_format {
  static constexpr index_t side = 32, channels = 3, image_bytes = side * side * channels;

  index_t label_bytes;  // per record
  index_t label_at;     // index of the class among them
  int classes;

  [[nodiscard]] constexpr index_t record_bytes() const noexcept { return label_bytes + image_bytes; }
};
/// Records of 3073 bytes.
inline constexpr cifar_format cifar10_format{.label_bytes = 1, .label_at = 0, .classes = 10};
/// Records of 3074 bytes; the first is one of 20 groups of classes, the second the class.
inline constexpr cifar_format cifar100_format{.label_bytes = 2, .label_at = 1, .classes = 100};

/// The files of CIFAR-10 and CIFAR-100.
struct cifar_names {
  static constexpr std::array<std::string_view, 5> train10{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                                           "data_batch_4.bin", "data_batch_5.bin"};
  static constexpr std::string_view test10 = "test_batch.bin", train100 = "train.bin", test100 = "test.bin";
};

/// Images in the layout of the files, 3072 bytes each, and their classes.
struct cifar_images {
  std::vector<std::uint8_t> pixels, labels;

  [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(labels.size()); }
};

/// Reads a binary file of CIFAR and appends its images.
///
/// Checks the file's size against the format before allocating; memory stays below twice the total that is read.
/// Throws: data_error, naming the file, with actual and expected contents, if it cannot be read, is empty, does not
/// contain a multiple of the record size, or a label is not a class; nothing has been added then.
/// Example:
///   rp::cifar_images images;
///   rp::read_cifar("cifar/data_batch_1.bin", rp::cifar10_format, images);
inline void read_cifar(const std::string& path, const cifar_format& format, cifar_images& images) {
  input_file file(path);
  const auto bytes = static_cast<std::uint64_t>(format.record_bytes());
  const std::uint64_t count = file.size_bytes() / bytes;
  require<data_error>(count > 0 && count * bytes == file.size_bytes(), path, ": has ", file.size_bytes(),
                      " bytes; must have a multiple of ", bytes, ", records of ", format.label_bytes,
                      " label bytes and 3 x 32 x 32 pixels");
  const std::size_t pixels = images.pixels.size(), labels = images.labels.size();
  images.pixels.reserve(pixels + static_cast<std::size_t>(count) * cifar_format::image_bytes);
  images.labels.reserve(labels + static_cast<std::size_t>(count));
  try {
    std::vector<std::uint8_t> record(static_cast<std::size_t>(bytes));
    for (std::uint64_t i = 0; i < count; ++i) {
      require<data_error>(file.read(record.data(), record.size()) == record.size(), path, ": ends inside record ", i,
                          "; must have ", count);
      const int label = record[static_cast<std::size_t>(format.label_at)];
      require<data_error>(label < format.classes, path, ": label of record ", i, " is ", label, "; must be 0 to ",
                          format.classes - 1);
      images.labels.push_back(static_cast<std::uint8_t>(label));
      images.pixels.insert(images.pixels.end(), record.begin() + format.label_bytes, record.end());
    }
  } catch (...) {
    images.pixels.resize(pixels);
    images.labels.resize(labels);
    throw;
  }
}

/// Writes images first … first + count − 1 as a binary CIFAR file, atomically. Label bytes other than the class are 0.
/// Throws: data_error if it cannot be written; shape_error unless these images exist, with 3072 pixels each.
inline void write_cifar(const std::string& path, const cifar_format& format, const cifar_images& images, index_t first,
                        index_t count) {
  require<shape_error>(
      checked_mul(images.size(), cifar_format::image_bytes) == static_cast<index_t>(images.pixels.size()),
      "write_cifar: ", images.pixels.size(), " pixels for ", images.size(), " labels; must be ",
      cifar_format::image_bytes, " each");
  require<shape_error>(first >= 0 && count >= 0 && count <= images.size() - first, "write_cifar: images ", first,
                       " and ", count, " from there; must end at or before ", images.size());
  atomic_file file(path);
  for (index_t i = first; i < first + count; ++i) {
    for (index_t byte = 0; byte < format.label_bytes; ++byte) {
      const std::uint8_t label = byte == format.label_at ? images.labels[static_cast<std::size_t>(i)] : std::uint8_t{0};
      file.write(&label, 1);
    }
    file.write(images.pixels.data() + i * cifar_format::image_bytes, cifar_format::image_bytes);
  }
  file.commit();
}

/// Draws one of ten figures as a colour image of 32 × 32: disc, ring, square, frame, triangle, cross, pair of discs,
/// half disc, stripes, chessboard.
///
/// Position, size, angle (up to 45 degrees either way) and all colours are random, so that no weighted sum of pixels
/// separates the figures; a gradient in the background, two dots and noise are added. All arithmetic is on integers, so
/// that the same random stream gives the same bytes with any compiler, flags or mathematical library.
class figure_painter {
 public:
  static constexpr int side = 32, figures = 10, inks = 10;

  explicit figure_painter(random_stream random) noexcept : random_(random) {}

  /// Draws 1024 red, 1024 green and 1024 blue bytes, row by row. Requires: 0 <= figure < figures.
  void draw(int figure, std::span<std::uint8_t> pixels) noexcept {
    choose_place();
    choose_colours([&] { ink_ = any_colour(); });
    paint(figure, pixels);
  }
  /// Draws the figure in about one of ten colours: black, blue, green, cyan, red, magenta, yellow, white, grey, orange.
  /// Requires: 0 <= ink < inks.
  void draw(int figure, int ink, std::span<std::uint8_t> pixels) noexcept {
    choose_place();
    choose_colours([&] {
      ink_ = palette[static_cast<std::size_t>(ink)];
      for (int& value : ink_) value += about_zero(16);
    });
    paint(figure, pixels);
  }

 private:
  using colour = std::array<int, 3>;
  static constexpr std::array<colour, inks> palette{{{40, 40, 40},
                                                     {40, 40, 215},
                                                     {40, 215, 40},
                                                     {40, 215, 215},
                                                     {215, 40, 40},
                                                     {215, 40, 215},
                                                     {215, 215, 40},
                                                     {215, 215, 215},
                                                     {128, 128, 128},
                                                     {215, 128, 40}}};

  void paint(int figure, std::span<std::uint8_t> pixels) noexcept {
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const std::array<int, 3> seen = colour_at(figure, x, y);
        for (std::size_t c = 0; c < 3; ++c)
          pixels[c * side * side + static_cast<std::size_t>(y * side + x)] =
              static_cast<std::uint8_t>(std::clamp(seen[c] + about_zero(24), 0, 255));
      }
  }

  static constexpr std::int64_t one = 65536, pixel = 256;  // of the rotation; of places
  struct dot {
    std::int64_t x, y, radius;
    colour ink;
  };

  int between(std::int64_t low, std::int64_t high) noexcept {
    return static_cast<int>(low + random_.below(static_cast<std::uint32_t>(high - low + 1)));
  }
  /// Returns a value around zero, bell-shaped, |value| <= reach.
  int about_zero(int reach) noexcept { return (between(-reach, reach) + between(-reach, reach)) / 2; }
  colour any_colour() noexcept { return {between(20, 235), between(20, 235), between(20, 235)}; }

  void choose_place() noexcept {
    const std::int64_t t = between(-27000, 27000);  // tan(angle / 2)
    cosine_ = (one * one - t * t) * one / (one * one + t * t);
    sine_ = 2 * t * one * one / (one * one + t * t);
    radius_ = between(7 * pixel, 13 * pixel);
    const std::int64_t middle = side / 2 * pixel, reach = middle - radius_;
    x_ = middle + between(-reach, reach);
    y_ = middle + between(-reach, reach);
  }
  template <class ChooseInk>
  void choose_colours(const ChooseInk& choose_ink) noexcept {
    const auto differ = [&] {
      int sum = 0;
      for (std::size_t c = 0; c < 3; ++c) sum += std::abs(ink_[c] - paper_[c]);
      return sum >= 180;
    };
    do choose_ink(), paper_ = any_colour();
    while (!differ());
    for (colour& way : slope_) way = {about_zero(60), about_zero(60), about_zero(60)};
    for (dot& d : dots_)
      d = {between(0, side * pixel), between(0, side * pixel), between(pixel, 5 * pixel / 2), any_colour()};
  }

  /// Returns the mean of four points of a pixel, over the gradient; dots are on top.
  colour colour_at(int figure, int x, int y) const noexcept {
    const std::int64_t px = (2 * x + 1) * pixel / 2, py = (2 * y + 1) * pixel / 2;
    for (const dot& d : dots_)
      if ((px - d.x) * (px - d.x) + (py - d.y) * (py - d.y) <= d.radius * d.radius) return d.ink;
    int covered = 0;
    for (const int dx : {-64, 64})
      for (const int dy : {-64, 64}) covered += covers(figure, px + dx - x_, py + dy - y_) ? 1 : 0;
    colour seen{};
    for (std::size_t c = 0; c < 3; ++c) {
      const int shade = (slope_[0][c] * (x - side / 2) + slope_[1][c] * (y - side / 2)) / side;
      seen[c] = (covered * ink_[c] + (4 - covered) * paper_[c]) / 4 + shade;
    }
    return seen;
  }

  /// Whether a figure of radius 1000 about the origin covers a point, given in the image's frame.
  bool covers(int figure, std::int64_t dx, std::int64_t dy) const noexcept {
    const std::int64_t u = (cosine_ * dx + sine_ * dy) / one * 1000 / radius_,
                       v = (cosine_ * dy - sine_ * dx) / one * 1000 / radius_;
    const std::int64_t a = u < 0 ? -u : u, b = v < 0 ? -v : v, larger = (std::max)(a, b), smaller = (std::min)(a, b);
    const std::int64_t square = u * u + v * v;
    const auto band = [](std::int64_t at, std::int64_t width) { return (at + 900) / width % 2; };
    switch (figure) {
      case 0:
        return square <= 1000 * 1000;
      case 1:
        return square <= 1000 * 1000 && square >= 600 * 600;
      case 2:
        return larger <= 880;
      case 3:
        return larger <= 880 && larger >= 520;
      case 4:
        return v >= -500 && 1732 * a + 1000 * v <= 1000 * 1000;
      case 5:
        return larger <= 1000 && smaller <= 280;
      case 6:
        return (a - 560) * (a - 560) + v * v <= 420 * 420;
      case 7:
        return square <= 1000 * 1000 && v >= 0;
      case 8:
        return larger < 900 && band(u, 360) == 0;
      default:
        return larger < 900 && band(u, 600) == band(v, 600);
    }
  }

  random_stream random_;
  std::int64_t cosine_ = one, sine_ = 0, radius_ = 0, x_ = 0, y_ = 0;
  colour ink_{}, paper_{};
  std::array<colour, 2> slope_{};  // to the right, down
  std::array<dot, 2> dots_{};
};

/// Numbers of images, and their seed.
struct synthetic_cifar_options {
  std::uint64_t seed = 42;
  index_t train = 50'000, test = 10'000;  // numbers of images; at least one per file
};

namespace detail {
/// Returns images first … first + count − 1 of a seed's infinite stream: with ten classes, the figures, or with 100,
/// figures in ten colours: figure + 10·ink. Every image has its own random stream, independent of the number drawn.
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

/// Creates the files of `format` missing in `directory`: training images are spread evenly over the `train` files.
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
  constexpr std::uint64_t test_stream = std::uint64_t{1} << 32;  // separates test images from training images
  draw(test, test_stream, options.test, options.train);
}
}  // namespace detail

/// Ensures that `directory` holds synthetic images of ten classes, the figures of data/cifar.hpp, in the six
/// files of CIFAR-10; creates them if missing.
///
/// The same options give the same bytes on every machine. A note next to the files records their origin, so that
/// changed options recreate them, and files of another origin are never overwritten.
/// Throws: value_error for less than five training images or one test image; data_error if the directory cannot be
/// written or holds data files without such a note.
/// Example: rp::write_synthetic_cifar10("cifar", {.seed = 42, .train = 50'000, .test = 10'000});
inline void write_synthetic_cifar10(const std::string& directory, const synthetic_cifar_options& options = {},
                                    const data_progress& progress = {}) {
  detail::write_synthetic_cifar(directory, cifar10_format, cifar_names::train10, cifar_names::test10, options,
                                progress);
}
/// Ensures the same for 100 classes, each figure in ten colours (class = figure + 10·colour), in the two files of
/// CIFAR-100, whose groups of classes are all 0. Throws: as write_synthetic_cifar10(), for less than one training
/// image.
inline void write_synthetic_cifar100(const std::string& directory, const synthetic_cifar_options& options = {},
                                     const data_progress& progress = {}) {
  detail::write_synthetic_cifar(directory, cifar100_format, std::array{cifar_names::train100}, cifar_names::test100,
                                options, progress);
}

/// CIFAR images with one class each, stored as the bytes of their files: 154 MB for CIFAR-10's 50,000; floats would
/// need 614 MB. gather() returns pixel / 255, with the three colours of a pixel adjacent.
class cifar_dataset final : public dataset {
 public:
  explicit cifar_dataset(cifar_images images, int classes) : images_(std::move(images)), classes_(classes) {}

  [[nodiscard]] index_t size() const override { return images_.size(); }
  [[nodiscard]] shape sample_shape() const override {
    return {cifar_format::side, cifar_format::side, cifar_format::channels};
  }
  [[nodiscard]] int classes() const override { return classes_; }
  [[nodiscard]] gathering gathered() const override { return gathering::on_any_threads; }
  [[nodiscard]] bool stays_the_same() const override { return true; }
  void gather(std::span<const index_t> rows, float* x, std::int32_t* labels) const override {
    constexpr index_t plane = cifar_format::side * cifar_format::side;
    for (const index_t row : rows) {
      const std::uint8_t* const image = images_.pixels.data() + row * cifar_format::image_bytes;
      for (index_t i = 0; i < plane; ++i)
        for (index_t c = 0; c < cifar_format::channels; ++c) *x++ = static_cast<float>(image[c * plane + i]) / 255.0F;
      *labels++ = images_.labels[static_cast<std::size_t>(row)];
    }
  }

 private:
  cifar_images images_;
  int classes_;
};

/// Training and test data.
struct cifar_data {
  cifar_dataset train, test;
};

namespace detail {
/// Reads the named files of `directory` in sequence.
template <class Names>
[[nodiscard]] cifar_dataset load_cifar(const std::string& directory, const cifar_format& format, const Names& names) {
  cifar_images images;
  for (const std::string_view name : names) {
    const std::string file = in_directory(directory, name);
    require<data_error>(status_of(file).exists, "cifar: ", directory, " has no ", name,
                        format.classes == 10 ? "; must hold data_batch_1.bin to data_batch_5.bin and test_batch.bin"
                                             : "; must hold train.bin and test.bin");
    read_cifar(file, format, images);
  }
  return cifar_dataset(std::move(images), format.classes);
}
}  // namespace detail

/// Reads CIFAR-10 from its six binary files (data_batch_1.bin … data_batch_5.bin, test_batch.bin), with any number of
/// records.
///
/// Throws: data_error if a file is missing (naming all) or invalid: read_cifar().
/// Example:
///   const rp::cifar_data images = rp::cifar10("data/cifar-10-batches-bin");
///   images.train.size() == 50'000 && images.train.sample_shape() == rp::shape{32, 32, 3}
[[nodiscard]] inline cifar_data cifar10(const std::string& directory) {
  return {detail::load_cifar(directory, cifar10_format, cifar_names::train10),
          detail::load_cifar(directory, cifar10_format, std::array{cifar_names::test10})};
}
/// Reads CIFAR-100 from its two files (train.bin, test.bin), with the 100 classes. Throws: as cifar10().
[[nodiscard]] inline cifar_data cifar100(const std::string& directory) {
  return {detail::load_cifar(directory, cifar100_format, std::array{cifar_names::train100}),
          detail::load_cifar(directory, cifar100_format, std::array{cifar_names::test100})};
}

/// Reads synthetic images in CIFAR-10's format from `directory`, creating them first if missing: see
/// write_synthetic_cifar10().
[[nodiscard]] inline cifar_data synthetic_cifar10(const std::string& directory,
                                                  const synthetic_cifar_options& options = {},
                                                  const data_progress& progress = {}) {
  write_synthetic_cifar10(directory, options, progress);
  return cifar10(directory);
}
/// Reads synthetic images in CIFAR-100's format from `directory`: see write_synthetic_cifar100().
[[nodiscard]] inline cifar_data synthetic_cifar100(const std::string& directory,
                                                   const synthetic_cifar_options& options = {},
                                                   const data_progress& progress = {}) {
  write_synthetic_cifar100(directory, options, progress);
  return cifar100(directory);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/input_file.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// How CIFAR's binary files are laid out: records one after another, each of its label bytes, then 1024 red, 1024 green
/// and 1024 blue bytes, row by row.
struct cifar_format {
  static constexpr index_t side = 32, channels = 3, image_bytes = side * side * channels;

  index_t label_bytes;  // of a record
  index_t label_at;     // which of them is the class
  int classes;

  [[nodiscard]] constexpr index_t record_bytes() const noexcept { return label_bytes + image_bytes; }
};
/// Records of 3073 bytes.
inline constexpr cifar_format cifar10_format{.label_bytes = 1, .label_at = 0, .classes = 10};
/// Records of 3074 bytes, of which the first says which of 20 groups of classes it is, the second the class.
inline constexpr cifar_format cifar100_format{.label_bytes = 2, .label_at = 1, .classes = 100};

/// The files of CIFAR-10 and CIFAR-100.
struct cifar_names {
  static constexpr std::array<std::string_view, 5> train10{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                                           "data_batch_4.bin", "data_batch_5.bin"};
  static constexpr std::string_view test10 = "test_batch.bin", train100 = "train.bin", test100 = "test.bin";
};

/// Images as they lie in the files, 3072 bytes each, and their classes.
struct cifar_images {
  std::vector<std::uint8_t> pixels, labels;

  [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(labels.size()); }
};

/// Reads a binary file of CIFAR behind the images that are there.
///
/// The file's size is held against the format before anything is allocated; memory stays below twice what is read in
/// all.
/// Throws: data_error, naming the file, what it is and what it must be, if it cannot be read, is empty or no whole
/// number of records, or a label is no class; nothing has been added then.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

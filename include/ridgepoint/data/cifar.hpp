// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/types.hpp>
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

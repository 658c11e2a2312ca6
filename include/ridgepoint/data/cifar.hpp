// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/data/read_cifar.hpp>
#include <ridgepoint/data/synthetic_cifar.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Images of CIFAR with a class each, kept as the bytes of their files: 154 MB for CIFAR-10's 50,000 where floats need
/// 614 MB. gather() gives pixel / 255, and the three colours of a pixel side by side.
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

/// What is learnt from, and what is tested on.
struct cifar_data {
  cifar_dataset train, test;
};

namespace detail {
/// These files of `directory`, one behind another.
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

/// CIFAR-10 from its six binary files (data_batch_1.bin … data_batch_5.bin, test_batch.bin), of any number of records.
///
/// Throws: data_error if a file is missing (naming all) or not what it should be: read_cifar().
/// Example:
///   const rp::cifar_data images = rp::cifar10("data/cifar-10-batches-bin");
///   images.train.size() == 50'000 && images.train.sample_shape() == rp::shape{32, 32, 3}
[[nodiscard]] inline cifar_data cifar10(const std::string& directory) {
  return {detail::load_cifar(directory, cifar10_format, cifar_names::train10),
          detail::load_cifar(directory, cifar10_format, std::array{cifar_names::test10})};
}
/// CIFAR-100 from its two (train.bin, test.bin), with the 100 classes. Throws: as cifar10().
[[nodiscard]] inline cifar_data cifar100(const std::string& directory) {
  return {detail::load_cifar(directory, cifar100_format, std::array{cifar_names::train100}),
          detail::load_cifar(directory, cifar100_format, std::array{cifar_names::test100})};
}

/// Synthetic images in CIFAR-10's format from `directory`, drawn into it first unless they are there: see
/// write_synthetic_cifar10().
[[nodiscard]] inline cifar_data synthetic_cifar10(const std::string& directory,
                                                  const synthetic_cifar_options& options = {},
                                                  const data_progress& progress = {}) {
  write_synthetic_cifar10(directory, options, progress);
  return cifar10(directory);
}
/// The same in CIFAR-100's format: see write_synthetic_cifar100().
[[nodiscard]] inline cifar_data synthetic_cifar100(const std::string& directory,
                                                   const synthetic_cifar_options& options = {},
                                                   const data_progress& progress = {}) {
  write_synthetic_cifar100(directory, options, progress);
  return cifar100(directory);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

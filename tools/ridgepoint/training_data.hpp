// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <ridgepoint/data/augmented_images.hpp>
#include <ridgepoint/data/cifar.hpp>
#include <ridgepoint/data/mnist.hpp>
#include <ridgepoint/data/own_targets.hpp>
#include <ridgepoint/data/standardised_images.hpp>
#include <ridgepoint/models/all.hpp>

#include "progress_bar.hpp"

namespace tool {

/// What --help says of --data.
inline constexpr const char* which_data =
    "Directory with MNIST's four IDX files or CIFAR-10's six binary files, as the network needs (default: synthetic "
    "ones, drawn into data/digits or data/cifar10";

/// Throws: value_error if the data set has less than a batch.
inline void check_batch(const ridgepoint::any_dataset& data, ridgepoint::index_t batch) {
  ridgepoint::require<ridgepoint::value_error>(batch <= data.size(), "data set: has ", data.size(),
                                               " samples; must have at least a batch of ", batch);
}

namespace detail {
/// What `directory` holds; if it is empty, what `draw` draws into data/`name` below `out` the first time.
template <class Read, class Draw>
auto load_or_draw(const std::string& directory, const std::filesystem::path& out, std::string_view name, Read&& read,
                  Draw&& draw) {
  if (!directory.empty()) return read(directory);
  const std::string drawn = (out / "data" / name).lexically_normal().string();
  progress_bar bar(ridgepoint::concat("drawing synthetic ", name, " into ", drawn));
  return draw(drawn, [&](auto done, auto total) { bar.show(done, total); });
}
}  // namespace detail

/// MNIST's four files from `directory`; if it is empty, synthetic digits.
/// Throws: data_error.
[[nodiscard]] inline ridgepoint::mnist_data load_digits(const std::string& directory,
                                                        const std::filesystem::path& out = {}) {
  return detail::load_or_draw(directory, out, "digits", ridgepoint::mnist, [](const auto& drawn, const auto& progress) {
    return ridgepoint::synthetic_mnist(drawn, {}, progress);
  });
}
/// CIFAR-10's six files from `directory`; if it is empty, synthetic images.
/// Throws: data_error.
[[nodiscard]] inline ridgepoint::cifar_data load_cifar10(const std::string& directory,
                                                         const std::filesystem::path& out = {}) {
  return detail::load_or_draw(
      directory, out, "cifar10", ridgepoint::cifar10,
      [](const auto& drawn, const auto& progress) { return ridgepoint::synthetic_cifar10(drawn, {}, progress); });
}

/// What a network learns from and is tested on: images as they are read, and what its study makes of them.
class training_data {
 public:
  template <class Model>
  [[nodiscard]] static training_data of(const std::string& directory, const std::filesystem::path& out = {}) {
    namespace models = ridgepoint::models;
    constexpr bool cifar = std::same_as<Model, models::cifar10_cnn> || std::same_as<Model, models::resnet_32>;
    training_data data;
    if constexpr (cifar) data.read(load_cifar10(directory, out));
    else data.read(load_digits(directory, out));
    if constexpr (std::same_as<Model, models::cifar10_cnn>) change<ridgepoint::augmented_images>(data.train_);
    if constexpr (std::same_as<Model, models::resnet_32>) data.change_both<ridgepoint::standardised_images>();
    if constexpr (std::same_as<Model, models::mnist_autoencoder>) data.change_both<ridgepoint::own_targets>();
    return data;
  }
  [[nodiscard]] const ridgepoint::any_dataset& train() const { return *train_.back(); }
  [[nodiscard]] const ridgepoint::any_dataset& test() const { return *test_.back(); }

 private:
  using stages = std::vector<std::unique_ptr<ridgepoint::any_dataset>>;  // each of the one before

  template <class Data>
  void read(Data data) {
    train_.push_back(std::make_unique<decltype(data.train)>(std::move(data.train)));
    test_.push_back(std::make_unique<decltype(data.test)>(std::move(data.test)));
  }
  template <class Changed>
  static void change(stages& to) {
    to.push_back(std::make_unique<Changed>(dynamic_cast<const ridgepoint::dataset&>(*to.back())));
  }
  template <class Changed>
  void change_both() {
    change<Changed>(train_);
    change<Changed>(test_);
  }

  stages train_, test_;
};

}  // namespace tool

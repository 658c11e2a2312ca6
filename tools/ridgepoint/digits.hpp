// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <type_traits>

#include <ridgepoint/data/mnist.hpp>
#include <ridgepoint/models/all.hpp>

#include "progress_bar.hpp"

namespace tool {

template <class... Models>
constexpr auto networks_for_digits(ridgepoint::type_list<Models...>) {
  using ridgepoint::type_list;
  return (type_list<>{} + ... +
          std::conditional_t<Models::name.starts_with("mnist-"), type_list<Models>, type_list<>>{});
}
/// The reference networks that MNIST's digits fit: those that are named after it.
using digit_networks = decltype(networks_for_digits(ridgepoint::models::all{}));

/// "mnist-mlp, mnist-cnn"
template <class... Models>
[[nodiscard]] std::string names(ridgepoint::type_list<Models...>) {
  std::string list;
  ((list += ridgepoint::concat(list.empty() ? "" : ", ", Models::name)), ...);
  return list;
}

/// Throws: value_error if the data set has less than a batch.
inline void check_batch(const ridgepoint::dataset& data, ridgepoint::index_t batch) {
  ridgepoint::require<ridgepoint::value_error>(batch <= data.size(), "data set: has ", data.size(),
                                               " samples; must have at least a batch of ", batch);
}

inline constexpr const char* synthetic_directory = "data/digits";

/// MNIST's four files from `directory`; if it is empty, synthetic digits, drawn into data/digits the first time.
/// Throws: data_error.
[[nodiscard]] inline ridgepoint::mnist_data load_digits(const std::string& directory) {
  if (!directory.empty()) return ridgepoint::mnist(directory);
  progress_bar bar(std::string("drawing synthetic digits into ") + synthetic_directory);
  return ridgepoint::synthetic_mnist(synthetic_directory, {}, [&](auto done, auto total) { bar.show(done, total); });
}

}  // namespace tool

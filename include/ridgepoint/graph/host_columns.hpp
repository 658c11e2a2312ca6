// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>

#include <ridgepoint/graph/host_values.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What all inputs, or all losses, of a network are fed with: host_values for the only one, or a list with those of
/// each, or a span of as many. Refers to them; a parameter of a call that ends before they do.
/// Example:
///   trainer.step(x, labels);
///   trainer.step({left, right}, {labels, pixels});
template <std::floating_point T>
class host_columns {
 public:
  template <class Values>
    requires(std::convertible_to<const Values&, host_values<T>>)
  host_columns(const Values& only) : only_(only) {}
  host_columns(std::initializer_list<host_values<T>> each) noexcept
      : host_columns(std::span<const host_values<T>>(each.begin(), each.size())) {}
  host_columns(std::span<const host_values<T>> each) noexcept
      : only_(std::span<const T>()), each_(each), listed_(true) {}

  [[nodiscard]] std::span<const host_values<T>> all() const noexcept { return listed_ ? each_ : std::span(&only_, 1); }

 private:
  host_values<T> only_;
  std::span<const host_values<T>> each_ = {};
  bool listed_ = false;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

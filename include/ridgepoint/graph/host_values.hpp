// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include <ridgepoint/core/element.hpp>
#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What an input or a loss of a network is fed with, in a program's own memory: numbers of type T, or ids and labels as
/// std::int32_t. Made from what is contiguous: vectors, arrays, spans.
/// Example:
///   const std::vector<std::int32_t> labels = {0, 2};
///   const rp::host_values<float> y = labels;                 // y.type() is rp::element::i32
template <std::floating_point T>
class host_values {
 public:
  template <class Range>
    requires(std::convertible_to<const Range&, std::span<const T>>)
  host_values(const Range& numbers) : host_values(std::span<const T>(numbers)) {}
  template <class Range>
    requires(std::convertible_to<const Range&, std::span<const std::int32_t>>)
  host_values(const Range& ids) : host_values(std::span<const std::int32_t>(ids)) {}
  host_values(std::span<const T> numbers) noexcept : data_(numbers.data()), size_(numbers.size()) {}
  host_values(std::span<const std::int32_t> ids) noexcept : data_(ids.data()), size_(ids.size()), type_(element::i32) {}

  [[nodiscard]] element type() const noexcept { return type_; }
  [[nodiscard]] const void* data() const noexcept { return data_; }
  [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(size_); }
  /// Requires: they are of this type.
  [[nodiscard]] std::span<const T> numbers() const noexcept { return {static_cast<const T*>(data_), size_}; }
  [[nodiscard]] std::span<const std::int32_t> ids() const noexcept {
    return {static_cast<const std::int32_t*>(data_), size_};
  }
  /// `count` of them, from `first` on.
  [[nodiscard]] host_values part(index_t first, index_t count) const noexcept {
    const auto from = static_cast<std::size_t>(first), n = static_cast<std::size_t>(count);
    return type_ == element::i32 ? host_values(ids().subspan(from, n)) : host_values(numbers().subspan(from, n));
  }

  /// Throws: value_error, which begins with what is fed, unless they are ids where i32 is wanted and numbers where not.
  template <class... What>
  void check_suits(element wanted, const What&... what) const {
    const auto say = [](element type) {
      return type == element::i32 ? "std::int32_t" : std::same_as<T, float> ? "float" : "double";
    };
    require<value_error>((wanted == element::i32) == (type_ == element::i32), what..., " is given values of ",
                         say(type_), "; must be ", say(wanted));
  }

 private:
  const void* data_;
  std::size_t size_;
  element type_ = element_of<T>;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

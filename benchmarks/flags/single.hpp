// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <compare>
#include <concepts>

#include <ridgepoint/core/scalar.hpp>

namespace flags {

/// Float with sums in float, as in a program that ignores rounding: the definitions in it are plain loops that a
/// compiler may vectorise, contract and reorder.
struct single {
  float value = 0;
  constexpr single() = default;
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  explicit constexpr single(Number number) noexcept : value(static_cast<float>(number)) {}

  friend single operator-(single x) noexcept { return single(-x.value); }
  friend single operator+(single x, single y) noexcept { return single(x.value + y.value); }
  friend single operator-(single x, single y) noexcept { return single(x.value - y.value); }
  friend single operator*(single x, single y) noexcept { return single(x.value * y.value); }
  friend single operator/(single x, single y) noexcept { return single(x.value / y.value); }
  friend bool operator==(single x, single y) noexcept { return x.value == y.value; }
  friend auto operator<=>(single x, single y) noexcept { return x.value <=> y.value; }
  friend single sqrt(single x) noexcept { return single(std::sqrt(x.value)); }
  friend single exp(single x) noexcept { return single(std::exp(x.value)); }
  friend single log(single x) noexcept { return single(std::log(x.value)); }
  friend single tanh(single x) noexcept { return single(std::tanh(x.value)); }
  friend single erf(single x) noexcept { return single(std::erf(x.value)); }
  friend single sigmoid(single x) noexcept { return single(1) / (single(1) + exp(-x)); }
  explicit operator double() const noexcept { return static_cast<double>(value); }
};

}  // namespace flags

template <>
struct ridgepoint::scalar_traits<flags::single> {
  using accumulator = flags::single;
  static constexpr unsigned bytes = 4;
};

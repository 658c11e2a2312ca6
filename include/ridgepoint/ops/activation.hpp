// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/roofline/work.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A function of one value:
///   none x · relu max(x, 0) · leaky_relu x > 0 ? x : slope·x · sigmoid 1/(1+e^−x) · tanh ·
///   hard_sigmoid min(max(0.2·x + 0.5, 0), 1) · relu6 min(max(x, 0), 6) · gelu x·(1 + erf(x/√2))/2
/// NaN stays NaN in all of them. Derivatives are computed from the output (0 ≤ slope < ∞ keeps the sign), except
/// gelu's, which is not monotonic: from the input.
enum class activation { none, relu, leaky_relu, sigmoid, tanh, hard_sigmoid, relu6, gelu };

inline constexpr int activation_count = 8;

/// Placeholder for an option called `activation`: assigning it does not compile, and the message names the right
/// option. It takes no memory.
struct named_act {
  constexpr named_act() = default;
  template <class X>
  constexpr named_act(const X&) noexcept {
    static_assert(std::is_void_v<X>, "the option is act, not activation: {.act = rp::activation::relu}");
  }
};
/// Placeholder in the options of convolutions, whose activation is a separate argument.
struct act_follows {
  constexpr act_follows() = default;
  template <class X>
  constexpr act_follows(const X&) noexcept {
    static_assert(std::is_void_v<X>,
                  "an activation follows the options: conv2d(on, x, w, bias, y, {.stride = 2}, "
                  "rp::activation::relu)");
  }
};
/// Placeholder in the options of cells with gates, whose other functions are always tanh.
struct named_gate {
  constexpr named_gate() = default;
  template <class X>
  constexpr named_gate(const X&) noexcept {
    static_assert(std::is_void_v<X>, "the option is gate, not activation: gates use it, all others are tanh");
  }
};

/// Returns true if the derivative is computed from x instead of y = f(x).
[[nodiscard]] constexpr bool derives_from_input(activation f) noexcept { return f == activation::gelu; }

[[nodiscard]] constexpr std::string_view to_string(activation f) noexcept {
  constexpr std::string_view names[] = {"none", "relu",         "leaky_relu", "sigmoid",
                                        "tanh", "hard_sigmoid", "relu6",      "gelu"};
  const auto i = static_cast<unsigned>(f);
  return i < activation_count ? names[i] : std::string_view("unknown");
}

/// Returns true if gemm and dense can fuse f: it has no parameter, and its derivative does not need the input.
[[nodiscard]] constexpr bool fusable(activation f) noexcept {
  return f == activation::none || f == activation::relu || f == activation::relu6 || f == activation::sigmoid ||
         f == activation::tanh;
}

/// Arithmetic of one activation over `elements` values already in registers, without traffic: relu is one comparison,
/// relu6 two, leaky_relu a multiplication and a comparison, hard_sigmoid two of each kind, sigmoid and tanh one special
/// each, gelu one and four FLOP.
[[nodiscard]] constexpr work activation_arithmetic(activation f, std::uint64_t elements) noexcept {
  switch (f) {
    case activation::relu:
      return {.flop = elements};
    case activation::leaky_relu:
    case activation::relu6:
      return {.flop = 2 * elements};
    case activation::hard_sigmoid:
      return {.flop = 4 * elements};
    case activation::sigmoid:
    case activation::tanh:
      return {.special = elements};
    case activation::gelu:
      return {.flop = 4 * elements, .special = elements};
    case activation::none:
      break;
  }
  return {};
}

/// Arithmetic of dx = f'(x)·dy from y = f(x): relu one comparison, relu6 and leaky_relu two FLOP, the others three;
/// gelu from x: nine and two specials.
[[nodiscard]] constexpr work activation_backward_arithmetic(activation f, std::uint64_t elements) noexcept {
  switch (f) {
    case activation::relu:
      return {.flop = elements};
    case activation::leaky_relu:
    case activation::relu6:
      return {.flop = 2 * elements};
    case activation::sigmoid:
    case activation::tanh:
    case activation::hard_sigmoid:
      return {.flop = 3 * elements};
    case activation::gelu:
      return {.flop = 9 * elements, .special = 2 * elements};
    case activation::none:
      break;
  }
  return {};
}

namespace detail {
inline void check_slope(std::string_view op, activation f, double slope) {
  require<value_error>(f != activation::leaky_relu || (std::isfinite(slope) && slope >= 0), op, ": slope is ", slope,
                       "; must be finite and >= 0");
}
}  // namespace detail

/// Throws: value_error unless f is fusable.
inline void check_fusable(std::string_view op, activation f) {
  require<value_error>(fusable(f), op, ": activation is ", to_string(f),
                       "; must be none, relu, relu6, sigmoid or tanh");
}
/// Throws: value_error unless f is fusable, or leaky_relu with a valid slope.
inline void check_fusable(std::string_view op, activation f, double slope) {
  require<value_error>(fusable(f) || f == activation::leaky_relu, op, ": activation is ", to_string(f),
                       "; must be none, relu, leaky_relu, relu6, sigmoid or tanh");
  detail::check_slope(op, f, slope);
}
/// Throws: value_error unless f is one of the enumerators.
inline void check_activation(std::string_view op, activation f) {
  require<value_error>(static_cast<unsigned>(f) < activation_count, op, ": activation is number ", static_cast<int>(f),
                       "; must be 0 to ", activation_count - 1);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

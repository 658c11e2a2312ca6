// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include <ridgepoint/roofline/work.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A function applied to each element of a result on its way to memory.
enum class activation { none, relu, sigmoid, tanh };

[[nodiscard]] constexpr std::string_view to_string(activation f) noexcept {
  constexpr std::string_view names[] = {"none", "relu", "sigmoid", "tanh"};
  return names[static_cast<int>(f)];
}

/// Arithmetic of one activation over `elements` values that are in registers already: relu is one comparison, sigmoid
/// and tanh one special each. No traffic.
[[nodiscard]] constexpr work activation_arithmetic(activation f, std::uint64_t elements) noexcept {
  switch (f) {
    case activation::relu: return {.flop = elements};
    case activation::sigmoid:
    case activation::tanh: return {.special = elements};
    case activation::none: break;
  }
  return {};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

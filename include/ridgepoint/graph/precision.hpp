// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/core/element.hpp>
#include <ridgepoint/ops/all.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What a plan stores and computes in. The ops of another precision than that of the values it is fed come as the last
/// argument of graph::train() and compile(), ops_of<precision::bf16>{}, but for rp::cpu, which has them compiled.
enum class precision : std::uint8_t {
  f32,   // float
  f64,   // double
  bf16,  // bfloat16, summed in float; the weights that are learnt, moments and statistics in float
  f16    // the same in float16, and losses in float, with loss_scaling
};
/// "f32"
[[nodiscard]] constexpr std::string_view to_string(precision p) noexcept {
  constexpr std::string_view names[] = {"f32", "f64", "bf16", "f16"};
  return names[static_cast<std::size_t>(p)];
}

/// Type of inputs, activations and gradients, and of the weights that ops read.
[[nodiscard]] constexpr element storage_of(precision p) noexcept {
  constexpr element stored[] = {element::f32, element::f64, element::bf16, element::f16};
  return stored[static_cast<std::size_t>(p)];
}
/// Type of what must not be rounded more: the weights that an optimiser updates, what it remembers, and statistics.
[[nodiscard]] constexpr element master_of(precision p) noexcept {
  return p == precision::f64 ? element::f64 : element::f32;
}
/// Whether its gradients are scaled: see loss_scaling.
[[nodiscard]] constexpr bool scales_losses(precision p) noexcept { return p == precision::f16; }

/// Of a network that is fed with float or double, where nothing else is asked for.
template <std::floating_point T>
inline constexpr precision precision_of = std::same_as<T, float> ? precision::f32 : precision::f64;

namespace detail {
template <precision P>
struct ops_of {
  using type = all_ops<float>;
};
template <>
struct ops_of<precision::f64> {
  using type = all_ops<double>;
};
template <>
struct ops_of<precision::bf16> {
  using type = decltype(all_ops<float>{} + all_ops<bfloat16>{} + conversion_ops{});
};
template <>
struct ops_of<precision::f16> {
  using type = decltype(all_ops<float>{} + all_ops<float16>{} + float16_conversion_ops{});
};
}  // namespace detail
/// Every op that plans of a precision use.
template <precision P>
using ops_of = typename detail::ops_of<P>::type;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

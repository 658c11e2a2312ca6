// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstring>
#include <type_traits>

#include <ridgepoint/core/element.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// Calls body(T{}) with the number type of this element.
template <class Body>
void with_number(element e, const Body& body) {
  if (e == element::f32) body(float{});
  else if (e == element::f64) body(double{});
  else if (e == element::bf16) body(bfloat16{});
  else body(float16{});
}
/// Converts a number to the narrowest type with arithmetic.
[[nodiscard]] inline float computable(bfloat16 x) noexcept { return static_cast<float>(x); }
[[nodiscard]] inline float computable(float16 x) noexcept { return static_cast<float>(x); }
template <std::floating_point T>
[[nodiscard]] T computable(T x) noexcept {
  return x;
}
}  // namespace detail

/// Converts numbers in host memory: to(i) ← from(i), rounded where the type is narrower. Equal types copy bytes.
/// Requires: both are numbers; no overlap.
/// Example:
///   rp::convert_elements(out.data(), rp::element::f32, in.data(), rp::element::f64, 3);
inline void convert_elements(void* to, element to_type, const void* from, element from_type, index_t count) {
  const auto n = static_cast<std::size_t>(count);
  if (to_type == from_type) {
    if (n != 0) std::memcpy(to, from, n * bytes_of(to_type));
    return;
  }
  detail::with_number(to_type, [&]<class To>(To) {
    detail::with_number(from_type, [&]<class From>(From) {
      constexpr bool through_float = !std::floating_point<To>;
      using between = std::conditional_t<through_float, float, To>;
      for (std::size_t i = 0; i < n; ++i) {  // memcpy: bytes of files and untyped memory hold no objects of the type
        From x;
        std::memcpy(&x, static_cast<const std::byte*>(from) + i * sizeof x, sizeof x);
        const To y(static_cast<between>(detail::computable(x)));
        std::memcpy(static_cast<std::byte*>(to) + i * sizeof y, &y, sizeof y);
      }
    });
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

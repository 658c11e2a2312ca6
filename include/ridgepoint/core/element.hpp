// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <type_traits>

#include <ridgepoint/core/float16.hpp>
#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The element type of values in memory, known at run time.
enum class element : std::uint8_t {
  f32,
  f64,
  bf16,
  f16,
  i32,
  i8,
  u8,
  other,  // a structure, or a type missing from this list
  stored  // in the arguments of a planned op: the type of its slots
};
/// Returns the name, such as "f32".
[[nodiscard]] constexpr std::string_view to_string(element e) noexcept {
  constexpr std::string_view names[] = {"f32", "f64", "bf16", "f16", "i32", "int8", "u8", "other", "stored"};
  static_assert(std::size(names) == static_cast<std::size_t>(element::stored) + 1);
  return names[static_cast<std::size_t>(e)];
}
/// Returns the size of one value in memory; 0 if unknown.
[[nodiscard]] constexpr std::size_t bytes_of(element e) noexcept {
  constexpr std::size_t bytes[] = {4, 8, 2, 2, 4, 1, 1, 0, 0};
  return bytes[static_cast<std::size_t>(e)];
}
/// True for the types that networks compute with.
[[nodiscard]] constexpr bool is_number(element e) noexcept { return e <= element::f16; }
/// True for the types with compute ceilings in a machine.
[[nodiscard]] constexpr bool has_ceilings(element e) noexcept { return is_number(e) || e == element::i8; }

/// Placeholder for the element type in the arguments of a planned op, written once for all types: add_args<stored>
/// becomes add_args<float> if its slots hold floats. It is incomplete, so that nothing can read such an element or step
/// over one.
/// Example:
///   to.add_call({}, [=](const rp::addresses& at) {
///     return rp::add_args<rp::stored>{.size = n, .a = at(a), .b = at(b), .y = at(y)};
///   });
struct stored;
template <>
struct scalar_traits<stored> {
  using accumulator = double;
  static constexpr unsigned bytes = 0;  // the receipts of a plan use the type of its slots
};

template <class T>
inline constexpr element element_of = element::other;
template <>
inline constexpr element element_of<float> = element::f32;
template <>
inline constexpr element element_of<double> = element::f64;
template <>
inline constexpr element element_of<bfloat16> = element::bf16;
template <>
inline constexpr element element_of<float16> = element::f16;
template <>
inline constexpr element element_of<std::int32_t> = element::i32;
template <>
inline constexpr element element_of<std::int8_t> = element::i8;
template <>
inline constexpr element element_of<std::uint8_t> = element::u8;
template <>
inline constexpr element element_of<stored> = element::stored;
template <class T>
inline constexpr element element_of<const T> = element_of<T>;

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

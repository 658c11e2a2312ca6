// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <type_traits>

#include <ridgepoint/core/float16.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The accumulator type of reference kernels for T; only scalars have one. float and double accumulate in double,
/// bfloat16 and float16, which are storage types, compute and accumulate in float.
/// Specialise it for another scalar, such as the counting one that verifies the receipts.
template <class T>
struct scalar_traits;
template <std::floating_point T>
struct scalar_traits<T> {
  using accumulator = double;
  static constexpr unsigned bytes = sizeof(T);  // of one element in memory
};
template <class T>
  requires(std::same_as<T, bfloat16> || std::same_as<T, float16>)
struct scalar_traits<T> {
  using accumulator = float;
  using compute = float;
  static constexpr unsigned bytes = 2;
};
template <class T>
using accumulator_t = typename scalar_traits<T>::accumulator;

namespace detail {
template <class T>
struct compute : std::type_identity<T> {};
template <class T>
  requires requires { typename scalar_traits<T>::compute; }
struct compute<T> : std::type_identity<typename scalar_traits<T>::compute> {};
}  // namespace detail
/// The type that kernels compute T in, and of α and β for elements of T: T itself, or the type in scalar_traits for a
/// storage type: float for bfloat16 and float16.
template <class T>
using compute_t = typename detail::compute<T>::type;

template <class T>
concept scalar = requires {
  typename scalar_traits<T>::accumulator;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <type_traits>

#include <ridgepoint/core/bfloat16.hpp>
#include <ridgepoint/core/float16.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What a reference kernel accumulates T in, and whether T is a number at all. float and double accumulate in double,
/// bfloat16 and float16, which only store, compute and accumulate in float.
/// Specialise it for another scalar, such as the counting one that proves the receipts.
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
/// What kernels compute T in, and what α and β beside elements of T are. T itself, or what scalar_traits says for one
/// that only stores: float for bfloat16 and float16.
template <class T>
using compute_t = typename detail::compute<T>::type;

template <class T>
concept scalar = requires {
  typename scalar_traits<T>::accumulator;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

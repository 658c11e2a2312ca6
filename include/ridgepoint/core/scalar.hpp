// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What a reference kernel accumulates T in, and whether T is a number at all. float and double accumulate in double.
/// Specialise it for another scalar, such as the counting one that proves the receipts.
template <class T>
struct scalar_traits;
template <std::floating_point T>
struct scalar_traits<T> {
  using accumulator = double;
  static constexpr unsigned bytes = sizeof(T);  // of one element in memory
};
template <class T>
using accumulator_t = typename scalar_traits<T>::accumulator;

template <class T>
concept scalar = requires {
  typename scalar_traits<T>::accumulator;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

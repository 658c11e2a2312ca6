// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>
#include <string_view>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/scalar.hpp>

/// \file
/// Checks of hyper-parameters that ops share.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Throws: value_error unless 0 ≤ value < 1.
inline void check_decay(std::string_view op, std::string_view name, double value) {
  require<value_error>(value >= 0 && value < 1, op, ": ", name, " is ", value, "; must be >= 0 and < 1");
}
/// Throws: value_error unless epsilon is finite and still positive as an element: it keeps a divisor from being 0.
template <scalar T>
void check_epsilon(std::string_view op, double epsilon) {
  using precise = std::conditional_t<scalar_traits<T>::bytes == 4, float, double>;
  constexpr auto smallest = static_cast<double>((std::numeric_limits<precise>::min)());
  require<value_error>(std::isfinite(epsilon) && epsilon >= smallest, op, ": epsilon is ", epsilon,
                       "; must be at least ", smallest, " and finite");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

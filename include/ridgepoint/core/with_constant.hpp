// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Calls f(std::integral_constant<First>), …, or f(std::integral_constant<Last>): the one that equals `value`, a number
/// or an enumerator. Requires: First ≤ value ≤ Last.
///
/// As fast as a switch: everything but f is inlined, and the compiler sees a chain of comparisons with constants.
///
///     with_constant<1, 6>(columns, [&](auto cols) { dot_tile<float, 2, cols>(…); });
template <auto First, auto Last, class Value, class F>
  requires(First <= Last)
RIDGEPOINT_INLINE constexpr decltype(auto) with_constant(Value value, F&& f) {
  using type = decltype(First);
  if constexpr (First == Last) {
    RIDGEPOINT_ASSERT(value == static_cast<Value>(Last));
    return f(std::integral_constant<type, Last>{});
  } else {
    if (value == static_cast<Value>(First)) return f(std::integral_constant<type, First>{});
    constexpr auto next = static_cast<type>(static_cast<long long>(First) + 1);
    return with_constant<next, type{Last}>(value, f);
  }
}

/// Calls f(std::integral_constant) for the element of a constexpr array at namespace scope that equals `value`.
/// Requires: `value` is one of them.
///
///     inline constexpr int chains[] = {4, 8, 16};
///     with_constant_of<chains>(n, [&](auto count) { peak<count>(…); });
template <const auto& Values, std::size_t First = 0, class Value, class F>
RIDGEPOINT_INLINE constexpr decltype(auto) with_constant_of(Value value, F&& f) {
  using type = std::remove_cvref_t<decltype(Values[First])>;
  if constexpr (First + 1 == std::size(Values)) {
    RIDGEPOINT_ASSERT(value == Values[First]);
    return f(std::integral_constant<type, Values[First]>{});
  } else {
    if (value == Values[First]) return f(std::integral_constant<type, Values[First]>{});
    return with_constant_of<Values, First + 1>(value, f);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A list of types, for tables with one entry per type.
template <class... Ts>
struct type_list {
 private:
  /// Returns the first position of T, or the size of the list if absent. Not a fold: compilers limit their length.
  template <class T>
  static constexpr std::size_t position_of() noexcept {
    constexpr bool is_same[] = {std::is_same_v<T, Ts>..., true};
    std::size_t at = 0;
    while (!is_same[at]) ++at;
    return at;
  }

 public:
  static constexpr std::size_t size = sizeof...(Ts);
  template <class T>
  static constexpr bool contains = position_of<T>() < size;
  /// Position of T in the list.
  template <class T>
    requires contains<T>
  static constexpr std::size_t index_of = position_of<T>();
};

/// Concatenates two lists.
template <class... As, class... Bs>
constexpr type_list<As..., Bs...> operator+(type_list<As...>, type_list<Bs...>) noexcept {
  return {};
}

/// Returns the types of the first list that are not in the second, in order.
template <class... As, class Others>
constexpr auto operator-(type_list<As...>, Others) noexcept {
  return (type_list<>{} + ... + std::conditional_t<Others::template contains<As>, type_list<>, type_list<As>>{});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

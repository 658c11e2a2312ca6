// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

template <class T>
void append(std::string& out, const T& part) {
  if constexpr (std::same_as<T, char>) {
    out += part;
  } else if constexpr (std::same_as<T, bool>) {
    out += part ? "true" : "false";
  } else if constexpr (std::integral<T> || std::floating_point<T>) {
    char digits[32];
    std::to_chars_result end{};
    if constexpr (std::floating_point<T>)
      end = std::to_chars(digits, digits + sizeof digits, part, std::chars_format::general, 6);
    else end = std::to_chars(digits, digits + sizeof digits, part);
    const std::string_view text(digits, static_cast<std::size_t>(end.ptr - digits));
    out += text == "-nan" ? text.substr(1) : text;  // the sign of a NaN depends on the processor
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    out += std::string_view(part);
  } else {
    out += to_string(part);  // found by argument-dependent lookup
  }
}

}  // namespace detail

/// Concatenates the parts into one string: text, numbers (never locale dependent, six significant digits, any NaN as
/// "nan") and anything with a to_string() in its namespace.
/// Example: concat("gemm: a is ", 3, 'x', 4) == "gemm: a is 3x4"
template <class... Parts>
[[nodiscard]] std::string concat(const Parts&... parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

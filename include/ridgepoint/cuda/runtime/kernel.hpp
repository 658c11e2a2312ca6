// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <type_traits>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/scalar.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A kernel of cuda/device: its header, its name, and the type it is instantiated for.
struct kernel_name {
  const char* header;   // "losses"
  const char* name;     // "mse"
  const char* element;  // "float"; "" if not a template

  /// Returns the program that contains it, all kernels of its header for its type: "losses<float>".
  [[nodiscard]] std::string program() const { return concat(header, '<', element, '>'); }
  /// Returns its NVRTC name expression: "ridgepoint_device::mse<float>".
  [[nodiscard]] std::string expression() const {
    return element[0] == 0 ? concat("ridgepoint_device::", name)
                           : concat("ridgepoint_device::", name, '<', element, '>');
  }
};

/// A kernel_name with the kernel's parameter types on the host.
template <class... Params>
struct kernel : kernel_name {};

template <class T>
inline constexpr const char* element_word = std::is_same_v<T, float>      ? "float"
                                            : std::is_same_v<T, double>   ? "double"
                                            : std::is_same_v<T, bfloat16> ? "ridgepoint_device::bfloat16"
                                                                          : "ridgepoint_device::float16";

/// Whether kernels compute T in T. Other types, bfloat16 and float16, have no kernels for ops that plans compute in
/// float.
template <class T>
inline constexpr bool computes_as_stored = std::is_same_v<compute_t<T>, T>;
template <class T>
concept short_element = !computes_as_stored<T>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/core/types.hpp>

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

/// A divisor for device code; must match device/threads.hpp. ⌊n / value⌋ = ⌊n·factor / 2^shift⌋ for all n < 2³¹.
///
/// With 2^l the smallest power of two ≥ value, shift = 31 + l and factor = ⌈2^shift / value⌉. The product is too large
/// by less than n·2^l / 2^shift < 1 of a value, which does not change the quotient (Granlund and Montgomery, Division
/// by Invariant Integers using Multiplication, 1994, theorem 4.2). The factor is below 2³².
struct divisor {
  index_t value;
  std::uint32_t factor = 0, shift = 0;  // 0: for values > 2³¹, whose quotient is 0, or < 1

  constexpr divisor(index_t number) noexcept : value(number) {
    constexpr index_t most = index_t{1} << 31;
    if (number < 1 || number > most) return;
    const auto by = static_cast<std::uint64_t>(number);
    shift = 31 + static_cast<std::uint32_t>(std::bit_width(by - 1));
    factor = static_cast<std::uint32_t>(((std::uint64_t{1} << shift) + by - 1) / by);
  }
};

/// A workspace that is divided into pieces at multiples of 256 bytes. A rehearsal, which has no workspace, aligns
/// pieces the same way, so that it finds the same plans of products, which depend on alignment. Without a workspace,
/// pieces have placeholder addresses: only their total size is used.
class pieces {
 public:
  explicit pieces(void* workspace) noexcept
      : at_(workspace == nullptr ? alignment : aligned(std::bit_cast<std::uintptr_t>(workspace))), start_(at_) {}

  /// Returns memory for `count` values.
  template <class T>
  [[nodiscard]] T* take(index_t count) noexcept {
    const std::uintptr_t here = at_;
    at_ += aligned(static_cast<std::uintptr_t>(count) * sizeof(T));
    return std::bit_cast<T*>(here);
  }
  /// Returns the size of a workspace that may begin at any address.
  [[nodiscard]] std::size_t bytes() const noexcept { return at_ == start_ ? 0 : at_ - start_ + alignment; }

 private:
  static constexpr std::uintptr_t alignment = 256;
  [[nodiscard]] static constexpr std::uintptr_t aligned(std::uintptr_t bytes) noexcept {
    return (bytes + alignment - 1) / alignment * alignment;
  }
  std::uintptr_t at_, start_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

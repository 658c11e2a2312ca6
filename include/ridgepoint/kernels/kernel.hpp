// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/types.hpp>

/// \file
/// A kernel is a type with an id and a static function `run` of plain data; only kernels are compiled once per
/// instruction set. Callers use `on.template call<kernels::name<T>>(…)`: direct on rp::native_cpu, through a table of
/// function pointers on rp::cpu. A call is a tile, a row or a chunk of ≥ 100 ns, never an element.
///
/// kernels/<folder>/<family>_kernels.hpp declares kernels without simd/. At its end it includes the header that defines
/// `run`, under RIDGEPOINT_WITH_KERNELS.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Identifies a kernel by its name and element types, in every copy of the library.
template <class... T>
[[nodiscard]] consteval std::uint64_t kernel_id(std::string_view name) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  const auto add = [&](unsigned value) { hash = (hash ^ value) * 0x100000001B3U; };
  for (const char c : name) add(static_cast<unsigned char>(c));
  (add(sizeof(T) * 4 + (std::is_floating_point_v<T> ? 2 : 0) + (std::is_integral_v<T> ? 1 : 0)), ...);
  return hash;
}

template <class K>
concept kernel = requires {
  { K::id } -> std::convertible_to<std::uint64_t>;
  &K::run;
};

/// Registers of an instruction set: everything that plans and schedules depend on.
struct vector_unit {
  int width_bytes = 0;  // 0: scalars
  int registers = 16;
  bool fma = false;

  /// Number of values of type T in one register.
  template <class T>
  [[nodiscard]] constexpr index_t lanes() const noexcept {
    return width_bytes == 0 ? 1 : width_bytes / static_cast<int>(sizeof(T));
  }
  /// Number of registers that hold n values of type T, the last one possibly partial.
  template <class T>
  [[nodiscard]] constexpr index_t vectors(index_t n) const noexcept {
    const index_t each = lanes<T>();
    return (n + each - 1) >> std::countr_zero(static_cast<std::uint64_t>(each));
  }
  /// a·b + c, rounded as by the kernels of this instruction set: code outside kernels is compiled without FMA.
  [[nodiscard]] double multiply_add(double a, double b, double c) const noexcept {
    return fma ? std::fma(a, b, c) : a * b + c;
  }
  friend bool operator==(const vector_unit&, const vector_unit&) = default;
};

/// Registers of an instruction set of core/isa.hpp.
template <class Isa>
inline constexpr vector_unit unit_of{Isa::width_bytes, Isa::registers, Isa::fma};

/// Kind of stores for outputs: cached or non-temporal. Non-temporal outputs are register-aligned and not inputs.
enum class stores { cached, streaming };

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

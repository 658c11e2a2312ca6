// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <ridgepoint/core/element.hpp>
#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/core/view.hpp>
#include <ridgepoint/roofline/work.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Use of an operand by an op, and its category in the receipt.
enum class operand_role : std::uint8_t {
  input,   // read
  weight,  // read; a weight in the receipt
  output,  // written, regardless of its contents
  update,  // a weight that is read and written
  sum      // an input that is read and written: the c of a product with β
};
[[nodiscard]] constexpr bool reads(operand_role role) noexcept { return role != operand_role::output; }
[[nodiscard]] constexpr bool writes(operand_role role) noexcept {
  return role != operand_role::input && role != operand_role::weight;
}

/// True if (data, extents…) or (view) suits a role: pointers to const for reading, to non-const for writing.
template <operand_role Role, class... Where>
inline constexpr bool of_role = false;
template <operand_role Role, class T, class... Extents>
inline constexpr bool of_role<Role, T*, Extents...> = std::is_const_v<T> != writes(Role);
template <operand_role Role, class T>
inline constexpr bool of_role<Role, matrix_view<T>> = std::is_const_v<T> != writes(Role);

/// One operand of an op. An op lists its operands once, as operands(args) declared with its arguments: first those it
/// reads, then those it writes. This list determines the checks of pointers and extents (check_operands()), the bytes
/// of the receipt (traffic_of()), and the reads and writes of a planned call.
///
/// Operands that are only read are pointers to const, written ones are not: anything else does not compile.
/// Example:
///   template <scalar T>
///   [[nodiscard]] constexpr auto operands(const add_args<T>& a) noexcept {
///     return std::array{operand::input("a", a.a, a.size).overwritable(),
///                       operand::input("b", a.b, a.size).overwritable(), operand::output("y", a.y, a.size)};
///   }
struct operand {
  static constexpr std::size_t max_rank = 4;

  std::string_view name;
  const void* data = nullptr;
  operand_role role = operand_role::input;
  std::uint8_t rank = 0;  // 0: one structure, the scalars of a step
  bool may_be_null = false, may_be_overwritten = false, may_run_backwards = false;
  element type = element::other;                             // of its elements
  std::uint32_t element_bytes = 0;                           // in memory
  std::uint32_t receipt_bytes = 0;                           // of an element; 0 for other types than numbers
  std::uint64_t counted = 0;                                 // elements in the receipt
  std::array<index_t, max_rank> extents = {}, strides = {};  // in elements, the innermost last

  /// Creates a read operand: dense elements (name, data, extents…) or a matrix (name, view).
  template <class... Where>
  [[nodiscard]] static constexpr operand input(std::string_view name, Where... where) noexcept {
    static_assert(of_role<operand_role::input, Where...>,
                  "an op reads pointers to const and writes pointers to non-const");
    return at<operand_role::input>(name, where...);
  }
  /// Creates a read operand that is a weight in the receipt.
  template <class... Where>
  [[nodiscard]] static constexpr operand weight(std::string_view name, Where... where) noexcept {
    static_assert(of_role<operand_role::weight, Where...>,
                  "an op reads pointers to const and writes pointers to non-const");
    return at<operand_role::weight>(name, where...);
  }
  /// Creates a written operand.
  template <class... Where>
  [[nodiscard]] static constexpr operand output(std::string_view name, Where... where) noexcept {
    static_assert(of_role<operand_role::output, Where...>,
                  "an op reads pointers to const and writes pointers to non-const");
    return at<operand_role::output>(name, where...);
  }
  /// Creates a read and written operand that is a weight in the receipt.
  template <class... Where>
  [[nodiscard]] static constexpr operand update(std::string_view name, Where... where) noexcept {
    static_assert(of_role<operand_role::update, Where...>,
                  "an op reads pointers to const and writes pointers to non-const");
    return at<operand_role::update>(name, where...);
  }
  /// Creates a read and written operand.
  template <class... Where>
  [[nodiscard]] static constexpr operand sum(std::string_view name, Where... where) noexcept {
    static_assert(of_role<operand_role::sum, Where...>,
                  "an op reads pointers to const and writes pointers to non-const");
    return at<operand_role::sum>(name, where...);
  }

  /// Returns a copy whose pointer may be null if the op does not use it.
  [[nodiscard]] constexpr operand optional() const noexcept {
    operand o = *this;
    o.may_be_null = true;
    return o;
  }
  /// Returns a copy whose memory may also be an output of its extents.
  [[nodiscard]] constexpr operand overwritable() const noexcept {
    operand o = *this;
    o.may_be_overwritten = true;
    return o;
  }
  /// Returns a copy that may have negative strides in non-contiguous dimensions: `data` is then after other elements.
  [[nodiscard]] constexpr operand reversible() const noexcept {
    operand o = *this;
    o.may_run_backwards = true;
    return o;
  }
  /// Returns a copy with these strides.
  template <std::same_as<index_t>... Steps>
  [[nodiscard]] constexpr operand strided(Steps... steps) const noexcept {
    operand o = *this;
    o.strides = {steps...};
    return o;
  }
  /// Returns a copy counted as the product of these factors in the receipt: elements that windows touch, or lookups.
  template <std::same_as<index_t>... Factors>
  [[nodiscard]] constexpr operand counting(Factors... factors) const noexcept {
    operand o = *this;
    o.counted = (std::uint64_t{1} * ... * static_cast<std::uint64_t>(factors));
    return o;
  }
  /// Returns a copy that the receipt counts only if `ok`: an empty batch needs no weights.
  [[nodiscard]] constexpr operand counting_if(bool ok) const noexcept { return ok ? *this : counting(index_t{0}); }

  /// Returns a copy whose elements have the type of a slot.
  [[nodiscard]] constexpr operand stored_as(element slot) const noexcept {
    operand o = *this;
    if (type == element::stored)
      o.element_bytes = o.receipt_bytes = static_cast<std::uint32_t>(bytes_of(o.type = slot));
    return o;
  }

  /// Returns true if the op does not use it.
  [[nodiscard]] constexpr bool absent() const noexcept { return may_be_null && data == nullptr; }
  [[nodiscard]] constexpr bool empty() const noexcept {
    for (std::size_t i = 0; i < rank; ++i)
      if (extents[i] == 0) return true;
    return false;
  }

 private:
  template <operand_role Role, class T, std::integral... Extents>
  [[nodiscard]] static constexpr operand at(std::string_view name, T* const data, Extents... extents) noexcept {
    static_assert(sizeof...(Extents) <= max_rank);
    operand o{.name = name,
              .data = data,
              .role = Role,
              .rank = sizeof...(Extents),
              .type = element_of<T>,
              .element_bytes = bytes_in_memory<T>(),
              .receipt_bytes = bytes_in_receipt<std::remove_const_t<T>>(),
              .counted = 1,
              .extents = {static_cast<index_t>(extents)...}};
    [&]<std::size_t... From>(std::index_sequence<From...>) {  // extents are unchecked here: may wrap around
      ((o.strides[o.rank - 1 - From] = static_cast<index_t>(o.counted),
        o.counted *= static_cast<std::uint64_t>(o.extents[o.rank - 1 - From])),
       ...);
    }
    (std::make_index_sequence<sizeof...(Extents)>{});
    return o;
  }
  template <operand_role Role, class T>
  [[nodiscard]] static constexpr operand at(std::string_view name, const matrix_view<T>& v) noexcept {
    return at<Role>(name, v.data, v.rows, v.cols).strided(v.row_stride, v.col_stride);
  }
  /// Until the plan sets the stored type, checks use the largest size.
  template <class T>
  [[nodiscard]] static constexpr std::uint32_t bytes_in_memory() noexcept {
    if constexpr (element_of<T> == element::stored) return sizeof(double);
    else return sizeof(T);
  }
  template <class T>
  [[nodiscard]] static constexpr std::uint32_t bytes_in_receipt() noexcept {
    if constexpr (scalar<T>) return scalar_traits<T>::bytes;
    else return std::integral<T> ? sizeof(T) : 0;
  }
};

/// True if operands() is declared for these arguments.
template <class Args>
concept lists_operands = requires(const Args& args) {
  std::span<const operand>(operands(args));
};

/// True if the first operand of an op is weights that it updates.
template <class Args>
inline constexpr bool updates_weights = [] {
  const operand first = operands(Args{})[0];
  return first.role == operand_role::update && first.receipt_bytes > 0;
}();

/// Returns the compulsory traffic of operands: inputs and weights read, outputs written. Its type is that of the first
/// operand of numbers.
[[nodiscard]] constexpr traffic traffic_of(std::span<const operand> operands) noexcept {
  traffic sum;
  for (const operand& o : operands) {
    if (sum.type == element::other && has_ceilings(o.type)) sum.type = o.type;
    if (o.absent()) continue;
    const std::uint64_t bytes = o.counted * o.receipt_bytes;
    const bool is_weight = o.role == operand_role::weight || o.role == operand_role::update;
    if (reads(o.role)) (is_weight ? sum.weights : sum.inputs) += bytes;
    if (writes(o.role)) sum.outputs += bytes;
  }
  return sum;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

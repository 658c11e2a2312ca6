// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/element.hpp>
#include <ridgepoint/core/error.hpp>
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

/// Formats as "3x4", with the strides unless dense: "3x4 (strides 8, 1)".
[[nodiscard]] inline std::string to_string(const operand& o) {
  std::string text, steps;
  bool dense = true;
  index_t step = 1;
  for (std::size_t i = o.rank; i-- > 0;) {
    const char* const separator = i + 1 < o.rank ? "x" : "";
    text = concat(o.extents[i], separator, text);
    steps = concat(o.strides[i], *separator != 0 ? ", " : "", steps);
    dense = dense && o.strides[i] == step;
    if (__builtin_mul_overflow(step, o.extents[i], &step)) step = 0;
  }
  return dense ? text : concat(text, " (strides ", steps, ')');
}

namespace detail {

inline constexpr std::size_t most_operands = 24;  // of an op

/// Returns true if the byte ranges [p, p + p_bytes) and [q, q + q_bytes) share a byte.
[[nodiscard]] inline bool overlap(const void* p, index_t p_bytes, const void* q, index_t q_bytes) noexcept {
  const auto a = reinterpret_cast<std::uintptr_t>(p), b = reinterpret_cast<std::uintptr_t>(q);
  return p_bytes > 0 && q_bytes > 0 && a < b + static_cast<std::uintptr_t>(q_bytes) &&
         b < a + static_cast<std::uintptr_t>(p_bytes);
}

/// Memory range of an operand's elements.
struct operand_memory {
  const void* first = nullptr;  // in memory
  index_t bytes = 0;            // from there to past the last; 0: none
};

/// Returns the length of a step in memory, in either direction if the operand is reversible; else it stays negative.
[[nodiscard]] constexpr index_t step_length(const operand& o, std::size_t i) noexcept {
  constexpr index_t most = (std::numeric_limits<index_t>::max)();
  const index_t stride = o.strides[i];
  return o.may_run_backwards && stride < 0 && stride >= -most ? -stride : stride;
}
/// Returns the elements from the first to past the last one, if rows are contiguous and no elements overlap: going
/// outwards, every step exceeds the span inside. Else 0. Requires: not empty.
/// Throws: shape_error if the span does not fit an index_t.
[[nodiscard]] inline index_t span_elements(const operand& o) {
  if (o.rank > 0 && o.extents[o.rank - 1U] > 1 && o.strides[o.rank - 1U] != 1) return 0;
  std::array<std::size_t, operand::max_rank> inner_first{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < o.rank; ++i) {
    if (o.extents[i] == 1) continue;  // never stepped
    std::size_t at = count++;
    for (; at > 0 && step_length(o, inner_first[at - 1]) > step_length(o, i); --at)
      inner_first[at] = inner_first[at - 1];
    inner_first[at] = i;
  }
  index_t span = 1;
  for (std::size_t c = 0; c < count; ++c) {
    const index_t extent = o.extents[inner_first[c]], stride = step_length(o, inner_first[c]);
    if (stride < span) return 0;
    span = checked_add(span, checked_mul(extent - 1, stride));
  }
  return span;
}

/// Returns the first element in memory: data, unless a stride is negative. Requires: its span fits.
[[nodiscard]] inline const void* first_in_memory(const operand& o) noexcept {
  auto at = reinterpret_cast<std::uintptr_t>(o.data);
  for (std::size_t i = 0; i < o.rank; ++i)
    if (o.strides[i] < 0) at -= static_cast<std::uintptr_t>((o.extents[i] - 1) * step_length(o, i) * o.element_bytes);
  return reinterpret_cast<const void*>(at);
}

/// Throws: shape_error unless extents, strides and sizes are possible and data points to the elements.
/// Returns their memory range.
[[nodiscard]] inline operand_memory check_operand(std::string_view op, const operand& o) {
  index_t size = 1;
  for (std::size_t i = 0; i < o.rank; ++i) {
    require<shape_error>(o.extents[i] >= 0 || o.rank > 1, op, ": size is ", o.extents[i], "; must be >= 0");
    require<shape_error>(o.extents[i] >= 0, op, ": ", o.name, " is ", o, "; extents must be >= 0");
  }
  for (std::size_t i = 0; i < o.rank; ++i) size = checked_mul(size, o.extents[i]);
  static_cast<void>(checked_mul(size, o.element_bytes));
  if (size == 0) return {};
  const index_t span = span_elements(o);
  require<shape_error>(span > 0, op, ": ", o.name, " is ", o,
                       o.rank == 2 ? "; rows must be contiguous and must not overlap" : "; elements must not overlap");
  require<shape_error>(o.data != nullptr || o.rank != 0, op, ": ", o.name,
                       " is a null pointer; must point to a step_state");
  require<shape_error>(o.data != nullptr || o.rank != 2, op, ": ", o.name, " is ", o,
                       " at a null pointer; must point to its elements");
  require<shape_error>(o.data != nullptr, op, ": ", o.name, " is a null pointer; must point to ", size, " elements");
  const index_t bytes = checked_mul(span, o.element_bytes);
  return {first_in_memory(o), bytes};
}
/// Returns the elements from the first to past the last of dimension i and the `inside` elements within it; 0 unless
/// both exist, strides separate the elements in the order of the extents, and rows are contiguous.
[[nodiscard]] RIDGEPOINT_INLINE index_t ordinary_span(const operand& o, std::size_t i, index_t inside) noexcept {
  constexpr index_t most = index_t{1} << 28;
  if (i >= o.rank) return inside;
  const bool separate = i + 1 < o.rank ? o.strides[i] >= inside && o.strides[i] <= most : o.strides[i] == 1;
  const bool ordinary = inside > 0 && separate && o.extents[i] > 0 && o.extents[i] <= most;
  return ordinary ? (o.extents[i] - 1) * o.strides[i] + inside : 0;
}
[[nodiscard]] RIDGEPOINT_INLINE index_t ordinary_bytes(const operand& o) noexcept {
  static_assert(operand::max_rank == 4);  // no loop: all constants are known at the list
  const index_t span = ordinary_span(o, 0, ordinary_span(o, 1, ordinary_span(o, 2, ordinary_span(o, 3, 1))));
  return o.data != nullptr ? span * o.element_bytes : 0;
}

/// Returns true if both have the same layout, so that one may replace the other.
[[nodiscard]] inline bool lie_alike(const operand& a, const operand& b) noexcept {
  if (a.element_bytes != b.element_bytes || a.rank != b.rank || a.extents != b.extents) return false;
  for (std::size_t i = 0; i < a.rank; ++i)
    if (a.extents[i] > 1 && a.strides[i] != b.strides[i]) return false;
  return true;
}
/// Returns the elements from the first to past the last reached by steps of less than `period`.
[[nodiscard]] inline index_t span_within(const operand& o, index_t period) noexcept {
  index_t span = 1;
  for (std::size_t i = 0; i < o.rank; ++i)
    if (o.extents[i] > 1 && o.strides[i] < period) span += (o.extents[i] - 1) * o.strides[i];
  return span;
}
/// Returns true if every step is a multiple of `period`, or shorter and forward.
[[nodiscard]] inline bool repeats_with(const operand& o, index_t period) noexcept {
  for (std::size_t i = 0; i < o.rank; ++i)
    if (o.extents[i] > 1 && (o.strides[i] < 0 || (o.strides[i] >= period && o.strides[i] % period != 0))) return false;
  return true;
}
/// Returns true if operands whose spans overlap are interleaved like columns of one matrix: each uses its own part of
/// some period that both repeat with. Requires: their spans fit.
[[nodiscard]] inline bool lie_side_by_side(const operand& a, const operand& b, index_t element) noexcept {
  const auto distance =
      static_cast<index_t>(reinterpret_cast<std::uintptr_t>(b.data) - reinterpret_cast<std::uintptr_t>(a.data));
  for (std::size_t i = 0; i < a.rank && distance % element == 0; ++i) {
    const index_t period = a.strides[i];
    if (a.extents[i] <= 1 || period <= 0 || !repeats_with(a, period) || !repeats_with(b, period)) continue;
    const index_t offset = ((distance / element) % period + period) % period;
    if (span_within(a, period) <= offset && offset + span_within(b, period) <= period) return true;
  }
  return false;
}
/// Tests this with elements of their width; for operands planned for any slot, with any of the possible widths: they
/// are checked again once they have memory.
[[nodiscard]] inline bool lie_side_by_side(const operand& a, const operand& b) noexcept {
  if (a.element_bytes != b.element_bytes) return false;
  if (a.type != element::stored) return lie_side_by_side(a, b, static_cast<index_t>(a.element_bytes));
  return lie_side_by_side(a, b, 8) || lie_side_by_side(a, b, 4) || lie_side_by_side(a, b, 2);
}
}  // namespace detail

/// Checks common to all ops: extents are not negative and sizes fit, rows are contiguous, pointers to elements are not
/// null, and no written operand shares memory with another, unless the list allows it.
/// Compares addresses and never reads memory.
/// Throws: shape_error.
/// Example:
///   check_operands("softmax", operands(args));
RIDGEPOINT_NOINLINE inline void check_operands(std::string_view op, std::span<const operand> operands) {
  constexpr std::size_t most = detail::most_operands;
  require<shape_error>(operands.size() <= most, op, ": lists ", operands.size(), " operands; must be at most ", most);
  std::array<detail::operand_memory, most> memory;  // of the previous operands
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const operand& o = operands[i];
    memory[i] = o.absent() ? detail::operand_memory{} : detail::check_operand(op, o);
    for (std::size_t b = 0; b < i; ++b) {
      const operand& before = operands[b];
      if ((!writes(o.role) && !writes(before.role)) ||
          !detail::overlap(memory[b].first, memory[b].bytes, memory[i].first, memory[i].bytes))
        continue;
      const bool in_place = before.may_be_overwritten && before.extents == o.extents;
      if (in_place && before.data == o.data && detail::lie_alike(before, o)) continue;
      if (detail::lie_side_by_side(before, o)) continue;
      throw shape_error(concat(op, ": ", o.name, " overlaps ", before.name,
                               in_place ? " in part; must be identical or disjoint" : "; must not overlap"));
    }
  }
}

namespace detail {
/// Returns true if the placement of two ordinary operands is allowed.
[[nodiscard]] RIDGEPOINT_INLINE bool may_lie(const operand& a, index_t a_bytes, const operand& b,
                                             index_t b_bytes) noexcept {
  if (!writes(a.role) && !writes(b.role)) return true;
  if (!overlap(a.data, a_bytes, b.data, b_bytes)) return true;
  return a.may_be_overwritten && a.data == b.data && a.rank == 1 && b.rank == 1 && a_bytes == b_bytes &&
         a.element_bytes == b.element_bytes;
}
template <std::size_t At, std::size_t N, std::size_t... Before>
[[nodiscard]] RIDGEPOINT_INLINE bool may_lie(const std::array<operand, N>& operands,
                                             const std::array<index_t, N>& bytes,
                                             std::index_sequence<Before...>) noexcept {
  return (may_lie(operands[Before], bytes[Before], operands[At], bytes[At]) && ...);
}
/// Returns true if all operands are ordinary or absent, and written ones overlap no other except where allowed.
[[nodiscard]] RIDGEPOINT_NOINLINE inline bool long_list_is_ordinary(std::span<const operand> operands) noexcept {
  std::array<index_t, most_operands> bytes;
  for (std::size_t at = 0; at < operands.size(); ++at) {
    bytes[at] = ordinary_bytes(operands[at]);
    if (bytes[at] == 0 && !operands[at].absent()) return false;
    for (std::size_t before = 0; before < at; ++before)
      if (!may_lie(operands[before], bytes[before], operands[at], bytes[at])) return false;
  }
  return true;
}
/// Checks a list of known length. The lambda keeps GCC 12 from building a short list in memory. The number of pairs is
/// quadratic: from 9 operands on one loop compares them for all ops; unrolled, they were a sixth of tests' code.
template <std::size_t N>
[[nodiscard]] RIDGEPOINT_INLINE bool ordinary_and_separate(const std::array<operand, N>& operands) noexcept {
  static_assert(N <= most_operands);
  if constexpr (N > 8) {
    return long_list_is_ordinary(operands);
  } else {
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      const std::array<index_t, N> bytes = {ordinary_bytes(operands[At])...};
      return ((bytes[At] != 0 || operands[At].absent()) && ...) &&
             (may_lie<At>(operands, bytes, std::make_index_sequence<At>{}) && ...);
    }
    (std::make_index_sequence<N>{});
  }
}
/// Separate from its caller, to keep that small.
template <class Args>
RIDGEPOINT_NOINLINE void check_each(std::string_view op, const Args& args) {
  const auto list = operands(args);
  check_operands(op, std::span<const operand>(list));
}
}  // namespace detail

/// Checks the operands listed by these arguments: quickly if all are ordinary, for then no list is built.
template <lists_operands Args>
RIDGEPOINT_FLATTEN inline void check_operands(std::string_view op, const Args& args) {
  if (!detail::ordinary_and_separate(operands(args))) detail::check_each(op, args);
}
/// Names the op as the arguments do.
template <lists_operands Args>
RIDGEPOINT_FLATTEN inline void check_operands(const Args& args) {
  check_operands(Args::name, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

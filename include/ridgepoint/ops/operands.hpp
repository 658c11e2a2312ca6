// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>

#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/core/view.hpp>

/// \file
/// Checks of pointers and views that the ops share. They compare addresses and never read memory.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Whether the byte ranges [p, p + p_bytes) and [q, q + q_bytes) share a byte.
[[nodiscard]] inline bool overlap(const void* p, index_t p_bytes, const void* q, index_t q_bytes) noexcept {
  const auto a = reinterpret_cast<std::uintptr_t>(p), b = reinterpret_cast<std::uintptr_t>(q);
  return p_bytes > 0 && q_bytes > 0 && a < b + static_cast<std::uintptr_t>(q_bytes) &&
         b < a + static_cast<std::uintptr_t>(p_bytes);
}

/// Throws: shape_error unless size ≥ 0 elements of T fit the address space and data points to them.
template <class T>
void check_vector(std::string_view op, std::string_view name, const T* data, index_t size) {
  require<shape_error>(size >= 0, op, ": size is ", size, "; must be >= 0");
  static_cast<void>(checked_mul(size, static_cast<index_t>(sizeof(T))));
  require<shape_error>(size == 0 || data != nullptr, op, ": ", name, " is a null pointer; must point to ", size,
                       " elements");
}

/// Throws: shape_error if the two vectors share memory without being the very same.
template <class T>
void check_same_or_apart(std::string_view op, std::string_view out_name, const T* out, std::string_view in_name,
                         const T* in, index_t size) {
  const index_t bytes = size * static_cast<index_t>(sizeof(T));
  require<shape_error>(out == in || !overlap(out, bytes, in, bytes), op, ": ", out_name, " overlaps ", in_name,
                       " in part; must be the same or apart");
}

/// Throws: shape_error if the two vectors share memory. Requires: checked sizes.
template <class T, class U>
void check_apart(std::string_view op, std::string_view out_name, const T* out, index_t out_size,
                 std::string_view in_name, const U* in, index_t in_size) {
  require<shape_error>(
      !overlap(out, out_size * static_cast<index_t>(sizeof(T)), in, in_size * static_cast<index_t>(sizeof(U))), op,
      ": ", out_name, " overlaps ", in_name, "; must be apart");
}

/// Throws: shape_error unless v is a row-major matrix (rows contiguous and apart) whose extents fit and whose data is
/// there.
template <class T>
void check_rows(std::string_view op, std::string_view name, const matrix_view<T>& v) {
  require<shape_error>(v.rows >= 0 && v.cols >= 0, op, ": ", name, " is ", v, "; extents must be >= 0");
  static_cast<void>(checked_mul(checked_mul(v.rows, v.cols), static_cast<index_t>(sizeof(T))));
  const bool some = v.rows > 0 && v.cols > 0;
  require<shape_error>(!some || ((v.cols == 1 || v.col_stride == 1) && (v.rows == 1 || v.row_stride >= v.cols)), op,
                       ": ", name, " is ", v, "; rows must be contiguous and must not overlap");
  if (some)
    static_cast<void>(checked_mul(checked_mul(v.rows, v.row_stride < v.cols ? v.cols : v.row_stride),
                                  static_cast<index_t>(sizeof(T))));
  require<shape_error>(!some || v.data != nullptr, op, ": ", name, " is ", v,
                       " at a null pointer; must point to its elements");
}

/// Elements from the first to past the last of a matrix that passed check_rows(), and their bytes.
template <class T>
[[nodiscard]] constexpr index_t extent_elements(const matrix_view<T>& v) noexcept {
  return v.rows == 0 || v.cols == 0 ? 0 : (v.rows - 1) * v.row_stride + v.cols;
}
template <class T>
[[nodiscard]] constexpr index_t extent_bytes(const matrix_view<T>& v) noexcept {
  return extent_elements(v) * static_cast<index_t>(sizeof(T));
}

/// Throws: shape_error if out and in share memory without being the very same matrix.
template <class T>
void check_same_or_apart(std::string_view op, std::string_view out_name, const matrix_view<T>& out,
                         std::string_view in_name, const matrix_view<const T>& in) {
  const bool same = out.data == in.data && (out.rows <= 1 || out.row_stride == in.row_stride);
  require<shape_error>(same || !overlap(out.data, extent_bytes(out), in.data, extent_bytes(in)), op, ": ", out_name,
                       " overlaps ", in_name, " in part; must be the same or apart");
}

/// A dense operand of an op and what it is called; one that is not there has size 0.
template <scalar T>
struct named_operand {
  std::string_view name;
  const T* data = nullptr;
  index_t size = 0;
};
template <scalar T>
[[nodiscard]] constexpr named_operand<T> optional_operand(std::string_view name, const T* data, index_t size) noexcept {
  return {name, data, data == nullptr ? 0 : size};
}
/// Throws: shape_error where an operand is malformed or null, or an output shares memory with another operand.
template <scalar T>
void check_operands(std::string_view op, std::initializer_list<named_operand<T>> outputs,
                    std::initializer_list<named_operand<T>> inputs) {
  for (const auto* list : {&inputs, &outputs})
    for (const named_operand<T>& v : *list) check_vector(op, v.name, v.data, v.size);
  const auto apart = [&](const named_operand<T>& out, const named_operand<T>& other) {
    check_apart(op, out.name, out.data, out.size, other.name, other.data, other.size);
  };
  for (const named_operand<T>* out = outputs.begin(); out != outputs.end(); ++out) {
    for (const named_operand<T>& in : inputs) apart(*out, in);
    for (const named_operand<T>* other = outputs.begin(); other != out; ++other) apart(*out, *other);
  }
}

/// Throws: value_error unless epsilon is finite and, as an element, still positive: it is what keeps a divisor from 0.
template <scalar T>
void check_epsilon(std::string_view op, double epsilon) {
  constexpr double smallest =
      scalar_traits<T>::bytes == 4 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  require<value_error>(std::isfinite(epsilon) && epsilon >= smallest, op, ": epsilon is ", epsilon,
                       "; must be at least ", smallest, " and finite");
}

/// n elements of T as they count in a receipt.
template <scalar T>
[[nodiscard]] constexpr std::uint64_t bytes_of(index_t n) noexcept {
  return scalar_traits<T>::bytes * static_cast<std::uint64_t>(n);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <span>
#include <type_traits>

#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/core/view.hpp>

/// \file
/// Operands of ops: conversions from tensors, views and contiguous ranges. The types here accept anything and refuse
/// other arguments with a static_assert at the call, so that no list of failed overloads is printed.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Default element type argument of an op: the op deduces the type from its output.
struct deduced {};
/// Element type of an output that is not a valid operand. No backend has an op on it. As an input it accepts anything,
/// so that one mistake gives one error.
struct refused {
  constexpr refused(double) noexcept {}
  friend constexpr refused operator+(refused, refused) noexcept { return 0; }
};
template <>
struct scalar_traits<refused> {
  using accumulator = refused;
  static constexpr unsigned bytes = 1;
};

template <class T, std::size_t Extent>
inline constexpr bool is_view<std::span<T, Extent>> = true;

namespace detail {
template <class X>
inline constexpr bool is_vector_view = false;
template <class T>
inline constexpr bool is_vector_view<vector_view<T>> = true;
template <class X>
struct is_matrix_view : std::false_type {};
template <class T>
struct is_matrix_view<matrix_view<T>> : std::true_type {};

/// Returns a pointer to the elements of X as a matrix or as a vector, or void.
template <class X>
[[nodiscard]] constexpr auto matrix_pointer() {
  if constexpr (is_matrix_view<std::remove_const_t<X>>::value) return decltype(X::data){};
  else if constexpr (matrix_like<X>) return decltype(matrix_of_t<X>::data){};
}
template <class X>
[[nodiscard]] constexpr auto vector_pointer() {
  if constexpr (requires(X & x) { std::span(x); }) return typename decltype(std::span(std::declval<X&>()))::pointer{};
}
/// A view with its own strides: a vector_view, a matrix_view or a tensor_view, but not a span.
template <class X>
concept strided_view =
    is_view<std::remove_cvref_t<X>> && std::is_member_object_pointer_v<decltype(&std::remove_cvref_t<X>::data)>;
/// Returns the number of elements of a dense view, or `strided` for another one.
template <strided_view X>
[[nodiscard]] constexpr index_t dense_size(const X& x, index_t strided) noexcept {
  if constexpr (requires { x.size; }) {
    return x.size < 2 || x.stride == 1 ? x.size : strided;
  } else if constexpr (requires { x.rows; }) {
    const bool follow = (x.cols < 2 || x.col_stride == 1) && (x.rows < 2 || x.row_stride == x.cols);
    return follow || x.rows == 0 || x.cols == 0 ? x.rows * x.cols : strided;
  } else {
    index_t count = 1;
    for (const index_t extent : x.extents) count *= extent;
    return x.dense() ? count : strided;
  }
}
/// Returns a null pointer of the element pointer type of a range, a view or a pointer.
template <class X>
[[nodiscard]] constexpr auto elements_pointer() {
  if constexpr (std::is_pointer_v<X>) return std::remove_const_t<X>{};
  else if constexpr (strided_view<X>) return decltype(std::remove_const_t<X>::data){};
  else return vector_pointer<X>();
}
/// The element type of an output with elements at Pointer: T, or any scalar if T is deduced.
template <class Pointer, class T, bool Kept>
using output_element = std::conditional_t<Kept && !std::is_const_v<std::remove_pointer_t<Pointer>> &&
                                              scalar<std::remove_pointer_t<Pointer>> &&
                                              (std::same_as<T, deduced> || std::same_as<T*, Pointer>),
                                          std::remove_pointer_t<Pointer>, refused>;
}  // namespace detail

/// The element type of an output argument C&&: a view of mutable scalars, or a non-temporary that converts to one;
/// otherwise `refused`.
template <class C, class T>
using matrix_element = detail::output_element<decltype(detail::matrix_pointer<std::remove_reference_t<C>>()), T,
                                              std::is_lvalue_reference_v<C> || is_view<std::remove_const_t<C>>>;
template <class C, class T>
using vector_element = detail::output_element<decltype(detail::vector_pointer<std::remove_reference_t<C>>()), T,
                                              std::is_lvalue_reference_v<C> || is_view<std::remove_const_t<C>>>;

/// A matrix input of an op: a tensor, a view, or {data, rows, cols}.
template <class T>
struct matrix_input : matrix_view<const T> {
  constexpr matrix_input() = default;
  constexpr matrix_input(const T* p, index_t m, index_t n) noexcept : matrix_view<const T>(p, m, n) {}
  constexpr matrix_input(const T* p, index_t m, index_t n, index_t row_step, index_t col_step = 1) noexcept
      : matrix_view<const T>(p, m, n, row_step, col_step) {}
  template <class X>
  constexpr matrix_input(const X& x) {
    using found = decltype(detail::matrix_pointer<const X>());
    constexpr bool matrix = !std::is_void_v<found>, same = std::is_convertible_v<found, const T*>;
    static_assert(matrix, "an input must be a matrix: a tensor, a matrix_view or {data, rows, cols}");
    static_assert(!matrix || same, "input and output element types differ; all must be of one type");
    if constexpr (same) matrix_view<const T>::operator=(x);
  }
};
/// A vector input of an op: a tensor, a contiguous range, or {data, size}.
template <class T>
struct vector_input : std::span<const T> {
  constexpr vector_input() = default;
  constexpr vector_input(const T* p, std::size_t n) noexcept : std::span<const T>(p, n) {}
  template <class X>
  constexpr vector_input(const X& x) noexcept {
    using found = decltype(detail::vector_pointer<const X>());
    constexpr bool vector = !std::is_void_v<found>, same = std::is_convertible_v<found, const T*>;
    static_assert(vector, "an input must be a vector: a tensor or a contiguous range such as std::vector");
    static_assert(!vector || same, "input and output element types differ; all must be of one type");
    if constexpr (same) std::span<const T>::operator=(std::span<const T>(x));
  }
};
/// The elements of an operand whose extents are given elsewhere: a tensor, a contiguous range or a dense view, whose
/// size is checked; a pointer, which is trusted; or nullptr for no operand.
template <class T>
struct elements {
  static constexpr index_t unknown = -1, strided = -2;  // sizes of a pointer and of a view with gaps

  T* data = nullptr;
  index_t size = unknown;

  constexpr elements(std::nullptr_t = nullptr) noexcept {}
  template <class X>
    requires(!std::same_as<std::remove_cvref_t<X>, elements>)
  constexpr elements(X&& x) noexcept {
    using found = decltype(detail::elements_pointer<std::remove_reference_t<X>>());
    constexpr bool is_address = std::is_void_v<found> && std::is_convertible_v<X, T*>;  // of a slot in a plan
    constexpr bool some = !std::is_void_v<found> || is_address, same = std::is_convertible_v<found, T*> || is_address;
    static_assert(some, "an operand must be a tensor, a contiguous range such as std::vector, a view or a pointer");
    static_assert(!some || same, "an operand is const or of another element type than the op needs");
    if constexpr (is_address || (std::is_pointer_v<std::remove_reference_t<X>> && same)) data = x;
    else if constexpr (detail::strided_view<X> && same) data = x.data, size = detail::dense_size(x, strided);
    else if constexpr (same) data = std::data(x), size = static_cast<index_t>(std::size(x));
  }
  constexpr operator T*() const noexcept { return data; }
  /// Returns true if the size is `count` or unknown.
  [[nodiscard]] constexpr bool may_be(index_t count) const noexcept { return size == unknown || size == count; }
  /// Returns a pointer to `count` elements. Throws: shape_error if the known size differs, or the view has gaps.
  [[nodiscard]] constexpr T* first_of(index_t count, std::string_view op, std::string_view name) const {
    require<shape_error>(size != strided, op, ": ", name, " is a view with gaps or in another order; must be dense");
    require<shape_error>(may_be(count), op, ": ", name, " has ", size, " elements; must have ", count);
    return data;
  }
};
template <class T>
  requires(std::same_as<std::remove_const_t<T>, refused>)
struct elements<T> {
  template <class... Anything>
  constexpr elements(const Anything&...) noexcept {}
  [[nodiscard]] constexpr T* first_of(index_t, std::string_view, std::string_view) const { return nullptr; }
};

template <>
struct matrix_input<refused> : matrix_view<const refused> {
  template <class... Anything>
  constexpr matrix_input(const Anything&...) noexcept {}
};
template <>
struct vector_input<refused> : std::span<const refused> {
  template <class... Anything>
  constexpr vector_input(const Anything&...) noexcept {}
};

/// Parameter types of an op that deduces its element type from the output.
template <class T>
using matrix_in = std::type_identity_t<matrix_input<T>>;
template <class T>
using vector_in = std::type_identity_t<vector_input<T>>;
template <class T>
using elements_in = std::type_identity_t<elements<const T>>;
template <class T>
using elements_out = std::type_identity_t<elements<T>>;

/// Returns the output as a view; an empty view if it was refused.
template <class T, class C>
[[nodiscard]] constexpr matrix_view<T> matrix_output(C& c) {
  if constexpr (std::same_as<T, refused>) return {};
  else if constexpr (detail::is_matrix_view<std::remove_const_t<C>>::value) return c;
  else return matrix_of(c);
}
template <class T, class C>
[[nodiscard]] constexpr std::span<T> vector_output(C& c) {
  if constexpr (std::same_as<T, refused>) return {};
  else return c;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

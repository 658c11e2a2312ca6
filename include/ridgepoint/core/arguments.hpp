// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <span>
#include <type_traits>

#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/core/view.hpp>

/// \file
/// What an op takes: how tensors, views and contiguous ranges become its operands. What is none is refused by a
/// sentence at the call: the types here accept anything, so that no list of overloads that do not fit is printed.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The element type of an op that was not given one: that of its output.
struct deduced {};
/// The element type of an output that cannot be one. No backend has an op on it, and as an input anything will do, so
/// that one mistake is one error.
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

/// Pointer to the elements of X as a matrix or as a vector, or void.
template <class X>
[[nodiscard]] constexpr auto matrix_pointer() {
  if constexpr (is_matrix_view<std::remove_const_t<X>>::value) return decltype(X::data){};
  else if constexpr (matrix_like<X>) return decltype(matrix_of_t<X>::data){};
}
template <class X>
[[nodiscard]] constexpr auto vector_pointer() {
  if constexpr (requires(X & x) { std::span(x); }) return typename decltype(std::span(std::declval<X&>()))::pointer{};
}
/// A view with strides of its own: a vector_view, a matrix_view or a tensor_view, but no span.
template <class X>
concept strided_view =
    is_view<std::remove_cvref_t<X>> && std::is_member_object_pointer_v<decltype(&std::remove_cvref_t<X>::data)>;
/// Elements of a view whose elements follow one another, or `apart`.
template <strided_view X>
[[nodiscard]] constexpr index_t dense_size(const X& x, index_t apart) noexcept {
  if constexpr (requires { x.size; }) {
    return x.size < 2 || x.stride == 1 ? x.size : apart;
  } else if constexpr (requires { x.rows; }) {
    const bool follow = (x.cols < 2 || x.col_stride == 1) && (x.rows < 2 || x.row_stride == x.cols);
    return follow || x.rows == 0 || x.cols == 0 ? x.rows * x.cols : apart;
  } else {
    index_t count = 1;
    for (const index_t extent : x.extents) count *= extent;
    return x.dense() ? count : apart;
  }
}
/// Type of a pointer to the elements of a range, a view or a pointer.
template <class X>
[[nodiscard]] constexpr auto elements_pointer() {
  if constexpr (std::is_pointer_v<X>) return std::remove_const_t<X>{};
  else if constexpr (strided_view<X>) return decltype(std::remove_const_t<X>::data){};
  else return vector_pointer<X>();
}
/// The element type of an output whose elements are behind Pointer: T, or any scalar if T is deduced.
template <class Pointer, class T, bool Kept>
using output_element = std::conditional_t<Kept && !std::is_const_v<std::remove_pointer_t<Pointer>> &&
                                              scalar<std::remove_pointer_t<Pointer>> &&
                                              (std::same_as<T, deduced> || std::same_as<T*, Pointer>),
                                          std::remove_pointer_t<Pointer>, refused>;
}  // namespace detail

/// The element type of the output that an op was given as C&&: a view of mutable scalars, or what can be seen as one
/// and is no temporary; otherwise `refused`.
template <class C, class T>
using matrix_element = detail::output_element<decltype(detail::matrix_pointer<std::remove_reference_t<C>>()), T,
                                              std::is_lvalue_reference_v<C> || is_view<std::remove_const_t<C>>>;
template <class C, class T>
using vector_element = detail::output_element<decltype(detail::vector_pointer<std::remove_reference_t<C>>()), T,
                                              std::is_lvalue_reference_v<C> || is_view<std::remove_const_t<C>>>;
template <class C, class T>
using elements_element =
    detail::output_element<decltype(detail::elements_pointer<std::remove_reference_t<C>>()), T,
                           std::is_lvalue_reference_v<C> || std::is_pointer_v<C> || is_view<std::remove_const_t<C>>>;

/// A matrix that an op reads: a tensor, a view, or {data, rows, cols}.
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
    static_assert(!matrix || same, "an input has other elements than the output; all must be of one type");
    if constexpr (same) matrix_view<const T>::operator=(x);
  }
};
/// A vector that an op reads: a tensor, a contiguous range, or {data, size}.
template <class T>
struct vector_input : std::span<const T> {
  constexpr vector_input() = default;
  constexpr vector_input(const T* p, std::size_t n) noexcept : std::span<const T>(p, n) {}
  template <class X>
  constexpr vector_input(const X& x) noexcept {
    using found = decltype(detail::vector_pointer<const X>());
    constexpr bool vector = !std::is_void_v<found>, same = std::is_convertible_v<found, const T*>;
    static_assert(vector, "an input must be a vector: a tensor or a contiguous range such as std::vector");
    static_assert(!vector || same, "an input has other elements than the output; all must be of one type");
    if constexpr (same) std::span<const T>::operator=(std::span<const T>(x));
  }
};
/// The elements of an operand whose extents something else says: a tensor, a contiguous range or a dense view, whose
/// size is checked; a pointer, which is trusted; or nullptr for none.
template <class T>
struct elements {
  static constexpr index_t unknown = -1, apart = -2;  // instead of a size: of a pointer; of a view with gaps

  T* data = nullptr;
  index_t size = unknown;

  constexpr elements(std::nullptr_t = nullptr) noexcept {}
  template <class X>
    requires(!std::same_as<std::remove_cvref_t<X>, elements>)
  constexpr elements(X&& x) noexcept {
    using found = decltype(detail::elements_pointer<std::remove_reference_t<X>>());
    constexpr bool is_address = std::is_void_v<found> && std::is_convertible_v<X, T*>;  // a slot's, in a plan
    constexpr bool some = !std::is_void_v<found> || is_address, same = std::is_convertible_v<found, T*> || is_address;
    static_assert(some, "an operand must be a tensor, a contiguous range such as std::vector, a view or a pointer");
    static_assert(!some || same, "an operand is const or of another element type than the op needs");
    if constexpr (is_address || (std::is_pointer_v<std::remove_reference_t<X>> && same)) data = x;
    else if constexpr (detail::strided_view<X> && same) data = x.data, size = detail::dense_size(x, apart);
    else if constexpr (same) data = std::data(x), size = static_cast<index_t>(std::size(x));
  }
  constexpr operator T*() const noexcept { return data; }
  /// Whether there are `count`, as far as is known.
  [[nodiscard]] constexpr bool may_be(index_t count) const noexcept { return size == unknown || size == count; }
  /// The first of `count`. Throws: shape_error if it is known that there are not as many, or that they have gaps.
  [[nodiscard]] constexpr T* first_of(index_t count, std::string_view op, std::string_view name) const {
    require<shape_error>(size != apart, op, ": ", name, " is a view with gaps or in another order; must be dense");
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

/// These as parameters of an op whose output says the element type.
template <class T>
using matrix_in = std::type_identity_t<matrix_input<T>>;
template <class T>
using vector_in = std::type_identity_t<vector_input<T>>;
template <class T>
using elements_in = std::type_identity_t<elements<const T>>;
template <class T>
using elements_out = std::type_identity_t<elements<T>>;

/// What an op writes, once its element type is known: nothing where it was refused.
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

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/arguments.hpp>
#include <ridgepoint/core/tensor_view.hpp>

/// \file
/// Operands of a given rank: tensors, whose rank is checked when the op runs, and views of that rank; as arguments.hpp
/// for matrices and vectors. A contiguous range has rank 1.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// Returns a pointer to the elements of a vector or matrix, a tensor of rank 1 or 2, or void.
template <class X, std::size_t Rank>
[[nodiscard]] constexpr auto low_rank_pointer() {
  if constexpr (Rank == 1 && is_vector_view<std::remove_const_t<X>>) return decltype(X::data){};
  else if constexpr (Rank == 1) return vector_pointer<X>();
  else if constexpr (Rank == 2 && is_matrix_view<std::remove_const_t<X>>::value) return decltype(X::data){};
}
/// Pointer to the elements of X as a tensor of this rank, or void.
template <class X, std::size_t Rank>
struct tensor_pointer : std::type_identity<decltype(low_rank_pointer<X, Rank>())> {};
template <class T, std::size_t Rank>
struct tensor_pointer<tensor<T>, Rank> : std::type_identity<T*> {};
template <class T, std::size_t Rank>
struct tensor_pointer<const tensor<T>, Rank> : std::type_identity<const T*> {};
template <class T, std::size_t Rank>
struct tensor_pointer<tensor_view<T, Rank>, Rank> : std::type_identity<T*> {};
template <class T, std::size_t Rank>
struct tensor_pointer<const tensor_view<T, Rank>, Rank> : std::type_identity<T*> {};
}  // namespace detail

/// The element type of an output argument C&& of this rank, or `refused`.
template <class C, std::size_t Rank>
using tensor_element =
    detail::output_element<typename detail::tensor_pointer<std::remove_reference_t<C>, Rank>::type, deduced,
                           std::is_lvalue_reference_v<C> || is_view<std::remove_const_t<C>>>;

/// A tensor of this rank that an op reads.
template <class T, std::size_t Rank>
struct tensor_input : tensor_view<const T, Rank> {
  template <class X>
  tensor_input(const X& x) {
    using found = typename detail::tensor_pointer<const X, Rank>::type;
    constexpr bool fits = !std::is_void_v<found>, same = std::is_convertible_v<found, const T*>;
    static_assert(fits, "an input must be a tensor or a view of the rank that the op's formula says");
    static_assert(!fits || same, "input and output element types differ; all must be of one type");
    if constexpr (same) tensor_view<const T, Rank>::operator=(tensor_view<std::remove_pointer_t<found>, Rank>(x));
  }
};
template <std::size_t Rank>
struct tensor_input<refused, Rank> : tensor_view<const refused, Rank> {
  template <class... Anything>
  constexpr tensor_input(const Anything&...) noexcept {}
};
template <class T, std::size_t Rank>
using tensor_in = std::type_identity_t<tensor_input<T, Rank>>;

/// Returns the output as a view; an empty view if it was refused.
template <class T, std::size_t Rank, class C>
[[nodiscard]] tensor_view<T, Rank> tensor_output(C& c) {
  if constexpr (std::same_as<T, refused>) return {};
  else return c;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

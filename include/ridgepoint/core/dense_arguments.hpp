// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/arguments.hpp>
#include <ridgepoint/core/tensor.hpp>

/// \file
/// Operands of a given rank: tensors, whose rank is checked when the op runs, and views of that rank; as arguments.hpp
/// for matrices and vectors. A contiguous range has rank 1.
///
/// Dense operands of any rank, for ops that depend only on the last extent and the number of rows: tensors,
/// tensor_views of every rank and matrix_views.
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

namespace detail {
/// Pointer to the elements of X, or void.
template <class X>
struct dense_pointer : std::type_identity<void> {};
template <class T>
struct dense_pointer<tensor<T>> : std::type_identity<T*> {};
template <class T>
struct dense_pointer<const tensor<T>> : std::type_identity<const T*> {};
template <class T, std::size_t Rank>
struct dense_pointer<tensor_view<T, Rank>> : std::type_identity<T*> {};
template <class T, std::size_t Rank>
struct dense_pointer<const tensor_view<T, Rank>> : std::type_identity<T*> {};
template <class T>
struct dense_pointer<matrix_view<T>> : std::type_identity<T*> {};
template <class T>
struct dense_pointer<const matrix_view<T>> : std::type_identity<T*> {};
}  // namespace detail

/// The element type of an output argument C&&, or `refused`.
template <class C>
using dense_element = detail::output_element<typename detail::dense_pointer<std::remove_reference_t<C>>::type, deduced,
                                             std::is_lvalue_reference_v<C> || is_view<std::remove_const_t<C>>>;

/// Data and extents of a dense operand.
template <class T>
struct dense_operand {
  T* data = nullptr;
  ridgepoint::shape extents;
  bool dense = true;

  dense_operand() = default;
  template <class U>
    requires std::convertible_to<U*, T*> dense_operand(tensor<U>& t) : data(t.data()), extents(t.shape()) {}
    template <class U>
      requires std::convertible_to<const U*, T*> dense_operand(const tensor<U>& t)
          : data(t.data()), extents(t.shape()) {}
      template <class U, std::size_t Rank>
        requires std::convertible_to<U*, T*> dense_operand(const tensor_view<U, Rank>& v)
            : data(v.data), extents(v.shape()), dense(v.dense()) {}
        template <class U>
          requires std::convertible_to<U*, T*> dense_operand(const matrix_view<U>& v)
              : dense_operand(tensor_view<U, 2>(v)) {}

          /// Returns the innermost extent. Requires: rank >= 1.
          [[nodiscard]] index_t last() const { return extents[extents.rank() - 1]; }
          /// Returns the number of rows of last(). Throws: shape_error if it has no extents or is not dense.
          [[nodiscard]] index_t count(std::string_view op, std::string_view name) const {
            require<shape_error>(extents.rank() > 0, op, ": ", name, " has no extents; must have at least one");
            require<shape_error>(dense, op, ": ", name, " is ", extents,
                                 " with gaps or in another order; must be dense");
            index_t product = 1;
            for (int i = 0; i + 1 < extents.rank(); ++i) product = checked_mul(product, extents[i]);
            return product;
          }
};
/// A dense operand that an op reads.
template <class T>
struct dense_input : dense_operand<const T> {
  template <class X>
  dense_input(const X& x) {
    using found = typename detail::dense_pointer<const X>::type;
    constexpr bool fits = !std::is_void_v<found>, same = std::is_convertible_v<found, const T*>;
    static_assert(fits, "an input must be a tensor, a tensor_view or a matrix_view");
    static_assert(!fits || same, "input and output element types differ; all must be float or all double");
    if constexpr (same) dense_operand<const T>::operator=(dense_operand<const T>(x));
  }
};
template <>
struct dense_input<refused> : dense_operand<const refused> {
  template <class... Anything>
  dense_input(const Anything&...) noexcept {}
};
template <class T>
using dense_in = std::type_identity_t<dense_input<T>>;
/// A view of a given rank as a parameter or option of an op that deduces its element type. Null data: absent.
template <class T, std::size_t Rank>
using view_of = std::type_identity_t<tensor_view<T, Rank>>;

/// Returns the output as an operand; an empty one if it was refused.
template <class T, class C>
[[nodiscard]] dense_operand<T> dense_output(C& c) {
  if constexpr (std::same_as<T, refused>) return {};
  else return c;
}

namespace detail {
/// Returns the data of an operand. Throws: shape_error unless it is dense with these extents; null is accepted.
template <class T, std::size_t Rank>
[[nodiscard]] T* data_of(std::string_view op, std::string_view name, const tensor_view<T, Rank>& v,
                         const std::array<index_t, Rank>& extents) {
  if (v.data == nullptr) return nullptr;
  require<shape_error>(v.extents == extents, op, ": ", name, " is ", v.shape(), "; must be ",
                       ridgepoint::shape(extents.begin(), extents.end()));
  require<shape_error>(v.dense(), op, ": ", name, " is ", v.shape(), " with gaps or in another order; must be dense");
  return v.data;
}
}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

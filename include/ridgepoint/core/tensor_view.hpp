// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <concepts>
#include <span>
#include <type_traits>

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/core/view.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A type with extents and strides, like std::mdspan.
template <class X, class T, std::size_t Rank>
concept mdspan_like = std::remove_cvref_t<X>::rank()
== Rank&& requires(const X& x, std::size_t r) {
  { x.data_handle() } -> std::convertible_to<T*>;
  { x.extent(r) } -> std::convertible_to<index_t>;
  { x.stride(r) } -> std::convertible_to<index_t>;
};

/// A non-owning tensor of compile-time rank: element (i, j, …) is data[i·strides[0] + j·strides[1] + …], strides in
/// elements. The memory may belong to any backend: a view never reads it.
///
/// Converts from an rp::tensor, a contiguous range that outlives it (rank 1: a vector, a span), a std::mdspan, or a
/// pointer with extents and, unless row-major and dense, strides. Ranks 1 and 2 also convert from vector_view and
/// matrix_view.
/// Example:
///   const rp::tensor_view<const float, 4> x(image);             // n×h×w×c
///   const rp::tensor_view<float, 3> y(data, {2, 3, 4});         // y(1, 2, 3) is data[23]
template <class T, std::size_t Rank>
struct tensor_view {
  using extents_type = std::array<index_t, Rank>;

  T* data = nullptr;
  extents_type extents{}, strides{};

  constexpr tensor_view() = default;
  constexpr tensor_view(T* data_, const extents_type& extents_) noexcept : data(data_), extents(extents_) {
    index_t step = 1;
    for (std::size_t r = Rank; r-- > 0; step *= extents[r]) strides[r] = step;
  }
  constexpr tensor_view(T* data_, const extents_type& extents_, const extents_type& strides_) noexcept
      : data(data_), extents(extents_), strides(strides_) {}
  constexpr tensor_view(const vector_view<T>& v) noexcept requires(Rank == 1)
      : tensor_view(v.data, {v.size}, {v.stride}) {}
  constexpr tensor_view(const matrix_view<T>& v) noexcept requires(Rank == 2)
      : tensor_view(v.data, {v.rows, v.cols}, {v.row_stride, v.col_stride}) {}
  /// Throws: shape_error if the tensor has another rank.
  tensor_view(tensor<std::remove_const_t<T>>& t) : tensor_view(t.data(), extents_of(t.shape())) {}
  tensor_view(const tensor<std::remove_const_t<T>>& t) requires std::is_const_v<T>
      : tensor_view(t.data(), extents_of(t.shape())) {}
  tensor_view(const tensor<std::remove_const_t<T>>&& t) = delete;  // of a temporary: keep the tensor in a variable
  template <class X>
    requires(Rank == 1 &&
             (std::is_lvalue_reference_v<X> ||
              std::ranges::enable_borrowed_range<std::remove_cv_t<X>>)&&std::convertible_to<X, std::span<T>>)
  constexpr tensor_view(X&& range) noexcept : tensor_view(std::data(range), {static_cast<index_t>(std::size(range))}) {}
  template <mdspan_like<T, Rank> X>
  constexpr tensor_view(const X& m) : data(m.data_handle()) {
    for (std::size_t r = 0; r < Rank; ++r)
      extents[r] = static_cast<index_t>(m.extent(r)), strides[r] = static_cast<index_t>(m.stride(r));
  }

  [[nodiscard]] static constexpr std::size_t rank() noexcept { return Rank; }
  [[nodiscard]] ridgepoint::shape shape() const { return {extents.begin(), extents.end()}; }
  /// Returns true if the elements are contiguous, row by row.
  [[nodiscard]] constexpr bool dense() const noexcept {
    index_t step = 1;
    bool follow = true, some = true;
    for (std::size_t r = Rank; r-- > 0; step *= extents[r]) {
      follow &= extents[r] <= 1 || strides[r] == step;
      some &= extents[r] > 0;
    }
    return follow || !some;
  }
  template <std::convertible_to<index_t>... Index>
    requires(sizeof...(Index) == Rank)
  [[nodiscard]] constexpr T& operator()(Index... index) const noexcept {
    const extents_type at{static_cast<index_t>(index)...};
    index_t offset = 0;
    for (std::size_t r = 0; r < Rank; ++r) offset += at[r] * strides[r];
    return data[offset];
  }

  constexpr operator tensor_view<const T, Rank>() const noexcept requires(!std::is_const_v<T>) {
    return {data, extents, strides};
  }
  constexpr operator vector_view<T>() const noexcept requires(Rank == 1) { return {data, extents[0], strides[0]}; }
  /// Converts a view of rank 2 to a matrix operand.
  friend constexpr matrix_view<T> matrix_of(const tensor_view& v) noexcept requires(Rank == 2) {
    return {v.data, v.extents[0], v.extents[1], v.strides[0], v.strides[1]};
  }

 private:
  [[nodiscard]] static extents_type extents_of(const ridgepoint::shape& s) {
    require<shape_error>(s.rank() == static_cast<int>(Rank), "tensor_view: tensor is ", s, "; must have ", Rank,
                         " extents");
    extents_type all{};
    for (std::size_t i = 0; i < Rank; ++i) all[i] = s.begin()[i];
    return all;
  }
};
template <class T, std::size_t Rank>
inline constexpr bool is_view<tensor_view<T, Rank>> = true;

/// A non-owning row-major matrix with compile-time extents: element (i, j) is data[i·Ld + j].
///
/// Example:
///   float data[6];
///   rp::static_view<float, 2, 3> a(data);                   // a(1, 2) is data[5]
template <class T, index_t Rows, index_t Cols, index_t Ld = Cols>
struct static_view {
  static_assert(Rows >= 1 && Cols >= 1, "static_view: extents must be at least 1");
  static_assert(Ld >= Cols, "static_view: rows run into each other; the leading dimension must be at least Cols");
  static constexpr index_t rows = Rows, cols = Cols, row_stride = Ld;
  T* data = nullptr;

  constexpr static_view() = default;
  constexpr explicit static_view(T* data_) noexcept : data(data_) {}

  [[nodiscard]] constexpr T& operator()(index_t i, index_t j) const noexcept { return data[i * Ld + j]; }
  constexpr operator static_view<const T, Rows, Cols, Ld>() const noexcept requires(!std::is_const_v<T>) {
    return static_view<const T, Rows, Cols, Ld>(data);
  }
  constexpr operator matrix_view<T>() const noexcept { return {data, Rows, Cols, Ld}; }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

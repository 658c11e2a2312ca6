// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string_view>

#include <ridgepoint/core/tensor_arguments.hpp>

/// \file
/// Conversions of images and filters from other libraries' layouts, and back. Images here are (n, h, w, c), filters
/// (h, w, i, o) with i = c / groups; PyTorch has (n, c, h, w) and (o, i, h, w). A depthwise filter,
/// (h, w, c, multiplier), is a filter with i = 1 and o = c·multiplier.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// to(j, i) ← from(i, j), with a row stride for each, in square tiles whose cache lines of both fit L1.
template <class T>
void copy_transposed(index_t rows, index_t cols, const T* from, index_t from_stride, T* to,
                     index_t to_stride) noexcept {
  constexpr index_t side = 16;
  for (index_t i0 = 0; i0 < rows; i0 += side)
    for (index_t j0 = 0; j0 < cols; j0 += side)
      for (index_t j = j0; j < (std::min)(j0 + side, cols); ++j)
        for (index_t i = i0; i < (std::min)(i0 + side, rows); ++i) to[j * to_stride + i] = from[i * from_stride + j];
}

/// Throws: shape_error unless both are dense and do not overlap, and `to` has these extents.
template <class T, std::size_t Rank>
void check_layouts(std::string_view what, const tensor_view<const T, Rank>& from, const tensor_view<T, Rank>& to,
                   const std::array<index_t, Rank>& extents) {
  index_t size = 1;
  for (const index_t extent : from.extents) size = checked_mul(size, extent);
  require<shape_error>(to.extents == extents, what, ": to is ", to.shape(), "; must be ",
                       shape(extents.begin(), extents.end()));
  require<shape_error>(from.dense() && to.dense(), what, ": a view has gaps or another order; must be dense");
  require<shape_error>(size == 0 || (from.data != nullptr && to.data != nullptr), what,
                       ": a null pointer; must point to ", size, " elements");
  const std::less_equal<const T*> before_or_at;
  require<shape_error>(size == 0 || before_or_at(from.data + size, to.data) || before_or_at(to.data + size, from.data),
                       what, ": to overlaps from; must not overlap");
}
}  // namespace detail

/// to(n, h, w, c) ← from(n, c, h, w). Both are dense and do not overlap.
/// Throws: shape_error for mismatched extents, views that are not dense, null pointers, overlapping operands; nothing
/// is then written.
/// Example: rp::tensor<float> image({1, 224, 224, 3}); rp::nchw_to_nhwc(planes, image);
template <class C, class T = tensor_element<C, 4>>
void nchw_to_nhwc(const tensor_in<T, 4>& from, C&& to) {
  static_assert(!std::same_as<T, refused>,
                "nchw_to_nhwc: to must be a mutable image of float or double: a tensor or a view");
  const tensor_view<T, 4> y = tensor_output<T, 4>(to);
  const auto [n, c, h, w] = from.extents;
  detail::check_layouts<T>("nchw_to_nhwc", from, y, {n, h, w, c});
  for (index_t i = 0; i < n; ++i)
    detail::copy_transposed(c, h * w, from.data + i * c * h * w, h * w, y.data + i * c * h * w, c);
}
/// to(n, c, h, w) ← from(n, h, w, c). Throws: as nchw_to_nhwc().
template <class C, class T = tensor_element<C, 4>>
void nhwc_to_nchw(const tensor_in<T, 4>& from, C&& to) {
  static_assert(!std::same_as<T, refused>,
                "nhwc_to_nchw: to must be a mutable image of float or double: a tensor or a view");
  const tensor_view<T, 4> y = tensor_output<T, 4>(to);
  const auto [n, h, w, c] = from.extents;
  detail::check_layouts<T>("nhwc_to_nchw", from, y, {n, c, h, w});
  for (index_t i = 0; i < n; ++i)
    detail::copy_transposed(h * w, c, from.data + i * c * h * w, c, y.data + i * c * h * w, h * w);
}
/// to(h, w, i, o) ← from(o, i, h, w): a PyTorch filter for conv2d(). Throws: as nchw_to_nhwc().
template <class C, class T = tensor_element<C, 4>>
void oihw_to_hwio(const tensor_in<T, 4>& from, C&& to) {
  static_assert(!std::same_as<T, refused>,
                "oihw_to_hwio: to must be a mutable filter of float or double: a tensor or a view");
  const tensor_view<T, 4> y = tensor_output<T, 4>(to);
  const auto [o, in, h, w] = from.extents;
  detail::check_layouts<T>("oihw_to_hwio", from, y, {h, w, in, o});
  for (index_t i = 0; i < in; ++i)
    detail::copy_transposed(o, h * w, from.data + i * h * w, in * h * w, y.data + i * o, in * o);
}
/// to(o, i, h, w) ← from(h, w, i, o). Throws: as nchw_to_nhwc().
template <class C, class T = tensor_element<C, 4>>
void hwio_to_oihw(const tensor_in<T, 4>& from, C&& to) {
  static_assert(!std::same_as<T, refused>,
                "hwio_to_oihw: to must be a mutable filter of float or double: a tensor or a view");
  const tensor_view<T, 4> y = tensor_output<T, 4>(to);
  const auto [h, w, in, o] = from.extents;
  detail::check_layouts<T>("hwio_to_oihw", from, y, {o, in, h, w});
  for (index_t i = 0; i < in; ++i)
    detail::copy_transposed(h * w, o, from.data + i * o, in * o, y.data + i * h * w, in * h * w);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <string_view>

#include <ridgepoint/core/dense_arguments.hpp>

/// \file
/// Conversions of images and filters from other libraries' layouts, and back. Images here are (n, h, w, c), filters
/// (h, w, i, o) with i = c / groups; PyTorch has (n, c, h, w) and (o, i, h, w). A depthwise filter,
/// (h, w, c, multiplier), is a filter with i = 1 and o = c·multiplier.
///
/// Conversions of recurrent weights and biases from other libraries' layouts, and back. Here weights are wx (in, G·u)
/// and wh (u, G·u), gate after gate along the columns: i, f, g, o of an LSTM, r, z, n of a GRU.
///
///            | weights            | LSTM       | GRU     | biases of a layer
///   keras    | (in, G·u), (u, G·u)| i, f, c, o | z, r, h | one; a GRU with reset_after: two rows, (2, 3·u)
///   pytorch  | (G·u, in), (G·u, u)| i, f, g, o | r, z, n | two that are added up, b_ih and b_hh; so has cuDNN
///   onednn   | (in, G·u), (u, G·u)| i, f, c, o | u, r, o | one; linear before reset: 4·u, the last of the state's
///
/// PyTorch's GRU is this one with reset after the recurrent product, bias = b_ih and recurrent_bias = b_hh; so is
/// Keras's with reset_after, and each of its rows is converted separately. For an LSTM or plain layer bias = b_ih +
/// b_hh.
/// oneDNN's layouts are ldigo and ldgo, of one layer and direction.
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

/// Library whose layout the weights of a recurrent layer have.
enum class recurrent_layout { keras, pytorch, onednn };
/// Cells whose gate order depends on the library.
enum class recurrent_cell { rnn, lstm, gru };

namespace detail {
[[nodiscard]] constexpr index_t gates_of(recurrent_cell cell) noexcept {
  return cell == recurrent_cell::rnn ? 1 : cell == recurrent_cell::lstm ? 4 : 3;
}
/// Returns the position in the other library of gate k here, and vice versa.
[[nodiscard]] constexpr index_t gate_of(recurrent_layout layout, recurrent_cell cell, index_t k) noexcept {
  const bool exchanged = cell == recurrent_cell::gru && layout != recurrent_layout::pytorch;
  return exchanged && k < 2 ? 1 - k : k;
}
/// Returns the columns of each gate. Throws: value_error for an unknown layout or cell, shape_error for unequal gates.
[[nodiscard]] inline index_t units_of(std::string_view what, recurrent_layout layout, recurrent_cell cell,
                                      index_t columns) {
  require<value_error>(layout <= recurrent_layout::onednn && cell <= recurrent_cell::gru, what, ": layout number ",
                       static_cast<int>(layout), ", cell number ", static_cast<int>(cell), "; must be known");
  const index_t gates = gates_of(cell);
  require<shape_error>(columns % gates == 0, what, ": ", columns, " values for ", gates,
                       " gates; must be a multiple of these");
  return columns / gates;
}
/// to ← from, each gate of u values in the other library's order, or back: exchanging twice restores the order.
template <class T>
void exchange_gates(recurrent_layout layout, recurrent_cell cell, index_t u, const T* from, T* to) {
  for (index_t k = 0; k < gates_of(cell); ++k) std::copy_n(from + gate_of(layout, cell, k) * u, u, to + k * u);
}
/// Exchanges the gates of a bias. Throws: as recurrent_weights_from().
template <class T>
void exchange_gates(std::string_view what, recurrent_layout layout, recurrent_cell cell,
                    const tensor_view<const T, 1>& from, const tensor_view<T, 1>& to) {
  const index_t u = units_of(what, layout, cell, from.extents[0]);
  check_layouts<T>(what, from, to, from.extents);
  exchange_gates(layout, cell, u, from.data, to.data);
}
/// Throws: as reset_after_biases_from_onednn().
template <class T>
void reset_after_biases(const tensor_view<const T, 1>& from, const tensor_view<T, 1>& bias,
                        const tensor_view<T, 1>& recurrent_bias) {
  constexpr std::string_view what = "reset_after_biases_from_onednn";
  const index_t size = from.extents[0], u = size / 4;
  require<shape_error>(size % 4 == 0, what, ": from is ", from.shape(), "; must be a multiple of 4");
  require<shape_error>(from.dense(), what, ": a view has gaps or another order; must be dense");
  const tensor_view<const T, 1> first(from.data, {3 * u}), last(from.data + u, {3 * u});
  for (const auto& some : {first, last}) {  // neither overlaps the output
    check_layouts<T>(what, some, bias, {3 * u});
    check_layouts<T>(what, some, recurrent_bias, {3 * u});
  }
  check_layouts<T>(what, tensor_view<const T, 1>(bias), recurrent_bias, {3 * u});
  exchange_gates(recurrent_layout::onednn, recurrent_cell::gru, u, from.data, bias.data);
  std::fill_n(recurrent_bias.data, 2 * u, T(0));
  std::copy_n(from.data + 3 * u, u, recurrent_bias.data + 2 * u);
}
}  // namespace detail

/// to(rows, G·u) ← another library's weights of an input, or of a state. Both are dense and do not overlap.
/// Throws: shape_error for mismatched extents, views that are not dense, null pointers, overlapping operands;
/// value_error for an unknown layout or cell. Nothing is then written.
/// Example: rp::recurrent_weights_from(rp::recurrent_layout::keras, rp::recurrent_cell::gru, kernel, wx);
template <class C, class T = tensor_element<C, 2>>
void recurrent_weights_from(recurrent_layout layout, recurrent_cell cell, const tensor_in<T, 2>& from, C&& to) {
  static_assert(!std::same_as<T, refused>,
                "recurrent_weights_from: to must be a mutable matrix of float or double: a tensor or a view");
  constexpr std::string_view what = "recurrent_weights_from";
  const tensor_view<T, 2> y = tensor_output<T, 2>(to);
  const bool turned = layout == recurrent_layout::pytorch;
  const index_t columns = from.extents[turned ? 0 : 1], rows = from.extents[turned ? 1 : 0];
  const index_t u = detail::units_of(what, layout, cell, columns);
  detail::check_layouts<T>(what, from, y, {rows, columns});
  if (rows * columns == 0) return;  // then data may be null, and nothing may be added to it
  for (index_t k = 0; k < detail::gates_of(cell); ++k) {
    const index_t gate = detail::gate_of(layout, cell, k);
    if (turned) detail::copy_transposed(u, rows, from.data + gate * u * rows, rows, y.data + k * u, columns);
    for (index_t i = 0; !turned && i < rows; ++i)
      std::copy_n(from.data + i * columns + gate * u, u, y.data + i * columns + k * u);
  }
}
/// Converts back: to ← from(rows, G·u) of this library. Throws: as recurrent_weights_from().
template <class C, class T = tensor_element<C, 2>>
void recurrent_weights_to(recurrent_layout layout, recurrent_cell cell, const tensor_in<T, 2>& from, C&& to) {
  static_assert(!std::same_as<T, refused>,
                "recurrent_weights_to: to must be a mutable matrix of float or double: a tensor or a view");
  constexpr std::string_view what = "recurrent_weights_to";
  const tensor_view<T, 2> y = tensor_output<T, 2>(to);
  const bool turned = layout == recurrent_layout::pytorch;
  const index_t rows = from.extents[0], columns = from.extents[1];
  const index_t u = detail::units_of(what, layout, cell, columns);
  if (turned) detail::check_layouts<T>(what, from, y, {columns, rows});
  else detail::check_layouts<T>(what, from, y, {rows, columns});
  if (rows * columns == 0) return;
  for (index_t k = 0; k < detail::gates_of(cell); ++k) {
    const index_t gate = detail::gate_of(layout, cell, k);
    if (turned) detail::copy_transposed(rows, u, from.data + k * u, columns, y.data + gate * u * rows, rows);
    for (index_t i = 0; !turned && i < rows; ++i)
      std::copy_n(from.data + i * columns + k * u, u, y.data + i * columns + gate * u);
  }
}

/// to(G·u) ← a bias of another library; of oneDNN without linear_before_reset. Also converts biases to the other
/// library's order: exchanging gates is its own inverse.
/// Throws: as recurrent_weights_from().
template <class C, class T = tensor_element<C, 1>>
void recurrent_bias_from(recurrent_layout layout, recurrent_cell cell, const tensor_in<T, 1>& from, C&& to) {
  static_assert(!std::same_as<T, refused>,
                "recurrent_bias_from: to must be a mutable vector of float or double: a tensor, a view or a range");
  detail::exchange_gates<T>("recurrent_bias_from", layout, cell, from, tensor_output<T, 1>(to));
}
/// Converts back. Throws: as recurrent_weights_from().
template <class C, class T = tensor_element<C, 1>>
void recurrent_bias_to(recurrent_layout layout, recurrent_cell cell, const tensor_in<T, 1>& from, C&& to) {
  static_assert(!std::same_as<T, refused>,
                "recurrent_bias_to: to must be a mutable vector of float or double: a tensor, a view or a range");
  detail::exchange_gates<T>("recurrent_bias_to", layout, cell, from, tensor_output<T, 1>(to));
}
/// bias ← b_ih + b_hh of a PyTorch or cuDNN LSTM or plain layer, which have two biases where one would do. For the
/// opposite direction, b_ih is the bias and b_hh zero. Throws: as recurrent_weights_from().
template <class C, class T = tensor_element<C, 1>>
void sum_recurrent_biases(const tensor_in<T, 1>& b_ih, const tensor_in<T, 1>& b_hh, C&& bias) {
  static_assert(!std::same_as<T, refused>,
                "sum_recurrent_biases: bias must be a mutable vector of float or double: a tensor, a view or a range");
  constexpr std::string_view what = "sum_recurrent_biases";
  const tensor_view<T, 1> y = tensor_output<T, 1>(bias);
  detail::check_layouts<T>(what, b_ih, y, {b_hh.extents[0]});
  detail::check_layouts<T>(what, b_hh, y, {b_ih.extents[0]});
  for (index_t i = 0; i < y.extents[0]; ++i) y.data[i] = b_ih.data[i] + b_hh.data[i];
}
/// to(4·u) ← oneDNN's biases of a GRU with linear_before_reset: u, r, o, and that of the product that is reset. The u
/// and r biases are the sums of both biases. Throws: as recurrent_weights_from().
template <class C, class T = tensor_element<C, 1>>
void reset_after_biases_to_onednn(const tensor_in<T, 1>& bias, const tensor_in<T, 1>& recurrent_bias, C&& to) {
  static_assert(!std::same_as<T, refused>,
                "reset_after_biases_to_onednn: to must be a mutable vector of float or double: a tensor, a view or a "
                "range");
  constexpr std::string_view what = "reset_after_biases_to_onednn";
  const tensor_view<T, 1> y = tensor_output<T, 1>(to);
  const index_t u = detail::units_of(what, recurrent_layout::onednn, recurrent_cell::gru, bias.extents[0]);
  require<shape_error>(recurrent_bias.extents == bias.extents, what, ": recurrent_bias is ", recurrent_bias.shape(),
                       "; must be ", bias.shape());
  require<shape_error>(y.extents[0] == 4 * u, what, ": to is ", y.shape(), "; must be ", 4 * u);
  const tensor_view<T, 1> first(y.data, {3 * u});
  detail::check_layouts<T>(what, bias, first, {3 * u});
  detail::check_layouts<T>(what, recurrent_bias, tensor_view<T, 1>(y.data, {3 * u}), {3 * u});
  for (index_t j = 0; j < u; ++j) {
    y.data[j] = bias.data[u + j] + recurrent_bias.data[u + j];
    y.data[u + j] = bias.data[j] + recurrent_bias.data[j];
    y.data[2 * u + j] = bias.data[2 * u + j];
    y.data[3 * u + j] = recurrent_bias.data[2 * u + j];
  }
}
/// Converts back: the sums go to the bias; the rest of recurrent_bias is zero.
/// Throws: as recurrent_weights_from().
template <class C, class D, class T = tensor_element<C, 1>>
void reset_after_biases_from_onednn(const tensor_in<T, 1>& from, C&& bias, D&& recurrent_bias) {
  constexpr bool same = std::same_as<T, tensor_element<D, 1>>;
  static_assert(!std::same_as<T, refused>,
                "reset_after_biases_from_onednn: bias must be a mutable vector of float or double: a tensor, a view or "
                "a range");
  static_assert(same || std::same_as<T, refused>,
                "reset_after_biases_from_onednn: recurrent_bias must be a mutable vector of the elements of bias");
  if constexpr (same)
    detail::reset_after_biases<T>(from, tensor_output<T, 1>(bias), tensor_output<T, 1>(recurrent_bias));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

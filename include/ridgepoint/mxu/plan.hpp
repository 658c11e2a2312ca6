// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/mxu/convolution.hpp>
#include <ridgepoint/mxu/mxu.hpp>
#include <ridgepoint/mxu/update.hpp>
#include <ridgepoint/mxu/vector_ops.hpp>
#include <ridgepoint/ops/all.hpp>

/// \file
/// modelled(chip, args): how long a TPU core would take for an op, from its arguments, without running it. One overload
/// per op, found like execute(); an op of your own joins by an overload beside its arguments.
///
/// In the chip's memory activations have the arrays' type (bf16) and variables and their gradients are fp32, as in
/// mixed-precision training; a chip whose weights come through a FIFO (TPU v1) holds everything in the arrays' type.
namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// Whether the model has a time for the op with these arguments.
template <class Args>
concept placeable = requires(const chip& on, const Args& args) {
  { modelled(on, args) } -> std::same_as<modelled_op>;
};

namespace detail {

[[nodiscard]] constexpr index_t variable_bytes(const chip& on) noexcept {
  return on.fifo_tiles > 0 ? on.operand_bytes : 4;
}

/// An op that takes no time.
[[nodiscard]] inline modelled_op nothing(std::string name, pass which) {
  modelled_op op;
  op.name = std::move(name);
  op.pass = which;
  return op;
}

/// A product, and what the vector unit does to its results on the way to memory. An empty one takes no time.
[[nodiscard]] inline modelled_op product(const chip& on, const matmul_geometry& g, const work& whole) {
  if (g.m == 0 || g.n == 0 || g.k == 0) return nothing(g.name, g.pass);
  modelled_op op = model_matmul(on, g);
  fuse(on, op, {.flop = whole.flop - whole.matrix_flop, .special = whole.special}, 0);
  return op;
}

/// An op of the vector unit, from the receipt of its fp32 definition; each of its values takes `width` bytes.
[[nodiscard]] inline modelled_op vector_op(const chip& on, std::string name, const work& receipt, index_t width,
                                           stream kind, pass which = pass::forward) {
  const double read = static_cast<double>(receipt.bytes.inputs + receipt.bytes.weights) / 4,
               written = static_cast<double>(receipt.bytes.outputs) / 4;
  const double values = (std::max)({read, written, 1.0});
  const auto w = static_cast<double>(width);
  return model_vector(on, {.elements = static_cast<index_t>(values),
                           .flop_per_element = static_cast<double>(receipt.flop) / values,
                           .special_per_element = static_cast<double>(receipt.special) / values,
                           .bytes_read = w * read / values,
                           .bytes_written = w * written / values,
                           .stream = kind,
                           .name = std::move(name),
                           .pass = which});
}

}  // namespace detail

// Products.

inline modelled_op modelled(const chip& on, const gemm_args<float>& g) {
  const index_t width = on.operand_bytes;
  return detail::product(on,
                         {.m = g.c.rows,
                          .k = g.a.cols,
                          .n = g.c.cols,
                          .a_bytes = width,
                          .b_bytes = width,
                          .c_bytes = width,
                          .extra_values = exactly(g.options.beta, 0) ? 0 : g.c.rows * g.c.cols,
                          .name = "gemm"},
                         receipt(g));
}
inline modelled_op modelled(const chip& on, const gemm_batched_args<float>& g) {
  modelled_op op = modelled(on, g.first);
  op.name = "gemm_batched";
  op.repeat = static_cast<std::uint64_t>(g.count);
  return op;
}
inline modelled_op modelled(const chip& on, const pack_b_args<float>& p) {
  return detail::vector_op(on, "pack_b", pack_b_work<float>(p.b.rows, p.b.cols), on.operand_bytes, stream::copy);
}
inline modelled_op modelled(const chip& on, const gemm_packed_args<float>& g) {
  return modelled(on, gemm_args<float>{.a = g.a, .b = {g.packed, g.a.cols, g.c.cols}, .c = g.c, .options = g.options});
}
inline modelled_op modelled(const chip& on, const dense_args<float>& d) {
  const index_t width = on.operand_bytes;
  return detail::product(on,
                         {.m = d.x.rows,
                          .k = d.x.cols,
                          .n = d.w.cols,
                          .a_bytes = width,
                          .b_bytes = detail::variable_bytes(on),
                          .c_bytes = width,
                          .name = "dense"},
                         receipt(d));
}
inline modelled_op modelled(const chip& on, const dense_backward_data_args<float>& d) {
  const index_t width = on.operand_bytes;
  return detail::product(on,
                         {.m = d.dy.rows,
                          .k = d.w.cols,
                          .n = d.w.rows,
                          .a_bytes = width,
                          .b_bytes = detail::variable_bytes(on),
                          .c_bytes = width,
                          .name = "dense_backward_data",
                          .pass = pass::backward_data},
                         receipt(d));
}
inline modelled_op modelled(const chip& on, const dense_backward_weights_args<float>& d) {
  const index_t width = on.operand_bytes;
  return detail::product(on,
                         {.m = d.x.cols,
                          .k = d.x.rows,
                          .n = d.dy.cols,
                          .a_bytes = width,
                          .b_bytes = width,
                          .c_bytes = detail::variable_bytes(on),
                          .name = "dense_backward_weights",
                          .pass = pass::backward_weights},
                         receipt(d));
}

// Convolutions.

namespace detail {
[[nodiscard]] inline modelled_op convolution(const chip& on, const conv2d_geometry& g, pass which, const char* name,
                                             index_t residual_bytes = 0) {
  if (g.n == 0) return nothing(name, which);
  const index_t width = on.operand_bytes;
  return model_conv2d(on, g, which, {.x = width, .filter = variable_bytes(on), .y = width, .residual = residual_bytes},
                      name);
}
[[nodiscard]] inline modelled_op depthwise(const chip& on, const depthwise_geometry& g, pass which, const char* name) {
  if (g.n == 0) return nothing(name, which);
  return model_depthwise(on, ridgepoint::detail::with_channels(g, g.c, g.f()), which,
                         {.x = on.operand_bytes, .filter = variable_bytes(on), .y = on.operand_bytes}, name);
}
}  // namespace detail

inline modelled_op modelled(const chip& on, const conv2d_args<float>& a) {
  return detail::convolution(on, a.geometry, pass::forward, "conv2d", a.residual != nullptr ? on.operand_bytes : 0);
}
inline modelled_op modelled(const chip& on, const conv2d_backward_data_args<float>& a) {
  return detail::convolution(on, a.geometry, pass::backward_data, "conv2d_backward_data");
}
inline modelled_op modelled(const chip& on, const conv2d_backward_weights_args<float>& a) {
  return detail::convolution(on, a.geometry, pass::backward_weights, "conv2d_backward_weights");
}
inline modelled_op modelled(const chip& on, const depthwise_conv2d_args<float>& a) {
  return detail::depthwise(on, a.geometry, pass::forward, "depthwise_conv2d");
}
inline modelled_op modelled(const chip& on, const depthwise_conv2d_backward_data_args<float>& a) {
  return detail::depthwise(on, a.geometry, pass::backward_data, "depthwise_conv2d_backward_data");
}
inline modelled_op modelled(const chip& on, const depthwise_conv2d_backward_weights_args<float>& a) {
  return detail::depthwise(on, a.geometry, pass::backward_weights, "depthwise_conv2d_backward_weights");
}

// Everything else is the vector unit's.

namespace detail {
/// Ops that only move values.
using copy_ops = type_list<embedding_args<float>, embedding_backward_args<float>, embedding_rows_args<float>>;
}  // namespace detail

template <systolic::vector_op Args>
modelled_op modelled(const chip& on, const Args& args) {
  if constexpr (updates_weights<Args>)
    return detail::vector_op(on, "update", receipt(args), 4, stream::update, pass::update);
  else if constexpr (detail::copy_ops::contains<Args>)
    return detail::vector_op(on, "copy", receipt(args), on.operand_bytes, stream::copy);
  else return detail::vector_op(on, "elementwise", receipt(args), on.operand_bytes, stream::elementwise);
}
/// The step counter is the host loop's: no time of its own.
inline modelled_op modelled(const chip&, const advance_args&) { return detail::nothing("advance", pass::update); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What tpu::modelled() says of the backend's chip.
/// Example: rp::modelled(on, rp::gemm_args<float>{.a = a, .b = b, .c = c}).elapsed_s      // nothing runs
template <backend Host, class Args>
  requires tpu::placeable<Args>
[[nodiscard]] tpu::modelled_op modelled(const mxu<Host>& on, const Args& args) { return modelled(on.chip(), args); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

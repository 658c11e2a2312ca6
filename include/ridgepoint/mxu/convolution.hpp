// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/mxu/vector_unit.hpp>
#include <ridgepoint/ops/geometry.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// Bytes per element of a convolution's tensors, in memory.
struct conv2d_bytes {
  index_t x = 2, filter = 4, y = 2, residual = 0;  // residual: 0 without one
};

namespace detail {

/// Bytes of an image tensor: batch and channels are the padded extents.
[[nodiscard]] inline double image_bytes(index_t n, index_t h, index_t w, index_t c, index_t width) {
  const double pixel = static_cast<double>(padded_elements(n, c)) * static_cast<double>(width);
  return static_cast<double>(checked_mul(h, w)) * pixel;
}

/// Depth of the product over a window's taps, in whole folds of the array's rows. XLA reads an image in place, the
/// channels of one tap after another (Zhou et al., "Characterizing and Demystifying the Implicit Convolution
/// Algorithm", arXiv 2110.03901, on TPU v2), so that only taps of one row of the window share the array's rows:
/// ⌊rows / channels⌋ of them. On TPU v1, which has another compiler, and where outputs stay, all taps follow one
/// another.
[[nodiscard]] inline index_t depth_of_window(const chip& on, index_t kh, index_t kw, index_t channels) {
  if (on.fifo_tiles > 0 || on.output_stationary) return checked_mul(checked_mul(kh, kw), channels);
  const index_t rows = on.array.rows, together = std::clamp<index_t>(rows / channels, 1, kw);
  return checked_mul(checked_mul(kh, ceil_div(kw, together)), round_up(together * channels, rows));
}

/// Adds a product to those already on the array; tiles follow one another, so that fill shows only once more.
inline void add(array_time& total, const array_time& more) noexcept {
  total.mxu_s += more.mxu_s, total.fill_s += more.fill_s, total.weight_fetch_s += more.weight_fetch_s;
  total.fetched_bytes += more.fetched_bytes;
}

/// dx of a strided convolution: each of the s·s positions of an input pixel within the stride needs only the taps that
/// reach it. That makes s·s products, one per position, without the zeros between the outputs.
[[nodiscard]] inline array_time backward_data_on_array(const chip& on, const conv2d_geometry& g) {
  array_time total;
  for (index_t row = 0; row < (std::min)(g.stride.h, g.kh); ++row)
    for (index_t col = 0; col < (std::min)(g.stride.w, g.kw); ++col) {
      const index_t depth =
          depth_of_window(on, ceil_div(g.kh - row, g.stride.h), ceil_div(g.kw - col, g.stride.w), g.group_f());
      const index_t pixels = checked_mul(ceil_div(g.h, g.stride.h), ceil_div(g.w, g.stride.w));
      add(total, cheapest_on_array(on, {.m = checked_mul(g.n, pixels), .k = depth, .n = g.group_c()}));
    }
  return total;
}

}  // namespace detail

/// Models a convolution on one core as an implicit GEMM: patches are never stored, x is read in place.
///
///   forward            (n·oh·ow) × (kh·kw·c) × f
///   backward_data      (n·h·w / s²) × (⌈kh/s⌉·⌈kw/s⌉·f) × c, once per position within the stride
///   backward_weights   (kh·kw·c) × (n·oh·ow) × f
/// each with the cheapest stationary operand; with groups, one such product per group, with the group's c and f.
/// Tiles are whole, and taps share one only along a row of the window: a stem with c = 3, 7×7 fills 21 of the 128 rows
/// of seven tiles. Memory moves x, filter and y once, padded to 8 × 128 in batch and channels.
/// Throws: shape_error, value_error as check(conv2d_geometry); value_error for a pass that a convolution lacks.
[[nodiscard]] inline modelled_op model_conv2d(const chip& on, const conv2d_geometry& g, pass which,
                                              const conv2d_bytes& width = {}, std::string name = "conv2d") {
  check(g, "tpu conv2d");
  require<shape_error>(g.n >= 1, "tpu conv2d: batch is 0; must be >= 1");
  require<value_error>(which == pass::forward || which == pass::backward_data || which == pass::backward_weights,
                       "tpu conv2d: pass is ", to_string(which), "; must be forward or one of the backward passes");
  const index_t pixels = checked_mul(g.n, checked_mul(g.oh(), g.ow())), f = g.group_f();
  const index_t patch = checked_mul(checked_mul(g.kh, g.kw), g.group_c());
  const auto on_array = [&](index_t m, index_t k) { return detail::cheapest_on_array(on, {.m = m, .k = k, .n = f}); };
  const detail::array_time group =
      which == pass::forward         ? on_array(pixels, detail::depth_of_window(on, g.kh, g.kw, g.group_c()))
      : which == pass::backward_data ? detail::backward_data_on_array(on, g)
                                     : on_array(patch, detail::depth_of_window(on, g.oh(), g.ow(), g.n));
  detail::array_time array = group;
  for (index_t more = 1; more < g.groups; ++more) detail::add(array, group);

  modelled_op op{.name = std::move(name), .pass = which, .shape = to_string(g)};
  const auto flop = 2 * static_cast<std::uint64_t>(g.macs());
  const auto bytes = [](index_t count, index_t each) { return static_cast<std::uint64_t>(checked_mul(count, each)); };
  const std::uint64_t x = bytes(g.input_size(), width.x), filter = bytes(g.filter_size(), width.filter),
                      y = bytes(g.output_size(), width.y);
  const std::uint64_t residual = bytes(g.output_size(), width.residual);
  op.receipt = {.flop = flop + (residual > 0 ? static_cast<std::uint64_t>(g.output_size()) : 0), .matrix_flop = flop};
  op.receipt.bytes = which == pass::forward         ? traffic{.inputs = x + residual, .weights = filter, .outputs = y}
                     : which == pass::backward_data ? traffic{.inputs = y, .weights = filter, .outputs = x}
                                                    : traffic{.inputs = x + y, .weights = 0, .outputs = filter};
  const double moved = on.fifo_tiles > 0
                           ? 0
                           : detail::image_bytes(g.n, g.h, g.w, g.c, width.x) +
                                 detail::image_bytes(g.n, g.oh(), g.ow(), g.f, width.y + width.residual) +
                                 static_cast<double>(g.kh * g.kw * padded_elements(g.group_c(), g.f) * width.filter);
  detail::finish_product(on, op, array, moved, (std::max)({width.x, width.filter, width.y}));
  return op;
}

/// Models a depthwise convolution (f = c·multiplier) on the vector unit: 2 FLOP per tap and output.
///
/// On the array every channel would need its own tiles, with kw of 128 rows and one of 128 columns in use; the vector
/// unit uses all its 8 × 128 lanes.
/// Throws: shape_error, value_error as model_conv2d(); shape_error unless f is a multiple of c.
[[nodiscard]] inline modelled_op model_depthwise(const chip& on, const conv2d_geometry& g, pass which,
                                                 const conv2d_bytes& width = {}, std::string name = "depthwise") {
  check(g, "tpu depthwise");
  require<shape_error>(g.n >= 1 && g.f % g.c == 0, "tpu depthwise: batch ", g.n, ", ", g.c, " channels to ", g.f,
                       "; batch must be >= 1 and f a multiple of c");
  require<value_error>(which == pass::forward || which == pass::backward_data || which == pass::backward_weights,
                       "tpu depthwise: pass is ", to_string(which), "; must be forward or one of the backward passes");
  const index_t outputs = g.output_size();
  const double per_output = static_cast<double>(g.kh * g.kw), scale = 1 / static_cast<double>(outputs);
  const double x = static_cast<double>(g.input_size() * width.x) * scale, y = static_cast<double>(width.y);
  const double filter = static_cast<double>(g.kh * g.kw * g.f * width.filter) * scale;
  modelled_op op = model_vector(on, {.elements = outputs,
                                     .flop_per_element = 2 * per_output,
                                     .bytes_read = which == pass::forward         ? x + filter
                                                   : which == pass::backward_data ? y + filter
                                                                                  : x + y,
                                     .bytes_written = which == pass::forward         ? y
                                                      : which == pass::backward_data ? x
                                                                                     : filter,
                                     .name = std::move(name),
                                     .pass = which});
  op.shape = to_string(g);
  op.receipt.matrix_flop = op.receipt.flop;
  conclude(op, on.peak_flop_per_s());
  return op;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu

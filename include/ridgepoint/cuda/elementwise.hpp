// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/add_bias.hpp>
#include <ridgepoint/ops/concat_channels.hpp>
#include <ridgepoint/ops/convert.hpp>
#include <ridgepoint/ops/dropout.hpp>
#include <ridgepoint/ops/pad_channels.hpp>
#include <ridgepoint/ops/positions.hpp>
#include <ridgepoint/ops/upsample.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y(i) ← f(x(i)), one kernel.
template <class T>
void execute(cuda_context& on, const activate_args<T>& a, void*) {
  if (a.size != 0)
    on.launch(elementwise_kernels<T>::activate, on.loop(a.size), a.f, static_cast<compute_t<T>>(a.slope), a.size, a.x,
              a.y);
}
/// dx(i) ← f'·dy(i), one kernel.
template <class T>
void execute(cuda_context& on, const activate_backward_args<T>& a, void*) {
  if (a.size != 0)
    on.launch(elementwise_kernels<T>::activate_backward, on.loop(a.size), a.f, static_cast<compute_t<T>>(a.slope),
              a.size, a.y, a.dy, a.dx);
}

/// y(i) ← a(i) + b(i).
template <class T>
void execute(cuda_context& on, const add_args<T>& s, void*) {
  if (s.size != 0) on.launch(elementwise_kernels<T>::add, on.loop(s.size), s.size, s.a, s.b, s.y);
}

/// y(i, j) ← f(x(i, j) + bias(j)).
template <class T>
void execute(cuda_context& on, const add_bias_args<T>& a, void*) {
  if (a.rows != 0)
    on.launch(elementwise_kernels<T>::add_bias, on.loop(a.rows * a.channels), a.act, a.rows, a.channels, a.channels,
              a.x, a.bias, a.y);
}

/// y(i) ← x(i) in another element type, or x(i) times the factor of a loss scale.
template <class To, class From>
void execute(cuda_context& on, const convert_args<To, From>& c, void*) {
  if (c.size != 0) on.launch(conversion_kernels<To, From>::convert, on.loop(c.size), c.size, c.x, c.y, c.scale_state);
}

/// y ← [a b], one kernel.
template <class T>
void execute(cuda_context& on, const concat_channels_args<T>& c, void*) {
  if (c.y.rows != 0 && c.y.cols != 0)
    on.launch(channel_kernels<T>::concat, on.loop(c.y.rows * c.y.cols), c.y.rows, c.y.cols, c.a.cols, c.a.data,
              c.a.row_stride, c.b.data, c.b.row_stride, c.y.data, c.y.row_stride);
}

/// y(i) ← kept(i) ? x(i)·scale : 0, with the bits of dropout_mask.
template <class T>
void execute(cuda_context& on, const dropout_args<T>& d, void*) {
  if (d.size == 0) return;
  const dropout_mask mask(d.rate, d.seed, 0, d.stream);  // the device knows the step
  on.launch(elementwise_kernels<T>::dropout, on.loop(d.size), d.size, d.x, d.y, mask.threshold,
            static_cast<compute_t<T>>(mask.scale()), d.seed, d.stream, d.state, d.steps, d.width);
}

/// to(i, j) ← from(i, j − before), 0 if from has no such column.
template <class T>
void shift_channels(cuda_context& on, index_t before, const matrix_view<const T>& from, const matrix_view<T>& to) {
  if (to.rows != 0 && to.cols != 0)
    on.launch(channel_kernels<T>::shift, on.loop(to.rows * to.cols), to.rows, to.cols, before, from.cols, from.data,
              from.row_stride, to.data, to.row_stride);
}
template <class T>
void execute(cuda_context& on, const pad_channels_args<T>& a, void*) {
  shift_channels<T>(on, a.before, a.x, a.y);
}
template <class T>
void execute(cuda_context& on, const pad_channels_backward_args<T>& a, void*) {
  shift_channels<T>(on, -a.before, a.dy, a.dx);
}

/// y(n, t, c) ← scale·x(n, t, c) + sinusoid(t, c); a thread computes each sinusoid once for all its samples.
template <class T>
void execute(cuda_context& on, const positions_args<T>& p, void*) {
  if (p.n * p.steps * p.width != 0)
    on.launch(sequence_kernels<T>::positions, on.loop(p.n * p.steps * p.width), p.n, p.steps, p.width,
              static_cast<compute_t<T>>(p.scale), p.x, p.y);
}
/// dx(i) ← scale·dy(i).
template <class T>
void execute(cuda_context& on, const positions_backward_args<T>& p, void*) {
  if (p.size != 0)
    on.launch(sequence_kernels<T>::scaled, on.loop(p.size), p.size, static_cast<compute_t<T>>(p.scale), p.dy, p.dx);
}

template <class Args>
[[nodiscard]] constexpr enlarged_images enlarged_by(const Args& a) noexcept {
  const index_t rows = a.options.factor.h, columns = a.options.factor.w;
  return {a.n, a.h, a.w, a.c, rows, columns, a.h * rows, a.w * columns};
}
/// y ← x of the nearest pixel, or the blend of four pixels, one thread per output.
template <class T>
void execute(cuda_context& on, const upsample_args<T>& a, void*) {
  if (a.n != 0)
    on.launch(upsample_kernels<T>::forward, on.loop(static_cast<index_t>(larger_size(a))), enlarged_by(a),
              a.options.how, a.x, a.y);
}
/// dx ← Σ dy·weight; each pixel reads the outputs that depend on it, always in the same order.
template <class T>
void execute(cuda_context& on, const upsample_backward_args<T>& a, void*) {
  if (a.n != 0)
    on.launch(upsample_kernels<T>::backward, on.loop(a.n * a.h * a.w * a.c), enlarged_by(a), a.options.how, a.dy, a.dx);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/add_bias.hpp>
#include <ridgepoint/ops/concat_channels.hpp>
#include <ridgepoint/ops/convert.hpp>
#include <ridgepoint/ops/dropout.hpp>
#include <ridgepoint/ops/pad_channels.hpp>
#include <ridgepoint/ops/positions.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i) ← f(x(i)).
template <scalar T>
void execute(const reference_backend&, const activate_args<T>& a) {
  using wide = accumulator_t<T>;
  for (index_t i = 0; i < a.size; ++i) a.y[i] = T(apply(a.f, wide(a.x[i]), wide(compute_t<T>(a.slope))));
}

/// dx(i) ← f'(x(i))·dy(i), from y = f(x).
template <scalar T>
void execute(const reference_backend&, const activate_backward_args<T>& a) {
  using wide = accumulator_t<T>;
  for (index_t i = 0; i < a.size; ++i) {
    const wide y = a.f == activation::none ? wide(0) : wide(a.y[i]);
    a.dx[i] = T(apply_backward(a.f, y, wide(a.dy[i]), wide(compute_t<T>(a.slope))));
  }
}

/// y(i) ← a(i) + b(i).
template <scalar T>
void execute(const reference_backend&, const add_args<T>& s) {
  using number = compute_t<T>;
  for (index_t i = 0; i < s.size; ++i) s.y[i] = T(number(s.a[i]) + number(s.b[i]));
}

/// y(i, j) ← act(x(i, j) + bias(j)).
template <scalar T>
void execute(const reference_backend&, const add_bias_args<T>& a) {
  using wide = accumulator_t<T>;
  for (index_t i = 0; i < a.rows * a.channels; ++i)
    a.y[i] = T(apply(a.act, wide(a.x[i]) + wide(a.bias[i % a.channels])));
}

/// y(i) ← x(i), or x(i) times the factor of a loss scale, rounded once.
template <scalar To, scalar From>
void execute(const reference_backend&, const convert_args<To, From>& a) {
  using wide = accumulator_t<From>;
  if (a.scale_state == nullptr) {
    for (index_t i = 0; i < a.size; ++i) a.y[i] = static_cast<To>(a.x[i]);
  } else {
    const auto factor = static_cast<wide>(detail::conversion_factor(a));
    for (index_t i = 0; i < a.size; ++i) a.y[i] = static_cast<To>(static_cast<wide>(a.x[i]) * factor);
  }
}

/// y(i, j) ← a(i, j) if j < a.cols, else b(i, j − a.cols).
template <scalar T>
void execute(const reference_backend&, const concat_channels_args<T>& c) {
  for (index_t i = 0; i < c.y.rows; ++i)
    for (index_t j = 0; j < c.y.cols; ++j) c.y(i, j) = j < c.a.cols ? c.a(i, j) : c.b(i, j - c.a.cols);
}

/// y(i, j) ← x(i, j − before) if x has that element, else 0.
template <scalar T>
void execute(const reference_backend&, const pad_channels_args<T>& a) {
  for (index_t i = 0; i < a.y.rows; ++i)
    for (index_t j = 0; j < a.y.cols; ++j) {
      const index_t from = j - a.before;
      a.y(i, j) = from >= 0 && from < a.x.cols ? a.x(i, from) : T(0);
    }
}

/// dx(i, j) ← dy(i, before + j).
template <scalar T>
void execute(const reference_backend&, const pad_channels_backward_args<T>& a) {
  for (index_t i = 0; i < a.dx.rows; ++i)
    for (index_t j = 0; j < a.dx.cols; ++j) a.dx(i, j) = a.dy(i, a.before + j);
}

/// y(i) ← kept(masked_by(i)) ? x(i)·scale : 0, in T's arithmetic precision: bitwise equal on every backend.
template <scalar T>
void execute(const reference_backend&, const dropout_args<T>& d) {
  const dropout_mask mask(d.rate, d.seed, d.state->step, d.stream);
  using number = compute_t<T>;
  const auto scale = static_cast<number>(mask.scale());
  for (index_t i = 0; i < d.size; ++i) {
    const T kept(number(d.x[i]) * scale);
    d.y[i] = mask.keeps(d.masked_by(i)) ? kept : T(0);
  }
}

/// y(n, t, c) ← scale·x(n, t, c) + sinusoid(t, c), in double.
template <scalar T>
void execute(const reference_backend&, const positions_args<T>& a) {
  using wide = accumulator_t<T>;
  for (index_t row = 0; row < a.n * a.steps; ++row)
    for (index_t c = 0; c < a.width; ++c)
      a.y[row * a.width + c] =
          T(wide(a.scale) * wide(a.x[row * a.width + c]) + wide(sinusoid(row % a.steps, c, a.width)));
}
/// dx(i) ← scale·dy(i).
template <scalar T>
void execute(const reference_backend&, const positions_backward_args<T>& a) {
  using wide = accumulator_t<T>;
  for (index_t i = 0; i < a.size; ++i) a.dx[i] = T(wide(a.scale) * wide(a.dy[i]));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

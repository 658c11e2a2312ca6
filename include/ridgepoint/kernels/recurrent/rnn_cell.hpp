// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/kernels/recurrent/map_rows.hpp>
#include <ridgepoint/kernels/recurrent/rnn_kernels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class T>
void rnn_step<T>::run(const rnn_args<T>& a, const cell_place<T>& at) noexcept {
  using batch = simd::batch<T>;
  with_activation<T>(a.act, T(0), [&](const auto& f) {
    map_rows(at.rows, at.width, std::array{at.sums[0]}, std::array{at.next, at.rows_or_next(a.operands.y)},
             [&](batch sum) RIDGEPOINT_INLINE_LAMBDA -> std::array<batch, 2> {
               const batch h = f(sum)[0];
               return {h, h};
             });
  });
}

template <class T>
void rnn_step_back<T>::run(const rnn_backward_args<T>& a, const cell_place_back<T>& at) noexcept {
  using batch = simd::batch<T>;
  const lines<const T> y{&a.operands.y(at.t, at.row, 0), a.operands.y.sample_stride};
  with_activation<T>(a.act, T(0), [&](const auto& f) {
    map_rows(at.rows, a.operands.y.width, std::array<lines<const T>, 3>{y, at.dh, at.dy}, std::array{at.da},
             [&](batch h, batch dh, batch dy) RIDGEPOINT_INLINE_LAMBDA { return f(h, dh + dy); });
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/pad_channels.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i, j) ← x(i, j − before) where there is such an element, else 0.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/concat_channels.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i, j) ← a(i, j) where there is such an element, else b(i, j − a.cols).
template <scalar T>
void execute(const reference_backend&, const concat_channels_args<T>& c) {
  for (index_t i = 0; i < c.y.rows; ++i)
    for (index_t j = 0; j < c.y.cols; ++j) c.y(i, j) = j < c.a.cols ? c.a(i, j) : c.b(i, j - c.a.cols);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/kernels/map/columns.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// N parameters of T for each column of wide rows, set channel by channel. They belong to the thread that made them,
/// until it makes others.
template <class T, std::size_t N>
struct column_parameters {
  std::array<const T*, N> all;

  /// of(c): N doubles, rounded once here.
  template <class Of>
  column_parameters(const kernels::wide_rows& g, index_t channels, const Of& of) {
    struct parameters;
    T* const memory = thread_scratch_of<parameters, T>(static_cast<index_t>(N) * g.width);
    for (index_t c = 0; c < channels; ++c) {
      const std::array<double, N> values = of(c);
      for (std::size_t p = 0; p < N; ++p) memory[static_cast<index_t>(p) * g.width + c] = static_cast<T>(values[p]);
    }
    for (std::size_t p = 0; p < N; ++p) {
      T* const row = memory + static_cast<index_t>(p) * g.width;
      for (index_t j = channels; j < g.width; ++j) row[j] = row[j - channels];
      all[p] = row;
    }
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

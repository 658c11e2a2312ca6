// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/conv/gather.hpp>
#include <ridgepoint/kernels/conv/segments.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Copies the input of the windows of result rows [begin, end) of an image, with zeros outside the image.
template <class T>
void copy_band(const window_segments<T>& windows, index_t image, index_t begin, index_t end, T* to) noexcept {
  const patches<T>& p = windows.of();
  const index_t rows = windows.extent(p.rows, end - begin), columns = windows.extent(p.columns, p.columns.results),
                c = p.channels;
  const index_t first = p.rows.source(begin, 0), left = p.columns.source(0, 0);
  const index_t before = std::clamp<index_t>(-left, 0, columns),
                inside = std::max<index_t>(0, (std::min)(columns, p.columns.sources - left) - before);
  for (index_t i = 0; i < rows; ++i, to += windows.copied_row()) {
    const index_t row = first + i;
    const bool exists = row >= 0 && row < p.rows.sources && inside > 0;
    std::fill_n(to, exists ? before * c : columns * c, T(0));
    if (!exists) continue;
    const T* const from = windows.source(image, row, left + before);
    if (p.is_dense()) std::copy_n(from, inside * c, to + before * c);
    else
      for (index_t j = 0; j < inside; ++j) detail::copy_run(from + j * p.pixel, to + (before + j) * c, c);
    std::fill_n(to + (before + inside) * c, (columns - before - inside) * c, T(0));
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

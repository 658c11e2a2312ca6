// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/window.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Calls at(n, output, taps) for every output pixel of every image, `output` counting over all of them; taps(use) calls
/// use(tap, pixel) for every tap of its window, pixel = row·width + column within the image, or −1 beside it.
/// Geometry: rows() and columns() are the window's axes, n the number of images.
template <class Geometry, class At>
void for_each_output(const Geometry& g, At&& at) {
  const window_axis rows = g.rows(), columns = g.columns();
  index_t output = 0;
  for (index_t n = 0; n < g.n; ++n)
    for (index_t oh = 0; oh < rows.outputs(); ++oh)
      for (index_t ow = 0; ow < columns.outputs(); ++ow)
        at(n, output++, [&](auto&& use) {
          for (index_t kh = 0; kh < rows.taps; ++kh)
            for (index_t kw = 0; kw < columns.taps; ++kw) {
              const index_t h = rows.input(oh, kh), w = columns.input(ow, kw);
              use(kh * columns.taps + kw, rows.inside(h) && columns.inside(w) ? h * columns.extent + w : index_t{-1});
            }
        });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

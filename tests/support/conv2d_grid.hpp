// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/ops/geometry.hpp>

/// Convolutions of images of 1 to 9 pixels a side, equal in every test that uses the grid.
namespace conv2d_grid {

using ridgepoint::index_t;

/// Channels of a group, on either side: few, or around the lanes of a register and the columns of a packed block.
enum class channels { few, many_read, many_written };

namespace detail {
[[nodiscard]] inline index_t below(ridgepoint::random_stream& random, index_t bound) {
  return random.below(static_cast<std::uint32_t>(bound));
}
/// 1 to `most`, mostly small.
[[nodiscard]] inline index_t few(ridgepoint::random_stream& random, index_t most) {
  return 1 + below(random, 1 + below(random, most));
}
[[nodiscard]] inline index_t many(ridgepoint::random_stream& random) {
  constexpr index_t around[] = {3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33};
  return around[few(random, std::size(around)) - 1];
}
}  // namespace detail

/// Draws groups of such channels, and an image and a batch that fit `window`.
[[nodiscard]] inline ridgepoint::conv2d_geometry drawn(ridgepoint::conv2d_geometry window, channels which,
                                                       ridgepoint::random_stream& random) {
  using namespace detail;
  ridgepoint::conv2d_geometry g = window;
  const index_t read = which == channels::many_read ? many(random) : few(random, 4),
                written = which == channels::many_written ? many(random) : few(random, 4);
  g.n = 1 + below(random, 2), g.c = g.groups * read, g.f = g.groups * written;
  const auto extent = [&](const ridgepoint::window_axis& axis) {
    const index_t least = std::max<index_t>(1, axis.reach() - axis.before - axis.after);
    return least + below(random, std::min<index_t>(10 - least, 3 * axis.stride + 1));
  };
  g.h = extent(g.rows()), g.w = extent(g.columns());
  return g;
}

/// Calls use(geometry) for kernels of 1×1 to 5×5, each with every combination of some strides, paddings, dilations,
/// groups and channels; and for squares of 3 and 5, which Winograd's algorithms accept, on images of every extent.
template <class Use>
void for_each(const Use& use) {
  using ridgepoint::padding2d, ridgepoint::spatial;
  ridgepoint::random_stream random(1);
  constexpr channels all[] = {channels::few, channels::many_read, channels::many_written};
  constexpr padding2d paddings[] = {{}, {1, 1, 1, 1}, {0, 2, 3, 1}, {1, 0, 0, 2}};
  for (index_t kernel = 0; kernel < 25; ++kernel)
    for (const spatial stride : {spatial(1), spatial(2), spatial(3), spatial(1, 2), spatial(3, 1), spatial(2, 3)})
      for (const spatial dilation : {spatial(1), spatial(2), spatial(1, 2)})
        for (const padding2d& padding : paddings)
          for (const index_t groups : {1, 2, 3, 4})
            for (const channels which : all)
              use(drawn({.kh = 1 + kernel / 5,
                         .kw = 1 + kernel % 5,
                         .stride = stride,
                         .padding = padding,
                         .dilation = dilation,
                         .groups = groups},
                        which, random));
  for (const index_t kernel : {3, 5})
    for (index_t image = 0; image < 81; ++image)
      for (const padding2d& padding : paddings)
        for (const index_t groups : {1, 2}) {
          ridgepoint::conv2d_geometry g{.kh = kernel, .kw = kernel, .padding = padding, .groups = groups};
          g = drawn(g, all[image % 3], random);
          g.h = 1 + image / 9, g.w = 1 + image % 9;
          if (g.oh() > 0 && g.ow() > 0) use(g);
        }
}

}  // namespace conv2d_grid

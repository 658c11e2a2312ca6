// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/library_call.hpp>
#include <ridgepoint/ops/pool2d_geometry.hpp>

/// \file
/// What max_pool2d() and avg_pool2d() ask of the library.
namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail {

/// A pooling as the library describes it, in our layout.
struct pooling {
  dnnl::memory::desc x, y;
  dnnl::memory::dims stride, window, begin, end, dilation{0, 0};

  explicit pooling(const pool2d_geometry& g)
      : x(image_layout(g.n, g.h, g.w, g.c)),
        y(image_layout(g.n, g.oh(), g.ow(), g.c)),
        stride{g.stride.h, g.stride.w},
        window{g.kh, g.kw},
        begin{g.padding.top, g.padding.left},
        end{g.rows().reached_after(), g.columns().reached_after()} {}

  [[nodiscard]] pooling_forward::primitive_desc forward(const dnnl::engine& engine, dnnl::prop_kind pass,
                                                        dnnl::algorithm f) const {
    return describe<pooling_forward>(engine, {}, pass, f, x, y, stride, window, dilation, begin, end);
  }
  [[nodiscard]] pooling_backward::primitive_desc backward(const dnnl::engine& engine, dnnl::algorithm f) const {
    return describe_backward<pooling_backward>(engine, forward(engine, dnnl::prop_kind::forward_training, f), f, x, y,
                                               stride, window, dilation, begin, end);
  }
};

/// What the passes have in common; `Op` numbers the op in its recipes' keys. An empty batch has no pixel to write.
template <index_t Op, class Args>
struct pooling_call {
  static bool asks(const Args& a) { return a.geometry.n != 0; }
  static void otherwise(const onednn&, const Args&) {}
  static recipe_key key(const Args& a) {
    const pool2d_geometry& g = a.geometry;
    const auto& [top, bottom, left, right] = g.padding;
    recipe_key k{{Op, g.n, g.h, g.w, g.c, g.kh, g.kw, g.stride.h, g.stride.w, top, bottom, left, right,
                  static_cast<index_t>(g.rounding)}};
    if constexpr (requires { a.index; }) k.values.back() = a.index != nullptr;
    if constexpr (requires { a.over; }) k.values.back() = static_cast<index_t>(a.over);
    return k;
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail

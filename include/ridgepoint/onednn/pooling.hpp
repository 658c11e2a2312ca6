// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/library_call.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/ops/geometry.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>

/// \file
/// The library's primitives for max_pool2d() and avg_pool2d().
namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail {

/// A pooling as described to the library, in our layout.
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

/// Shared parts of the passes; `Op` numbers the op in its recipes' keys. An empty batch has no pixel to write.
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

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace onednn_detail {
/// Returns the library's algorithm for a mean. Throws: unsupported for a mean over windows that extend beyond the
/// padding, because the library would count the positions beyond it.
[[nodiscard]] inline dnnl::algorithm mean_algorithm(const pool2d_geometry& g, mean_over over) {
  if (over == mean_over::image) return dnnl::algorithm::pooling_avg_exclude_padding;
  require<unsupported>(g.rows().reached_after() <= g.padding.bottom && g.columns().reached_after() <= g.padding.right,
                       "onednn: avg_pool2d: windows extend beyond the padding of ", to_string(g),
                       "; a mean over windows must stay inside it");
  return dnnl::algorithm::pooling_avg_include_padding;
}

/// y ← the mean of each window, excluding or including its padding.
/// Throws: unsupported, as mean_algorithm(); backend_error.
template <>
struct library_call<avg_pool2d_args<float>> : pooling_call<14, avg_pool2d_args<float>> {
  using args = avg_pool2d_args<float>;
  static std::vector<recipe> recipes(const dnnl::engine& engine, const args& a) {
    const pooling p(a.geometry);
    recipe r(engine);
    const dnnl::memory x = r.operand(p.x), y = r.operand(p.y);
    r.then(pooling_forward(p.forward(engine, dnnl::prop_kind::forward_inference, mean_algorithm(a.geometry, a.over))),
           {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
    return {std::move(r)};
  }
  static std::array<const void*, 2> pointers(const args& a) { return {a.x, a.y}; }
};
/// dx ← Σ of dy's shares over the windows that contain it.
/// Throws: as the forward pass.
template <>
struct library_call<avg_pool2d_backward_args<float>> : pooling_call<15, avg_pool2d_backward_args<float>> {
  using args = avg_pool2d_backward_args<float>;
  static std::vector<recipe> recipes(const dnnl::engine& engine, const args& a) {
    const pooling p(a.geometry);
    recipe r(engine);
    const dnnl::memory dy = r.operand(p.y), dx = r.operand(p.x);
    r.then(pooling_backward(p.backward(engine, mean_algorithm(a.geometry, a.over))),
           {{DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}});
    return {std::move(r)};
  }
  static std::array<const void*, 2> pointers(const args& a) { return {a.dy, a.dx}; }
};
}  // namespace onednn_detail

template <onednn_detail::one_of<avg_pool2d_args<float>, avg_pool2d_backward_args<float>> Args>
void execute(const onednn& on, const Args& args) {
  onednn_detail::execute_call(on, args);
}
template <onednn_detail::one_of<avg_pool2d_args<float>, avg_pool2d_backward_args<float>> Args>
[[nodiscard]] onednn_prepared prepare(const onednn& on, const Args& args, const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

namespace onednn_detail {
/// Our index: one byte per output, the number of the tap. The library's workspace holds the same numbers; this is
/// undocumented, but the tests check it. From 256 taps on its numbers are wider and are converted.
[[nodiscard]] inline dnnl::memory::desc index_layout(const pool2d_geometry& g) {
  return image_layout(g.n, g.oh(), g.ow(), g.c, dnnl::memory::data_type::u8);
}

/// y ← the largest value in each window; index, unless null, ← the first tap that has it. The result for NaN is up to
/// the library; values are assumed to be more than −∞.
/// Throws: backend_error.
template <>
struct library_call<max_pool2d_args<float>> : pooling_call<16, max_pool2d_args<float>> {
  using args = max_pool2d_args<float>;
  static std::vector<recipe> recipes(const dnnl::engine& engine, const args& a) {
    const pooling p(a.geometry);
    const bool indexed = a.index != nullptr;
    const auto chosen =
        p.forward(engine, indexed ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference,
                  dnnl::algorithm::pooling_max);
    recipe r(engine);
    const dnnl::memory x = r.operand(p.x), y = r.operand(p.y), index = r.operand(index_layout(a.geometry));
    const pooling_forward primitive(chosen);
    if (indexed) {
      const dnnl::memory taps = r.computed(index, chosen.workspace_desc());
      r.then(primitive, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}, {DNNL_ARG_WORKSPACE, taps}});
      r.deliver(taps, index);
    } else {
      r.then(primitive, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
    }
    return {std::move(r)};
  }
  static std::array<const void*, 3> pointers(const args& a) { return {a.x, a.y, a.index}; }
};
/// dx ← Σ dy of the outputs whose maximum it was.
/// Throws: backend_error.
template <>
struct library_call<max_pool2d_backward_args<float>> : pooling_call<17, max_pool2d_backward_args<float>> {
  using args = max_pool2d_backward_args<float>;
  static std::vector<recipe> recipes(const dnnl::engine& engine, const args& a) {
    const pooling p(a.geometry);
    const auto chosen = p.backward(engine, dnnl::algorithm::pooling_max);
    recipe r(engine);
    const dnnl::memory dy = r.operand(p.y), index = r.operand(index_layout(a.geometry)), dx = r.operand(p.x);
    const dnnl::memory taps = r.converted(index, chosen.workspace_desc());
    r.then(pooling_backward(chosen), {{DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_WORKSPACE, taps}, {DNNL_ARG_DIFF_SRC, dx}});
    return {std::move(r)};
  }
  static std::array<const void*, 3> pointers(const args& a) { return {a.dy, a.index, a.dx}; }
};
}  // namespace onednn_detail

template <onednn_detail::one_of<max_pool2d_args<float>, max_pool2d_backward_args<float>> Args>
void execute(const onednn& on, const Args& args) {
  onednn_detail::execute_call(on, args);
}
template <onednn_detail::one_of<max_pool2d_args<float>, max_pool2d_backward_args<float>> Args>
[[nodiscard]] onednn_prepared prepare(const onednn& on, const Args& args, const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

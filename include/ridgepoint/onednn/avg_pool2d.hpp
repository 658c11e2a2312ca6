// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/pooling.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace onednn_detail {
/// The library's way of a mean. Throws: unsupported for a mean over windows that reach beyond the padding, where the
/// library would count what lies there.
[[nodiscard]] inline dnnl::algorithm mean_algorithm(const pool2d_geometry& g, mean_over over) {
  if (over == mean_over::image) return dnnl::algorithm::pooling_avg_exclude_padding;
  require<unsupported>(g.rows().reached_after() <= g.padding.bottom && g.columns().reached_after() <= g.padding.right,
                       "onednn: avg_pool2d: windows reach beyond the padding of ", to_string(g),
                       "; must not in a mean over windows");
  return dnnl::algorithm::pooling_avg_include_padding;
}

/// y ← the mean of each window, without what lies beside the image, or with its padding.
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
/// dx ← the share of dy of the windows that cover it.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

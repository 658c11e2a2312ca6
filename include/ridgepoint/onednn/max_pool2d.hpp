// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/pooling.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace onednn_detail {
/// Our index: a byte per output, the number of the tap. The library's workspace holds the same numbers, which it
/// documents to no one but the tests prove; of 256 taps they are wider, and converted.
[[nodiscard]] inline dnnl::memory::desc index_layout(const pool2d_geometry& g) {
  return image_layout(g.n, g.oh(), g.ow(), g.c, dnnl::memory::data_type::u8);
}

/// y ← the largest value in each window, index, unless null, ← the first tap that has it. What becomes of NaN is the
/// library's choice; values are taken to be more than −∞.
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
/// dx ← Σ dy of the outputs whose largest it was.
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

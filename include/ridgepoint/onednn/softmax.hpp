// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/library_call.hpp>
#include <ridgepoint/ops/softmax.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace onednn_detail {
/// y(i, ·) ← softmax(x(i, ·)).
/// Throws: backend_error.
template <>
struct library_call<softmax_args<float>> {
  using args = softmax_args<float>;
  static bool asks(const args& s) { return s.x.rows != 0; }
  static void otherwise(const onednn&, const args&) {}
  static recipe_key key(const args& s) { return {{6, s.x.rows, s.x.cols, s.x.row_stride, s.y.row_stride}}; }
  static std::vector<recipe> recipes(const dnnl::engine& engine, const args& s) {
    recipe r(engine);
    const auto x_layout = layout(s.x), y_layout = layout(s.y);
    const dnnl::memory x = r.operand(x_layout), y = r.operand(y_layout);
    const auto chosen = describe<softmax_forward>(engine, {}, dnnl::prop_kind::forward_inference,
                                                  dnnl::algorithm::softmax_accurate, x_layout, y_layout, 1);
    r.then(softmax_forward(chosen), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
    return {std::move(r)};
  }
  static std::array<const void*, 2> pointers(const args& s) { return {s.x.data, s.y.data}; }
};
}  // namespace onednn_detail

inline void execute(const onednn& on, const softmax_args<float>& args) { onednn_detail::execute_call(on, args); }
[[nodiscard]] inline onednn_prepared prepare(const onednn& on, const softmax_args<float>& args,
                                             const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

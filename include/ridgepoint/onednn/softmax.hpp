// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/onednn.hpp>
#include <ridgepoint/ops/softmax.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i, ·) ← softmax(x(i, ·)).
/// Throws: backend_error.
inline void execute(const onednn& on, const softmax_args<float>& s) {
  if (s.x.rows == 0) return;
  const onednn_detail::recipe_key key{{6, s.x.rows, s.x.cols, s.x.row_stride, s.y.row_stride}};
  on.run(key, {s.x.data, s.y.data}, [&](const dnnl::engine& engine) {
    onednn_detail::recipe r(engine);
    const auto x_layout = onednn_detail::layout(s.x), y_layout = onednn_detail::layout(s.y);
    const dnnl::memory x = r.operand(x_layout), y = r.operand(y_layout);
    const auto chosen = onednn_detail::describe<onednn_detail::softmax_forward>(
        engine, {}, dnnl::prop_kind::forward_inference, dnnl::algorithm::softmax_accurate, x_layout, y_layout, 1);
    r.then(onednn_detail::softmax_forward(chosen), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
    return std::vector{r};
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/onednn.hpp>
#include <ridgepoint/ops/add.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y ← a + b.
/// Throws: backend_error.
inline void execute(const onednn& on, const add_args<float>& s) {
  if (s.size == 0) return;
  const bool in_second = s.y == s.b;  // the library may overwrite its first operand only
  on.run({{7, s.size}}, {in_second ? s.b : s.a, in_second ? s.a : s.b, s.y}, [&](const dnnl::engine& engine) {
    const auto data = onednn_detail::layout(s.size);
    onednn_detail::recipe r(engine);
    const dnnl::memory a = r.operand(data), b = r.operand(data), y = r.operand(data);
    r.then(
        dnnl::binary(onednn_detail::describe<dnnl::binary>(engine, {}, dnnl::algorithm::binary_add, data, data, data)),
        {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, y}});
    return std::vector{r};
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

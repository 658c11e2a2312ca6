// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/onednn.hpp>

namespace peer {

/// Computes y ← eˣ by oneDNN's eltwise primitive; exp is not an op.
inline void onednn_exp(const ridgepoint::onednn& on, ridgepoint::index_t size, const float* x, float* y) {
  namespace dnn = ridgepoint::onednn_detail;
  const auto build = [size](const dnnl::engine& engine) {
    dnn::recipe r(engine);
    const dnnl::memory from = r.operand(dnn::layout(size)), to = r.operand(dnn::layout(size));
    const auto chosen = dnn::describe_eltwise(engine, dnnl::algorithm::eltwise_exp, dnn::layout(size), 0, 0);
    r.then(dnnl::eltwise_forward(chosen), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
    return std::vector{r};
  };
  on.run(on.recipe_of({{100, size}}, build), std::array<const void*, 2>{x, y});
}

}  // namespace peer

// SPDX-License-Identifier: MIT
#pragma once

#include <bit>

#include <ridgepoint/onednn/eltwise.hpp>
#include <ridgepoint/onednn/library_call.hpp>
#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace onednn_detail {

/// C ← f(α·A·B + β·C + bias) as one matmul: the product (with the bias if α = 1), then α, β and f on the way to memory.
inline recipe gemm_recipe(const dnnl::engine& engine, const gemm_args<float>& g) {
  const auto& [alpha, beta, bias, act, no_activation] = g.options;
  const bool scaled = !exactly(alpha, 1.0F), bias_inside = bias != nullptr && !scaled,
             bias_after = bias != nullptr && scaled;
  const auto a = layout(g.a), b = layout(g.b), c = layout(g.c),
             row = layout(matrix_view<const float>(bias, 1, g.c.cols));

  dnnl::post_ops after;
  if (scaled) append_eltwise(after, dnnl::algorithm::eltwise_linear, alpha, 0);
  if (!exactly(beta, 0.0F)) after.append_sum(beta);
  if (bias_after) after.append_binary(dnnl::algorithm::binary_add, row);
  if (act != activation::none) append_activation(after, act);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(after);

  recipe r(engine);
  const dnnl::memory ma = r.operand(a), mb = r.operand(b), mc = r.operand(c), mbias = r.operand(row);
  if (bias_inside) {
    r.then(dnnl::matmul(describe<dnnl::matmul>(engine, attributes, a, b, row, c)),
           {{DNNL_ARG_SRC, ma}, {DNNL_ARG_WEIGHTS, mb}, {DNNL_ARG_BIAS, mbias}, {DNNL_ARG_DST, mc}});
  } else if (bias_after) {
    const int nth = (scaled ? 1 : 0) + (!exactly(beta, 0.0F) ? 1 : 0);
    r.then(dnnl::matmul(describe<dnnl::matmul>(engine, attributes, a, b, c)),
           {{DNNL_ARG_SRC, ma},
            {DNNL_ARG_WEIGHTS, mb},
            {DNNL_ARG_DST, mc},
            {DNNL_ARG_ATTR_MULTIPLE_POST_OP(nth) | DNNL_ARG_SRC_1, mbias}});
  } else {
    r.then(dnnl::matmul(describe<dnnl::matmul>(engine, attributes, a, b, c)),
           {{DNNL_ARG_SRC, ma}, {DNNL_ARG_WEIGHTS, mb}, {DNNL_ARG_DST, mc}});
  }
  return r;
}

/// The library takes views whose elements are all different ones, in either order of the extents.
inline void check_strides(std::string_view name, const matrix_view<const float>& v) {
  const bool rows_apart = v.rows <= 1 || v.row_stride >= 1, cols_apart = v.cols <= 1 || v.col_stride >= 1;
  require<unsupported>(rows_apart && cols_apart, "onednn: gemm: ", name, " is ", v, "; strides must be positive");
}

/// C ← f(α·A·B + β·C + bias).
/// Throws: unsupported for a view with zero or negative strides; backend_error.
template <>
struct library_call<gemm_args<float>> {
  using args = gemm_args<float>;
  static bool asks(const args& g) {
    const bool something = g.c.rows != 0 && g.c.cols != 0 && g.a.cols != 0;
    if (something) check_strides("a", g.a), check_strides("b", g.b);
    return something;
  }
  /// Of no product the library would leave c as it is.
  static void otherwise(const onednn&, const args& g) {
    if (g.c.rows != 0 && g.c.cols != 0) execute(reference, g);
  }
  static recipe_key key(const args& g) {
    const auto& [alpha, beta, bias, act, no_activation] = g.options;
    return {{0, g.c.rows, g.c.cols, g.a.cols, g.a.row_stride, g.a.col_stride, g.b.row_stride, g.b.col_stride,
             g.c.row_stride, g.c.col_stride, std::bit_cast<std::int32_t>(alpha), std::bit_cast<std::int32_t>(beta),
             bias != nullptr, static_cast<index_t>(act)}};
  }
  static std::vector<recipe> recipes(const dnnl::engine& engine, const args& g) { return {gemm_recipe(engine, g)}; }
  static std::array<const void*, 4> pointers(const args& g) { return {g.a.data, g.b.data, g.c.data, g.options.bias}; }
};

}  // namespace onednn_detail
inline void execute(const onednn& on, const gemm_args<float>& args) { onednn_detail::execute_call(on, args); }
[[nodiscard]] inline onednn_prepared prepare(const onednn& on, const gemm_args<float>& args,
                                             const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

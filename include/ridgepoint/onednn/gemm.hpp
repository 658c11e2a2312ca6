// SPDX-License-Identifier: MIT
#pragma once

#include <bit>

#include <ridgepoint/onednn/elementwise.hpp>
#include <ridgepoint/onednn/library_call.hpp>
#include <ridgepoint/ops/dense.hpp>
#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/ops/gemm_batched.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace onednn_detail {

/// C ← f(α·A·B + β·C + bias) as one matmul: the product (with the bias if α = 1), with α, β and f as post-ops.
///
/// A single column of C is computed as the row Cᵀ ← Bᵀ·Aᵀ from oneDNN 3 on: 3.7.2 computes columns wrongly on AVX-512
/// unless the rows of A and the column are contiguous.
inline recipe gemm_recipe(const dnnl::engine& engine, const gemm_args<float>& g) {
  const auto& [alpha, beta, bias, act, no_activation] = g.options;
  const bool scaled = !exactly(alpha, 1.0F), bias_inside = bias != nullptr && !scaled,
             bias_after = bias != nullptr && scaled, as_row = DNNL_VERSION_MAJOR >= 3 && g.c.cols == 1;
  const auto layout_of = [&](const auto& view) { return layout(as_row ? view.transposed() : view); };
  const auto a = layout_of(g.a), b = layout_of(g.b), c = layout_of(g.c),
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
  const auto &left = as_row ? b : a, &right = as_row ? a : b;
  const auto chosen = bias_inside ? describe<dnnl::matmul>(engine, attributes, left, right, row, c)
                                  : describe<dnnl::matmul>(engine, attributes, left, right, c);
  primitive_arguments arguments{
      {DNNL_ARG_SRC, as_row ? mb : ma}, {DNNL_ARG_WEIGHTS, as_row ? ma : mb}, {DNNL_ARG_DST, mc}};
  if (bias_inside) arguments.emplace_back(DNNL_ARG_BIAS, mbias);
  const int nth = (scaled ? 1 : 0) + (!exactly(beta, 0.0F) ? 1 : 0);
  if (bias_after) arguments.emplace_back(DNNL_ARG_ATTR_MULTIPLE_POST_OP(nth) | DNNL_ARG_SRC_1, mbias);
  r.then(dnnl::matmul(chosen), arguments);
  return r;
}

/// Checks for positive strides: the library supports only views of distinct elements, with extents in either order.
inline void check_strides(std::string_view name, const matrix_view<const float>& v) {
  const bool row_stride = v.rows <= 1 || v.row_stride >= 1, col_stride = v.cols <= 1 || v.col_stride >= 1;
  require<unsupported>(row_stride && col_stride, "onednn: gemm: ", name, " is ", v, "; strides must be positive");
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
  /// Computes an empty product, for which the library would leave c unchanged.
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

namespace onednn_detail {

/// Layout of the weights inside the library; its own layout is converted at every call, because weights change at every
/// training step.
enum class weights_layout { ours, library };

/// Returns the layout of weights (in, out) as inner_product expects it: (out, in).
inline dnnl::memory::desc inner_layout(const matrix_view<const float>& w) { return layout(w.transposed()); }

/// Returns one of the two layouts of the weights in a recipe.
inline dnnl::memory::desc inner_layout(const matrix_view<const float>& w, weights_layout whose) {
  return whose == weights_layout::ours ? inner_layout(w) : any_layout(w.cols, w.rows);
}

inline dnnl::inner_product_forward::primitive_desc inner_forward(
    const dnnl::engine& engine, const dnnl::primitive_attr& attributes, const dnnl::memory::desc& x,
    const dnnl::memory::desc& w, const dnnl::memory::desc& bias, const dnnl::memory::desc& y) {
  return describe<dnnl::inner_product_forward>(engine, attributes, dnnl::prop_kind::forward_training, x, w, bias, y);
}

/// y ← f(x·w + bias).
inline recipe dense_recipe(const dnnl::engine& engine, const dense_args<float>& d, weights_layout whose) {
  dnnl::primitive_attr attributes;
  if (d.act != activation::none) {
    dnnl::post_ops after;
    append_activation(after, d.act);
    attributes.set_post_ops(after);
  }
  const dnnl::memory::desc bias = d.bias != nullptr ? layout(d.w.cols) : dnnl::memory::desc();
  const auto chosen = inner_forward(engine, attributes, layout(d.x), inner_layout(d.w, whose), bias, layout(d.y));
  recipe r(engine);
  const dnnl::memory x = r.operand(chosen.src_desc()), y = r.operand(chosen.dst_desc()),
                     b = r.operand(layout(d.w.cols));
  const dnnl::memory w = r.converted(r.operand(inner_layout(d.w)), chosen.weights_desc());
  if (d.bias != nullptr)
    r.then(dnnl::inner_product_forward(chosen),
           {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_BIAS, b}, {DNNL_ARG_DST, y}});
  else r.then(dnnl::inner_product_forward(chosen), {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, y}});
  return r;
}

/// dx ← dy·wᵀ.
inline recipe dense_recipe(const dnnl::engine& engine, const dense_backward_data_args<float>& d, weights_layout whose) {
  const auto dx_layout = layout(d.dx), dy_layout = layout(d.dy), w_layout = inner_layout(d.w, whose);
  const auto forward = inner_forward(engine, {}, dx_layout, w_layout, {}, dy_layout);
  const auto chosen =
      describe_backward<dnnl::inner_product_backward_data>(engine, forward, dx_layout, w_layout, dy_layout);
  recipe r(engine);
  const dnnl::memory dy = r.operand(dy_layout), dx = r.operand(dx_layout);
  const dnnl::memory w = r.converted(r.operand(inner_layout(d.w)), chosen.weights_desc());
  r.then(dnnl::inner_product_backward_data(chosen),
         {{DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DIFF_SRC, dx}});
  return r;
}

/// dw ← xᵀ·dy, db ← column sums of dy.
inline recipe dense_recipe(const dnnl::engine& engine, const dense_backward_weights_args<float>& d,
                           weights_layout whose) {
  const auto x_layout = layout(d.x), dy_layout = layout(d.dy), dw_layout = inner_layout(d.dw, whose);
  const dnnl::memory::desc db_layout = d.db != nullptr ? layout(d.dw.cols) : dnnl::memory::desc();
  const auto forward = inner_forward(engine, {}, x_layout, dw_layout, db_layout, dy_layout);
  const auto chosen = describe_backward<dnnl::inner_product_backward_weights>(engine, forward, x_layout, dw_layout,
                                                                              db_layout, dy_layout);
  recipe r(engine);
  const dnnl::memory x = r.operand(x_layout), dy = r.operand(dy_layout), db = r.operand(layout(d.dw.cols)),
                     dw = r.operand(inner_layout(d.dw));
  const dnnl::memory computed = r.computed(dw, chosen.diff_weights_desc());
  const dnnl::inner_product_backward_weights primitive(chosen);
  if (d.db != nullptr)
    r.then(primitive,
           {{DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_WEIGHTS, computed}, {DNNL_ARG_DIFF_BIAS, db}});
  else r.then(primitive, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_WEIGHTS, computed}});
  r.deliver(computed, dw);
  return r;
}

inline recipe_key dense_key(index_t pass, const matrix_view<const float>& x, const matrix_view<const float>& w,
                            const matrix_view<const float>& y, const float* bias, activation act) {
  return {{pass, x.rows, x.cols, y.cols, x.row_stride, w.row_stride, y.row_stride, bias != nullptr,
           static_cast<index_t>(act)}};
}
/// The recipes with both layouts of the weights.
template <class Args>
struct dense_call {
  static std::vector<recipe> recipes(const dnnl::engine& engine, const Args& args) {
    return {dense_recipe(engine, args, weights_layout::ours), dense_recipe(engine, args, weights_layout::library)};
  }
};

// With an empty sum, the library's primitives leave the output unchanged; gemm() writes it.

/// y ← f(x·w + bias).
/// Throws: backend_error.
template <>
struct library_call<dense_args<float>> : dense_call<dense_args<float>> {
  using args = dense_args<float>;
  static bool asks(const args& d) { return d.y.rows != 0 && d.y.cols != 0 && d.x.cols != 0; }
  static void otherwise(const onednn& on, const args& d) {
    execute(on, gemm_args<float>{.a = d.x, .b = d.w, .c = d.y, .options = {.bias = d.bias, .act = d.act}});
  }
  static recipe_key key(const args& d) { return dense_key(1, d.x, d.w, d.y, d.bias, d.act); }
  static std::array<const void*, 4> pointers(const args& d) { return {d.x.data, d.y.data, d.bias, d.w.data}; }
};
/// dx ← dy·wᵀ.
/// Throws: backend_error.
template <>
struct library_call<dense_backward_data_args<float>> : dense_call<dense_backward_data_args<float>> {
  using args = dense_backward_data_args<float>;
  static bool asks(const args& d) { return d.dx.rows != 0 && d.dx.cols != 0 && d.dy.cols != 0; }
  static void otherwise(const onednn& on, const args& d) {
    execute(on, gemm_args<float>{.a = d.dy, .b = d.w.transposed(), .c = d.dx});
  }
  static recipe_key key(const args& d) { return dense_key(2, d.dx, d.w, d.dy, nullptr, activation::none); }
  static std::array<const void*, 3> pointers(const args& d) { return {d.dy.data, d.dx.data, d.w.data}; }
};
/// dw ← xᵀ·dy, db ← column sums of dy.
/// Throws: backend_error.
template <>
struct library_call<dense_backward_weights_args<float>> : dense_call<dense_backward_weights_args<float>> {
  using args = dense_backward_weights_args<float>;
  static bool asks(const args& d) { return d.x.rows != 0 && d.dw.rows != 0 && d.dw.cols != 0; }
  static void otherwise(const onednn& on, const args& d) {
    execute(on, gemm_args<float>{.a = d.x.transposed(), .b = d.dy, .c = d.dw});
    for (index_t j = 0; d.db != nullptr && j < d.dy.cols; ++j) {
      d.db[j] = 0;
      for (index_t i = 0; i < d.dy.rows; ++i) d.db[j] += d.dy(i, j);
    }
  }
  static recipe_key key(const args& d) { return dense_key(3, d.x, d.dw, d.dy, d.db, activation::none); }
  static std::array<const void*, 4> pointers(const args& d) { return {d.x.data, d.dy.data, d.db, d.dw.data}; }
};

}  // namespace onednn_detail

template <
    onednn_detail::one_of<dense_args<float>, dense_backward_data_args<float>, dense_backward_weights_args<float>> Args>
void execute(const onednn& on, const Args& args) {
  onednn_detail::execute_call(on, args);
}
template <
    onednn_detail::one_of<dense_args<float>, dense_backward_data_args<float>, dense_backward_weights_args<float>> Args>
[[nodiscard]] onednn_prepared prepare(const onednn& on, const Args& args, const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

/// Runs one product of the library per problem; they share its recipe.
inline void execute(const onednn& on, const gemm_batched_args<float>& g) {
  for (index_t q = 0; q < g.count; ++q) execute(on, g[q]);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

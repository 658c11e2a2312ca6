// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/mxu/mxu.hpp>
#include <ridgepoint/ops/dense.hpp>
#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/ops/gemm_batched.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// Converts the operands of one product for the array and scales its sums. bf16 and fp32 need no conversion: the array
/// rounds them itself and sums in float. int8 is quantised before the product and scaled after it.
///
/// The streaming operand (left) has one step; the stationary operand (right) has one per column of the array.
template <array_format Format>
class array_border {
 public:
  static matrix_view<const float> left(matrix_view<const float> v) noexcept { return v; }
  static matrix_view<const float> right(matrix_view<const float> v) noexcept { return v; }
  /// Returns the matrix that receives the sums of a block of C.
  static matrix_view<float> sums(matrix_view<float> c) noexcept { return c; }
  /// c ← sums.
  static void leave(matrix_view<const float>, matrix_view<float>) noexcept {}
};
template <>
class array_border<std::int8_t> {
 public:
  [[nodiscard]] matrix_view<const std::int8_t> left(matrix_view<const float> v) {
    const auto q = memory<struct left_tag, std::int8_t>(v.rows * v.cols);
    streamed_ = quantise_matrix(v, q);
    return {q, v.rows, v.cols};
  }
  [[nodiscard]] matrix_view<const std::int8_t> right(matrix_view<const float> v) {
    const auto q = memory<struct right_tag, std::int8_t>(v.rows * v.cols);
    columns_ = memory<struct columns_tag, quantiser>(v.cols);
    quantise_columns(v, q, columns_);
    return {q, v.rows, v.cols};
  }
  [[nodiscard]] static matrix_view<std::int32_t> sums(matrix_view<float> c) {
    return {memory<struct sums_tag, std::int32_t>(c.rows * c.cols), c.rows, c.cols};
  }
  /// c(i, j) ← sum(i, j)·(step of the left operand · step of column j), in fp32.
  void leave(matrix_view<const std::int32_t> sums, matrix_view<float> c) const {
    const auto scales = memory<struct scales_tag, float>(c.cols);
    for (index_t j = 0; j < c.cols; ++j) scales[j] = static_cast<float>(streamed_.step() * columns_[j].step());
    for (index_t i = 0; i < c.rows; ++i)
      for (index_t j = 0; j < c.cols; ++j) c(i, j) = static_cast<float>(sums(i, j)) * scales[j];
  }

 private:
  template <class Tag, class E>
  [[nodiscard]] static E* memory(index_t elements) {
    return thread_scratch_of<Tag, E>(elements);
  }
  quantiser streamed_;
  quantiser* columns_ = nullptr;
};

/// c ← a·b as computed by the array; the columns of c are adjacent.
template <backend Host>
void array_product(const mxu<Host>& on, matrix_view<const float> a, matrix_view<const float> b, matrix_view<float> c) {
  with_format(on.format(), [&]<class Format>() {
    array_border<Format> border;
    const auto left = border.left(a), right = border.right(b);
    const auto sums = border.sums(c);
    execute(on.host(), array_gemm_args<Format>{.a = left, .b = right, .c = sums, .depth = on.chip().array.rows});
    border.leave(sums, c);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace systolic {

/// c ← f(c + bias) on the vector unit: all that remains of a product of depth 0.
template <backend Host>
void finish_on_vector_unit(const mxu<Host>& on, matrix_view<float> c, const float* bias, activation act,
                           float scale = 1) {
  if (exactly(scale, 1) && bias == nullptr && act == activation::none) return;
  execute(on.host(), gemm_args<float>{.a = {nullptr, c.rows, 0},
                                      .b = {nullptr, 0, c.cols},
                                      .c = c,
                                      .options = {.beta = scale, .bias = bias, .act = act}});
}

}  // namespace systolic

/// C ← f(α·product + β·C + bias): the array computes the product, the vector unit the rest, in fp32.
template <backend Host>
void execute(const mxu<Host>& on, const gemm_args<float>& g) {
  const auto& [alpha, beta, bias, act, no_activation] = g.options;
  const index_t m = g.c.rows, n = g.c.cols;
  if (m == 0 || n == 0) return;
  if (exactly(beta, 0) && !exactly(alpha, 0) && (g.c.col_stride == 1 || n == 1)) {
    systolic::array_product(on, g.a, g.b, g.c);
    return systolic::finish_on_vector_unit(on, g.c, bias, act, alpha);
  }
  struct tag;
  const matrix_view<float> product(thread_scratch_of<tag, float>(m * n), m, n);
  systolic::array_product(on, g.a, g.b, product);
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j)
      g.c(i, j) = exactly(beta, 0) ? alpha * product(i, j) : alpha * product(i, j) + beta * g.c(i, j);
  systolic::finish_on_vector_unit(on, g.c, bias, act);
}

template <backend Host>
void execute(const mxu<Host>& on, const gemm_batched_args<float>& g) {
  for (index_t q = 0; q < g.count; ++q) execute(on, g[q]);
}

/// The array reads B row by row in every format: packed B is row-major without gaps.
template <backend Host>
void execute(const mxu<Host>&, const pack_b_args<float>& p) {
  execute(reference, p);
}
template <backend Host>
void execute(const mxu<Host>& on, const gemm_packed_args<float>& g) {
  execute(on, gemm_args<float>{.a = g.a, .b = {g.packed, g.a.cols, g.c.cols}, .c = g.c, .options = g.options});
}

namespace systolic {

/// db(j) ← Σ_i dy(i, j) on the vector unit: the whole weight gradient of a layer without inputs.
template <backend Host>
void sum_columns(const mxu<Host>& on, matrix_view<const float> dy, float* db) {
  if (db == nullptr) return;
  execute(on.host(), dense_backward_weights_args<float>{
                         .x = {nullptr, dy.rows, 0}, .dy = dy, .dw = {nullptr, 0, dy.cols}, .db = db});
}

}  // namespace systolic

template <class T, backend Host>
  requires executes<mxu<Host>, gemm_args<T>>
void execute(const mxu<Host>& on, const dense_args<T>& d) {
  execute(on, gemm_args<T>{.a = d.x, .b = d.w, .c = d.y, .options = {.bias = d.bias, .act = d.act}});
}
template <class T, backend Host>
  requires executes<mxu<Host>, gemm_args<T>>
void execute(const mxu<Host>& on, const dense_backward_data_args<T>& d) {
  execute(on, gemm_args<T>{.a = d.dy, .b = d.w.transposed(), .c = d.dx});
}
template <backend Host>
void execute(const mxu<Host>& on, const dense_backward_weights_args<float>& d) {
  execute(on, gemm_args<float>{.a = d.x.transposed(), .b = d.dy, .c = d.dw});
  systolic::sum_columns(on, d.dy, d.db);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/gemm.hpp>

#include "support/agreement.hpp"

/// A GEMM problem for every backend: extents, transpositions, options, and irregularities of its operands.
struct gemm_case {
  using index_t = ridgepoint::index_t;
  index_t m = 1, n = 1, k = 1;
  bool transposed_a = false, transposed_b = false, transposed_c = false;
  double alpha = 1, beta = 0;
  bool bias = false;
  ridgepoint::activation act = ridgepoint::activation::none;
  index_t gap = 0;                       // columns of the larger matrix outside each view
  index_t spread_c = 1;                  // distance of adjacent columns of C
  index_t nan_in_a = -1, nan_in_b = -1;  // element that is NaN; -1: none

  [[nodiscard]] index_t a_ld() const { return (transposed_a ? m : k) + gap; }
  [[nodiscard]] index_t b_ld() const { return (transposed_b ? k : n) + gap; }
  [[nodiscard]] index_t c_ld() const { return ((transposed_c ? m : n) + gap) * spread_c; }

  /// A, B, C and the bias. C starts as NaN where it must not be read.
  template <class T>
  [[nodiscard]] std::vector<agreement::operand> operands() const {
    const auto length = [](index_t rows, index_t cols, index_t ld) {
      return rows == 0 || cols == 0 ? 0 : (rows - 1) * ld + cols;
    };
    auto a = agreement::random_values<T>(transposed_a ? length(k, m, a_ld()) : length(m, k, a_ld()), 1);
    auto b = agreement::random_values<T>(transposed_b ? length(n, k, b_ld()) : length(k, n, b_ld()), 2);
    const index_t c_size =
        transposed_c ? length(n, (m - 1) * spread_c + 1, c_ld()) : length(m, (n - 1) * spread_c + 1, c_ld());
    if (nan_in_a >= 0) a.values[static_cast<std::size_t>(nan_in_a)] = std::numeric_limits<double>::quiet_NaN();
    if (nan_in_b >= 0) b.values[static_cast<std::size_t>(nan_in_b)] = std::numeric_limits<double>::quiet_NaN();
    return {a, b, beta == 0 ? agreement::output(c_size) : agreement::random_values<T>(c_size, 3),
            agreement::random_values<T>(n, 4)};
  }

  /// The problem on the operands' memory.
  template <class S>
  [[nodiscard]] ridgepoint::gemm_args<S> args(const std::vector<S*>& p) const {
    using ridgepoint::matrix_view;
    using number = ridgepoint::compute_t<S>;
    const matrix_view<const S> a(p[0], transposed_a ? k : m, transposed_a ? m : k, a_ld()),
        b(p[1], transposed_b ? n : k, transposed_b ? k : n, b_ld());
    const matrix_view<S> c(p[2], transposed_c ? n : m, transposed_c ? m : n, c_ld(), spread_c);
    return {.a = transposed_a ? a.transposed() : a,
            .b = transposed_b ? b.transposed() : b,
            .c = transposed_c ? c.transposed() : c,
            .options = {.alpha = number(alpha), .beta = number(beta), .bias = bias ? p[3] : nullptr, .act = act}};
  }
};

// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>

#include "gemm_problem.hpp"

namespace peer {

/// Computes C ← op(A)·op(B) by Eigen. Eigen selects kernels by type, so each case is written out; vectors have vector
/// types.
template <class T>
void eigen_multiply(gemm_problem<T>& p) {
  using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const matrix> a(p.a(), p.transpose_a ? p.k : p.m, p.transpose_a ? p.m : p.k);
  const Eigen::Map<const matrix> b(p.b(), p.transpose_b ? p.n : p.k, p.transpose_b ? p.k : p.n);
  const Eigen::Map<const Eigen::Matrix<T, 1, Eigen::Dynamic>> a_row(p.a(), p.k);
  const Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>> b_column(p.b(), p.k);
  Eigen::Map<matrix> c(p.c(), p.m, p.n);
  if (p.m == 1 && !p.transpose_b) c.row(0).noalias() = a_row * b;
  else if (p.m == 1) c.row(0).noalias() = a_row * b.transpose();
  else if (p.n == 1 && !p.transpose_a) c.col(0).noalias() = a * b_column;
  else if (p.n == 1) c.col(0).noalias() = a.transpose() * b_column;
  else if (p.transpose_a && p.transpose_b) c.noalias() = a.transpose() * b.transpose();
  else if (p.transpose_a) c.noalias() = a.transpose() * b;
  else if (p.transpose_b) c.noalias() = a * b.transpose();
  else c.noalias() = a * b;
}

}  // namespace peer

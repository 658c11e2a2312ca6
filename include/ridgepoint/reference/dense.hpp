// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/dense.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y ← f(x·w + bias).
template <scalar T>
void execute(const reference_backend& on, const dense_args<T>& d) {
  execute(on, gemm_args<T>{.a = d.x, .b = d.w, .c = d.y, .options = {.bias = d.bias, .act = d.act}});
}

/// dx ← dy·wᵀ.
template <scalar T>
void execute(const reference_backend& on, const dense_backward_data_args<T>& d) {
  execute(on, gemm_args<T>{.a = d.dy, .b = d.w.transposed(), .c = d.dx});
}

/// dw ← xᵀ·dy, db(j) ← Σ_i dy(i, j), summed in double.
template <scalar T>
void execute(const reference_backend& on, const dense_backward_weights_args<T>& d) {
  using wide = accumulator_t<T>;
  execute(on, gemm_args<T>{.a = d.x.transposed(), .b = d.dy, .c = d.dw});
  if (d.db == nullptr) return;
  for (index_t j = 0; j < d.dy.cols; ++j) {
    wide sum(0);
    for (index_t i = 0; i < d.dy.rows; ++i) sum = sum + wide(d.dy(i, j));
    d.db[j] = T(sum);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

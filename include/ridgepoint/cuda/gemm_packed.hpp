// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/gemm.hpp>
#include <ridgepoint/ops/gemm_packed.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Packed is row-major without gaps: cuBLAS packs what it multiplies itself.
template <class T>
void execute(cuda_context& on, const pack_b_args<T>& p, void*) {
  const index_t size = p.b.rows * p.b.cols;
  if (p.elements != nullptr) *p.elements = size;
  if (p.packed != nullptr && size != 0)
    on.launch(sequence_kernels<T>::dense_copy, on.loop(size), p.b.rows, p.b.cols, p.b.data, p.b.row_stride,
              p.b.col_stride, p.packed);
}
template <class T>
void execute(cuda_context& on, const gemm_packed_args<T>& g, void*) {
  execute(on, gemm_args<T>{.a = g.a, .b = {g.packed, g.a.cols, g.c.cols}, .c = g.c, .options = g.options}, nullptr);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/gemm_packed.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Packed is row-major without gaps.
template <scalar T>
void execute(const reference_backend&, const pack_b_args<T>& p) {
  if (p.elements != nullptr) *p.elements = p.b.rows * p.b.cols;
  if (p.packed == nullptr) return;
  for (index_t i = 0; i < p.b.rows; ++i)
    for (index_t j = 0; j < p.b.cols; ++j) p.packed[i * p.b.cols + j] = p.b(i, j);
}

template <scalar T>
void execute(const reference_backend& on, const gemm_packed_args<T>& g) {
  execute(on, gemm_args<T>{.a = g.a, .b = {g.packed, g.a.cols, g.c.cols}, .c = g.c, .options = g.options});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

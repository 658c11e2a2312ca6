// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/upsample.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <class Args>
[[nodiscard]] constexpr enlarged_images enlarged_by(const Args& a) noexcept {
  const index_t rows = a.options.factor.h, columns = a.options.factor.w;
  return {a.n, a.h, a.w, a.c, rows, columns, a.h * rows, a.w * columns};
}
/// y ← x of the nearest pixel, or the blend of four, an output by a thread.
template <class T>
void execute(cuda_context& on, const upsample_args<T>& a, void*) {
  if (a.n != 0)
    on.launch(upsample_kernels<T>::forward, on.loop(static_cast<index_t>(larger_size(a))), enlarged_by(a),
              a.options.how, a.x, a.y);
}
/// dx ← Σ dy·weight: each pixel looks at the outputs that are made of it, always in one order.
template <class T>
void execute(cuda_context& on, const upsample_backward_args<T>& a, void*) {
  if (a.n != 0)
    on.launch(upsample_kernels<T>::backward, on.loop(a.n * a.h * a.w * a.c), enlarged_by(a), a.options.how, a.dy, a.dx);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

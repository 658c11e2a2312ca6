// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/convert.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y(i) ← x(i), in another type of elements, or that times the factor of a loss scale.
template <class To, class From>
void execute(cuda_context& on, const convert_args<To, From>& c, void*) {
  if (c.size != 0) on.launch(conversion_kernels<To, From>::convert, on.loop(c.size), c.size, c.x, c.y, c.scale_state);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

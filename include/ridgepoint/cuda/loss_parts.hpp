// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The parts of a loss, in the workspace of its call.
[[nodiscard]] inline loss_part* parts_in(void* workspace) noexcept { return static_cast<loss_part*>(workspace); }

/// state->loss ← Σ parts ÷ divisor, always summed in the same order; *ignored_rows, unless null, the rows it is not of.
inline void gather_loss(cuda_context& on, index_t parts, void* workspace, double divisor, std::uint32_t* ignored_rows,
                        step_state* state) {
  on.launch(untyped_kernels::gather_loss, {.threads = block_threads}, parts, parts_in(workspace), divisor, ignored_rows,
            state);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// How outputs are written: through the caches, or past them. Then they are aligned to a register and are no inputs.
enum class stores { cached, streaming };

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

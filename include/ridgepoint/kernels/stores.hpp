// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Kind of stores for outputs: cached or non-temporal. Non-temporal outputs are register-aligned and not inputs.
enum class stores { cached, streaming };

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

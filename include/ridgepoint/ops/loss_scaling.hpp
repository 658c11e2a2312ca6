// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Loss scaling for networks that store float16: keeps small gradients from vanishing. Gradients stored in float16 are
/// of a loss multiplied by step_state::loss_scale; gradients in float are unscaled. A step with a non-finite gradient
/// updates nothing, and halves the scale; after steps_to_grow finite steps it doubles. It starts high, so that the
/// first steps may be skipped until it fits.
///
/// Source: Micikevicius et al., Mixed Precision Training, ICLR 2018, §3.2; the defaults are from PyTorch's
/// GradScaler.
struct loss_scaling {
  double first = 65536;          // scale of the first step; a power of two, ≥ 1
  index_t steps_to_grow = 2000;  // finite steps after which it doubles; ≥ 1
};

/// Returns true if gradients multiplied and divided by the scale keep their bits, in float.
[[nodiscard]] inline bool is_loss_scale(double scale) noexcept {
  int exponent = 0;
  return scale >= 0x1p-126 && scale <= 0x1p126 && exactly(std::frexp(scale, &exponent), 0.5);
}

/// Throws: value_error for a scale that is not a power of two or too small, or steps_to_grow < 1.
inline void check(const loss_scaling& s) {
  require<value_error>(s.first >= 1 && is_loss_scale(s.first), "loss_scaling: first is ", s.first,
                       "; must be a power of two >= 1");
  require<value_error>(s.steps_to_grow >= 1, "loss_scaling: steps_to_grow is ", s.steps_to_grow, "; must be >= 1");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

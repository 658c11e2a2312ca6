// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// How a network that stores float16 keeps small gradients from vanishing: those that are stored in float16 are made
/// of a loss multiplied by step_state::loss_scale, those in float are as they are. A step of which one gradient is not
/// finite updates nothing, and halves the scale; after so many finite steps it doubles. It begins high, so that the
/// first steps may be skipped until it fits.
///
/// Source: Micikevicius et al., Mixed Precision Training, ICLR 2018, §3.2; the numbers are those of PyTorch's
/// GradScaler.
struct loss_scaling {
  double first = 65536;          // scale of the first step; a power of two, ≥ 1
  index_t steps_to_grow = 2000;  // finite steps after which it doubles; ≥ 1
};

/// Whether gradients that are multiplied and divided by it keep their bits, in float.
[[nodiscard]] inline bool is_loss_scale(double scale) noexcept {
  int exponent = 0;
  return scale >= 0x1p-126 && scale <= 0x1p126 && exactly(std::frexp(scale, &exponent), 0.5);
}

/// Throws: value_error for a scale that is no power of two or too small, or no steps to grow after.
inline void check(const loss_scaling& s) {
  require<value_error>(s.first >= 1 && is_loss_scale(s.first), "loss_scaling: first is ", s.first,
                       "; must be a power of two >= 1");
  require<value_error>(s.steps_to_grow >= 1, "loss_scaling: steps_to_grow is ", s.steps_to_grow, "; must be >= 1");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

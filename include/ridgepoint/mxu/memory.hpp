// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/chip.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// What a training step keeps in one core's HBM. Every core holds all parameters and its share of the batch.
struct step_memory {
  double parameters = 0;        // values, in fp32
  double optimiser_values = 2;  // kept per parameter besides the value itself
  double activations = 0;       // values per core, of all layers, kept from forward to backward
  double activation_bytes = 4;  // bf16 before and after the nonlinearity, or once in fp32
  [[nodiscard]] constexpr double bytes() const noexcept {
    return parameters * 4 * (1 + optimiser_values) + activations * activation_bytes;
  }
};

/// The out-of-memory rule: 4 bytes per parameter and moment plus the activations must fit a core's HBM. Gradients do
/// not count: each is consumed by its update before the next is made.
[[nodiscard]] constexpr bool fits(const chip& on, const step_memory& need) noexcept {
  return need.bytes() <= static_cast<double>(on.hbm_bytes);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu

// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/ops/check_operands.hpp>
#include <ridgepoint/ops/hyper_parameters.hpp>
#include <ridgepoint/ops/step_state.hpp>

/// \file
/// What the optimisers share. Each updates the weights w from the gradient g and its own state vectors in one pass,
/// with the learning rate that lies in the step_state: `rate` in their formulas.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Receipt of an optimiser: reads g (inputs), w and its own vectors (weights), and writes these.
template <class Args>
[[nodiscard]] constexpr work update_receipt(const Args& u, unsigned flop, unsigned special) noexcept {
  const auto n = static_cast<std::uint64_t>(u.size);
  return {.flop = flop * n, .special = special * n, .bytes = traffic_of(operands(u))};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

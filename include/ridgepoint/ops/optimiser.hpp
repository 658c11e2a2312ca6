// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/ops/check_operands.hpp>
#include <ridgepoint/ops/hyper_parameters.hpp>
#include <ridgepoint/ops/step_state.hpp>
#include <ridgepoint/ops/update_rule.hpp>

/// \file
/// What the optimisers share. Each updates the weights w from the gradient g and its own state vectors in one pass. g,
/// w and `rate` in their formulas are what their update_rule makes of the gradient, of the weights before, and of the
/// learning rate in the step_state.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Receipt of an optimiser: reads g (inputs), w and its own vectors (weights), and writes these. `flop` and `special`
/// are those of its formula.
template <class Args>
[[nodiscard]] constexpr work update_receipt(const Args& u, unsigned flop, unsigned special) noexcept {
  const auto n = static_cast<std::uint64_t>(u.size);
  return {.flop = (flop + u.rule.flop()) * n, .special = special * n, .bytes = traffic_of(operands(u))};
}

/// Throws: value_error for a rule out of its domain; shape_error where the operands do not fit.
template <class Args>
void check_update(std::string_view op, const Args& u) {
  check(u.rule, op);
  check_operands(op, u);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

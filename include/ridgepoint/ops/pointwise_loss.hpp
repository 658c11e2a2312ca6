// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/check_operands.hpp>
#include <ridgepoint/ops/step_state.hpp>

/// \file
/// What the losses share that compare element with element.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <class Args>
[[nodiscard]] constexpr auto pointwise_loss_operands(const Args& a) noexcept {
  return std::array{operand::input("y", a.y, a.size).overwritable(),
                    operand::input("target", a.target, a.size).overwritable(),
                    operand::output("dy", a.dy, a.size).optional(), operand::output("state", a.state)};
}
/// Throws: value_error without an element; shape_error where the operands do not fit.
template <class Args>
void check_pointwise_loss(std::string_view op, const Args& a) {
  require<value_error>(a.size != 0, op, ": size is 0; must have an element");
  check_operands(op, operands(a));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

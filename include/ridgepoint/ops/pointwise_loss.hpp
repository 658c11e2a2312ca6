// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/step_state.hpp>

/// \file
/// Code shared by losses, mostly those that compare element with element.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <class Args>
[[nodiscard]] constexpr auto pointwise_loss_operands(const Args& a) noexcept {
  return std::array{operand::input("y", a.y, a.size).overwritable(),
                    operand::input("target", a.target, a.size).overwritable(),
                    operand::output("dy", a.dy, a.size).optional(), operand::output("state", a.state)};
}
/// Throws: value_error for a weight that is not finite.
inline void check_weight(std::string_view op, double weight) {
  require<value_error>(std::isfinite(weight), op, ": weight is ", weight, "; must be finite");
}
/// Throws: value_error without elements or for a weight that is not finite; shape_error if the operands do not fit.
template <class Args>
void check_pointwise_loss(const Args& a) {
  require<value_error>(a.size != 0, Args::name, ": size is 0; must have an element");
  check_weight(Args::name, a.weight);
  check_operands(a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/operands.hpp>
#include <ridgepoint/ops/step_state.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// What the losses that compare element with element check alike.
template <class Args>
void check_pointwise_loss(std::string_view op, const Args& a) {
  require<value_error>(a.size != 0, op, ": size is 0; must have an element");
  check_vector(op, "y", a.y, a.size);
  check_vector(op, "target", a.target, a.size);
  require<shape_error>(a.state != nullptr, op, ": state is a null pointer; must point to a step_state");
  if (a.dy == nullptr) return;
  check_vector(op, "dy", a.dy, a.size);
  using element = std::remove_pointer_t<decltype(a.dy)>;
  check_same_or_apart<element>(op, "dy", a.dy, "y", a.y, a.size);
  check_same_or_apart<element>(op, "dy", a.dy, "target", a.target, a.size);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

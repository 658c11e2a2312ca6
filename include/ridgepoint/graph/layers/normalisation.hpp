// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>

/// What the layers that normalise have in common.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// gamma and beta, the first two parameters.
[[nodiscard]] inline std::vector<parameter> scale_and_shift(const shape& in, const initialiser& gamma) {
  const shape each{in[-1]};
  return {{.name = "gamma", .extents = each, .initial = gamma}, {.name = "beta", .extents = each}};
}

/// The forward pass of a layer that saves `kept` means and inverse deviations in training; `args` has the rest.
template <class Args>
void lower_normalisation_forward(lowering& to, const Args& args, index_t kept) {
  const slot x = to.input(), y = to.output(), g = to.parameter(0), b = to.parameter(1);
  const slot mean = to.training() ? to.saved(0, kept) : slot{}, inverse = to.training() ? to.saved(1, kept) : slot{};
  to.add_call({.shape = to_string(to.input_shape())}, [=](const addresses& at) {
    Args a = args;
    a.x = at(x), a.gamma = at(g), a.beta = at(b), a.y = at(y), a.mean = at(mean), a.inverse = at(inverse);
    return a;
  });
}

/// The backward pass of a layer that saved `kept` means and inverse deviations; `args` has the extents.
template <class Args>
void lower_normalisation_backward(lowering& to, const Args& args, index_t kept) {
  const slot x = to.input(), g = to.parameter(0), dy = to.output_gradient();
  const slot mean = to.saved(0, kept), inverse = to.saved(1, kept);
  const slot dgamma = to.parameter_gradient(0), dbeta = to.parameter_gradient(1);
  const slot dx = to.needs_input_gradient() ? to.input_gradient() : slot{};
  to.add_call({.shape = to_string(to.input_shape())}, [=](const addresses& at) {
    Args a = args;
    a.x = at(x), a.gamma = at(g), a.mean = at(mean), a.inverse = at(inverse), a.dy = at(dy);
    a.dx = at(dx), a.dgamma = at(dgamma), a.dbeta = at(dbeta);
    return a;
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

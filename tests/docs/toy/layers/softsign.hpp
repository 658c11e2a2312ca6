// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>

#include "docs/toy/ops/softsign.hpp"

namespace toy {

/// y = x / (1 + |x|)
struct softsign_layer {
  static constexpr std::string_view name = "softsign";

  [[nodiscard]] rp::shape output(const rp::shape& in) const { return in; }
  void forward(rp::lowering& to) const {
    const rp::index_t size = to.output_shape().size();
    const rp::slot x = to.input(), y = to.output();
    to.add_call({.shape = to_string(to.output_shape())}, [=](const rp::addresses& at) {
      return softsign_args<rp::stored>{.size = size, .x = at(x), .y = at(y)};
    });
  }
  void backward(rp::lowering& to) const {
    if (!to.needs_input_gradient()) return;  // no layer before this one needs a gradient
    const rp::index_t size = to.output_shape().size();
    const rp::slot y = to.output(), dy = to.output_gradient(), dx = to.input_gradient();
    to.add_call({.shape = to_string(to.output_shape())}, [=](const rp::addresses& at) {
      return softsign_backward_args<rp::stored>{.size = size, .y = at(y), .dy = at(dy), .dx = at(dx)};
    });
  }
};

/// Ops of this layer that are not in the library's list.
template <rp::scalar T>
using softsign_ops = rp::type_list<softsign_args<T>, softsign_backward_args<T>>;

}  // namespace toy

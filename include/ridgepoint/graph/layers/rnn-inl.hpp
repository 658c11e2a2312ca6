// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/rnn.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape rnn::output(const shape& in) const {
  check_fusable(name, act);
  return detail::recurrent_output(*this, in);
}
RIDGEPOINT_DEFINITION std::vector<parameter> rnn::parameters(const shape& in) const {
  return detail::recurrent_parameters(in, detail::recurrent_cells(*this), initial, recurrent_initial, {zeros});
}
RIDGEPOINT_DEFINITION void rnn::forward(lowering& to) const {
  forward(to, detail::recurrent_slots::forward(to, *this));
  detail::recurrent_slots::carry_output(to, *this);
}
RIDGEPOINT_DEFINITION void rnn::forward(lowering& to, const detail::recurrent_slots& s) const {
  to.add_call(s.info(), [=, f = act](const addresses& at) {
    return rnn_args<stored>{.operands = s.forward_operands(at), .act = f};
  });
}
RIDGEPOINT_DEFINITION void rnn::backward(lowering& to) const {
  backward(to, detail::recurrent_slots::backward(to, *this));
}
RIDGEPOINT_DEFINITION void rnn::backward(lowering& to, const detail::recurrent_slots& s) const {
  to.add_call(s.info(), [=, f = act](const addresses& at) {
    return rnn_backward_args<stored>{.operands = s.backward_operands(at), .act = f};
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

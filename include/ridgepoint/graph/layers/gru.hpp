// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/recurrent.hpp>
#include <ridgepoint/ops/gru.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Gated recurrent unit over a sequence (t, in), from a state of zeros: gives the last state (units), or all of them,
/// (t, units), with sequences. Gates along the columns of wx, wh and b: r, z, n; with reset-after there is a recurrent
/// bias rb as well.
struct gru {
  static constexpr std::string_view name = "gru";
  index_t units = 0;  // to be given
  bool sequences = false;
  gru_reset reset = gru_reset::before;
  initialiser initial = glorot_uniform;  // of wx and wh
  initialiser gate_bias = zeros;         // of b for r and z; the others start at 0

  /// Throws: shape_error for an input that is no sequence or no units.
  [[nodiscard]] shape output(const shape& in) const { return detail::recurrent_output(*this, in); }
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const {
    auto all = detail::recurrent_parameters(in, units, gru_gates, initial, {gate_bias, gate_bias, zeros});
    if (reset == gru_reset::after) all.push_back({.name = "rb", .extents = {gru_gates * units}});
    return all;
  }
  template <scalar T>
  void forward(lowering<T>& to) const {
    const auto s = detail::recurrent_slots<T>::forward(to, *this, gru_gates);
    const slot<T> rb = reset == gru_reset::after ? to.parameter(3) : slot<T>{};
    const slot<T> gates = to.training() ? to.template saved<T>(1, saved<T>() * s.g.cells()) : slot<T>{};
    to.emit(s.info(), [=, r = reset](const addresses& at) {
      return gru_args<T>{.operands = s.forward_operands(at), .reset = r, .recurrent_bias = at(rb), .gates = at(gates)};
    });
  }
  template <scalar T>
  void backward(lowering<T>& to) const {
    const auto s = detail::recurrent_slots<T>::backward(to, *this, gru_gates);
    const slot<T> drb = reset == gru_reset::after ? to.parameter_gradient(3) : slot<T>{};
    const slot<T> gates = to.template saved<T>(1, saved<T>() * s.g.cells());
    to.emit(s.info(), [=, r = reset](const addresses& at) {
      return gru_backward_args<T>{
          .operands = s.backward_operands(at), .reset = r, .gates = at(gates), .drecurrent_bias = at(drb)};
    });
  }

 private:
  template <scalar T>
  [[nodiscard]] index_t saved() const noexcept {
    return gru_args<T>::saved(reset);
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::gru>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif

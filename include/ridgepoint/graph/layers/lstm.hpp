// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/recurrent.hpp>
#include <ridgepoint/ops/projected_lstm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Long short-term memory over a sequence (t, in), from a state of zeros: gives the last state (units), or all of them,
/// (t, units), with sequences. Gates along the columns of wx, wh and b: i, f, g, o.
///
/// With a projection what is given, and the state of the next step, is the product of (units) with wp (units,
/// projection): proj_size of PyTorch.
///
/// A stateful one begins where the batch before has ended, sample i with the state of sample i, until reset_state() of
/// the trainer or session; what is learnt does not reach back into that batch.
struct lstm {
  static constexpr std::string_view name = "lstm";
  static constexpr index_t gates = lstm_gates;
  index_t units = 0;       // to be given
  index_t projection = 0;  // width of the state that is given; 0: units, as they are
  bool sequences = false;
  bool stateful = false;
  activation gate = activation::sigmoid;            // or hard_sigmoid
  initialiser initial = glorot_uniform;             // of wx
  initialiser recurrent_initial = glorot_uniform;   // of wh
  initialiser projection_initial = glorot_uniform;  // of wp
  initialiser forget_bias = ones;                   // of the forget gate's b; the others start at 0

  /// Throws: shape_error for an input that is no sequence, no units or a negative projection; value_error for gates of
  /// another function.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
  /// The same of slots that a layer around this one lays out.
  void forward(lowering& to, const detail::recurrent_slots& s) const;
  void backward(lowering& to, const detail::recurrent_slots& s) const;

 private:
  [[nodiscard]] static slot kept(lowering& to, std::size_t i, index_t count);
};
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION shape lstm::output(const shape& in) const {
  detail::check_gate(name, gate);
  return detail::recurrent_output(*this, in);
}
RIDGEPOINT_DEFINITION std::vector<parameter> lstm::parameters(const shape& in) const {
  auto all = detail::recurrent_parameters(in, detail::recurrent_cells(*this), initial, recurrent_initial,
                                          {zeros, forget_bias, zeros, zeros});
  if (projection > 0)
    all.push_back(
        {.name = "wp", .extents = {units, projection}, .initial = projection_initial, .fan = {units, projection}});
  return all;
}
RIDGEPOINT_DEFINITION void lstm::forward(lowering& to) const {
  forward(to, detail::recurrent_slots::forward(to, *this));
  detail::recurrent_slots::carry_output(to, *this);
}
RIDGEPOINT_DEFINITION void lstm::forward(lowering& to, const detail::recurrent_slots& s) const {
  const slot c = kept(to, s.first_saved + 1, s.g.cells());
  const slot all = kept(to, s.first_saved + 2, gates * s.g.cells());
  const slot c0 = stateful ? s.state_before(to, 1) : slot{}, last_c = stateful ? s.state(to, 1) : slot{};
  if (projection > 0) {
    const slot h = kept(to, s.first_saved + 3, s.g.cells()), wp = to.parameter(s.first_parameter + 3);
    return to.emit(s.info(), [=, f = gate](const addresses& at) {
      return projected_lstm_args<stored>{.operands = s.forward_operands(at),
                                         .units = s.g.units,
                                         .wp = at(wp),
                                         .c0 = at(c0),
                                         .c = at(c),
                                         .gates = at(all),
                                         .h = at(h),
                                         .last_c = at(last_c),
                                         .gate = f};
    });
  }
  to.emit(s.info(), [=, f = gate](const addresses& at) {
    return lstm_args<stored>{.operands = s.forward_operands(at),
                             .c0 = at(c0),
                             .c = at(c),
                             .gates = at(all),
                             .last_c = at(last_c),
                             .gate = f};
  });
}
RIDGEPOINT_DEFINITION void lstm::backward(lowering& to) const {
  backward(to, detail::recurrent_slots::backward(to, *this));
}
RIDGEPOINT_DEFINITION void lstm::backward(lowering& to, const detail::recurrent_slots& s) const {
  const slot c = kept(to, s.first_saved + 1, s.g.cells());
  const slot all = kept(to, s.first_saved + 2, gates * s.g.cells());
  const slot c0 = stateful ? s.state_of_step(to, 1) : slot{};
  if (projection > 0) {
    const slot h = kept(to, s.first_saved + 3, s.g.cells()), wp = to.parameter(s.first_parameter + 3),
               dwp = to.parameter_gradient(s.first_parameter + 3);
    return to.emit(s.info(), [=, f = gate](const addresses& at) {
      return projected_lstm_backward_args<stored>{.operands = s.backward_operands(at),
                                                  .units = s.g.units,
                                                  .wp = at(wp),
                                                  .c0 = at(c0),
                                                  .c = at(c),
                                                  .gates = at(all),
                                                  .h = at(h),
                                                  .dwp = at(dwp),
                                                  .gate = f};
    });
  }
  to.emit(s.info(), [=, f = gate](const addresses& at) {
    return lstm_backward_args<stored>{
        .operands = s.backward_operands(at), .c0 = at(c0), .c = at(c), .gates = at(all), .gate = f};
  });
}
RIDGEPOINT_DEFINITION slot lstm::kept(lowering& to, std::size_t i, index_t count) {
  return to.training() ? to.saved(i, count) : slot{};
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::lstm>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/recurrent.hpp>
#include <ridgepoint/ops/projected_lstm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

/// What both passes have of the cells: c0, c and gates; h and wp where the state is projected.
struct lstm_slots {
  slot c0 = {}, c = {}, gates = {}, h = {}, wp = {};
  index_t units = 0;
  activation gate = activation::sigmoid;

  /// Those of a pass, whose other operands are given.
  template <class Args, class Operands>
  [[nodiscard]] Args args(const addresses& at, const Operands& operands) const {
    Args made{.operands = operands};
    made.c0 = at(c0), made.c = at(c), made.gates = at(gates), made.gate = gate;
    if constexpr (requires { made.wp; }) made.units = units, made.wp = at(wp), made.h = at(h);
    return made;
  }
};

}  // namespace detail

namespace nn {

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
  /// c and gates.
  [[nodiscard]] detail::lstm_slots saved_cells(lowering& to, const detail::recurrent_slots& s) const;
  /// Adds what a projected state has beside them.
  static void project(lowering& to, const detail::recurrent_slots& s, detail::lstm_slots& cells);
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
  detail::lstm_slots cells = saved_cells(to, s);
  if (stateful) cells.c0 = s.state_before(to, 1);
  const slot last_c = stateful ? s.state(to, 1) : slot{};
  const auto emit = [&]<class Args>(std::type_identity<Args>) {
    to.emit(s.info(), [=](const addresses& at) {
      Args args = cells.args<Args>(at, s.forward_operands(at));
      args.last_c = at(last_c);
      return args;
    });
  };
  if (projection == 0) return emit(std::type_identity<lstm_args<stored>>{});
  project(to, s, cells);
  emit(std::type_identity<projected_lstm_args<stored>>{});
}
RIDGEPOINT_DEFINITION void lstm::backward(lowering& to) const {
  backward(to, detail::recurrent_slots::backward(to, *this));
}
RIDGEPOINT_DEFINITION void lstm::backward(lowering& to, const detail::recurrent_slots& s) const {
  detail::lstm_slots cells = saved_cells(to, s);
  if (stateful) cells.c0 = s.state_of_step(to, 1);
  if (projection == 0)
    return to.emit(s.info(), [=](const addresses& at) {
      return cells.args<lstm_backward_args<stored>>(at, s.backward_operands(at));
    });
  project(to, s, cells);
  to.emit(s.info(), [=, dwp = to.parameter_gradient(s.first_parameter + 3)](const addresses& at) {
    auto args = cells.args<projected_lstm_backward_args<stored>>(at, s.backward_operands(at));
    args.dwp = at(dwp);
    return args;
  });
}
RIDGEPOINT_DEFINITION detail::lstm_slots lstm::saved_cells(lowering& to, const detail::recurrent_slots& s) const {
  return {.c = kept(to, s.first_saved + 1, s.g.cells()),
          .gates = kept(to, s.first_saved + 2, gates * s.g.cells()),
          .units = units,
          .gate = gate};
}
RIDGEPOINT_DEFINITION void lstm::project(lowering& to, const detail::recurrent_slots& s, detail::lstm_slots& cells) {
  cells.h = kept(to, s.first_saved + 3, s.g.cells());
  cells.wp = to.parameter(s.first_parameter + 3);
}
RIDGEPOINT_DEFINITION slot lstm::kept(lowering& to, std::size_t i, index_t count) {
  return to.training() ? to.saved(i, count) : slot{};
}
#endif

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::lstm>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif

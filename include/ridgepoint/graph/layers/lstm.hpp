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
  ridgepoint::activation gate = ridgepoint::activation::sigmoid;  // or hard_sigmoid
  [[no_unique_address]] named_gate activation = {};
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

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::lstm>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/lstm-inl.hpp>
#endif

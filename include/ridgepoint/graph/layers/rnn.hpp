// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/recurrent.hpp>
#include <ridgepoint/ops/rnn.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Plain recurrent layer h(t) = f(x(t)·wx + h(t − 1)·wh + b) over a sequence (t, in), from a state of zeros: gives the
/// last state (units), or all of them, (t, units), with sequences.
///
/// A stateful one begins where the batch before has ended, sample i with the state of sample i, until reset_state() of
/// the trainer or session; what is learnt does not reach back into that batch.
struct rnn {
  static constexpr std::string_view name = "rnn";
  static constexpr index_t gates = rnn_gates;
  index_t units = 0;  // to be given
  bool sequences = false;
  bool stateful = false;
  ridgepoint::activation act = ridgepoint::activation::tanh;  // a fusable one
  [[no_unique_address]] named_act activation = {};
  initialiser initial = glorot_uniform;            // of wx; b starts at 0
  initialiser recurrent_initial = glorot_uniform;  // of wh

  /// Throws: shape_error for an input that is no sequence or no units.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
  /// The same of slots that a layer around this one lays out.
  void forward(lowering& to, const detail::recurrent_slots& s) const;
  void backward(lowering& to, const detail::recurrent_slots& s) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::rnn>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/rnn-inl.hpp>
#endif

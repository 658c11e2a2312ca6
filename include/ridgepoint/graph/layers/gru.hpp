// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/recurrent.hpp>
#include <ridgepoint/ops/gru.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Gated recurrent unit over a sequence (t, in), from a state of zeros: gives the last state (units), or all of them,
/// (t, units), with sequences. Gates along the columns of wx, wh and b: r, z, n; with reset-after there is a recurrent
/// bias rb as well.
///
/// A stateful one begins where the batch before has ended, sample i with the state of sample i, until reset_state() of
/// the trainer or session; what is learnt does not reach back into that batch.
struct gru {
  static constexpr std::string_view name = "gru";
  static constexpr index_t gates = gru_gates;
  index_t units = 0;  // to be given
  bool sequences = false;
  bool stateful = false;
  gru_reset reset = gru_reset::before;
  ridgepoint::activation gate = ridgepoint::activation::sigmoid;  // or hard_sigmoid
  [[no_unique_address]] named_gate activation = {};
  initialiser initial = glorot_uniform;            // of wx
  initialiser recurrent_initial = glorot_uniform;  // of wh
  initialiser gate_bias = zeros;                   // of b for r and z; the others start at 0

  /// Throws: shape_error for an input that is no sequence or no units; value_error for gates of another function.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
  /// The same of slots that a layer around this one lays out.
  void forward(lowering& to, const detail::recurrent_slots& s) const;
  void backward(lowering& to, const detail::recurrent_slots& s) const;

 private:
  [[nodiscard]] index_t saved() const noexcept { return gru_args<stored>::saved(reset); }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::gru>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/gru-inl.hpp>
#endif

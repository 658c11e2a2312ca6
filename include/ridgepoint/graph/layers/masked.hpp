// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/graph/layers/recurrent.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace nn {

/// A recurrent layer of a sequence (t, in) and a mask (t) of i32: steps with mask 0 are skipped, as in sequence_mask.
/// Both directions of a bidirectional layer skip the same steps, so that each sample is computed independently.
template <class Cell>
struct masked {
  static constexpr std::string_view name = Cell::name;
  Cell cell = {};  // nn::rnn, nn::lstm, nn::gru or nn::bidirectional of one of them

  [[nodiscard]] static constexpr element input_type(std::size_t i) noexcept {
    return i == 0 ? element::stored : element::i32;
  }
  /// Throws: as the cell's output(); shape_error unless there is a mask with a value for each step.
  [[nodiscard]] shape output(std::span<const shape> in) const {
    require<shape_error>(in.size() == 2, name, ": has ", in.size(), " inputs; must have a sequence and its mask");
    const shape y = cell.output(in[0]);
    require<shape_error>(in[1] == shape{in[0][0]}, name, ": mask is ", in[1], "; must be ", in[0][0]);
    return y;
  }
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const { return cell.parameters(in); }
  void forward(lowering& to) const { cell.forward(to); }
  void backward(lowering& to) const { cell.backward(to); }
};

}  // namespace nn

/// Applies a recurrent layer to x, skipping steps where `mask` is 0. Token ids can serve as the mask if 0 is padding:
/// mask_zero of Keras.
/// Throws: as nn::masked; value_error unless the mask is of i32, and both are nodes of one graph.
/// Example:
///   const rp::node ids = net.input({80}, rp::element::i32);
///   const rp::node y = rp::masked(ids | nn::embedding{.vocabulary = 512, .width = 100}, ids, nn::lstm{.units = 64});
template <class Cell>
[[nodiscard]] node masked(const node& x, const node& mask, Cell cell) {
  const node inputs[] = {x, mask};
  return apply(any_layer(nn::masked<Cell>{std::move(cell)}), inputs);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::masked<nn::rnn>>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::masked<nn::lstm>>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::masked<nn::gru>>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif

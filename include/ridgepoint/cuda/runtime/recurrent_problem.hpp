// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The cells that a library supports: plain cells with two activations, an LSTM, and a GRU with reset after the
/// product.
enum class library_cell { tanh, relu, lstm, gru };

/// Everything that determines how a library computes a recurrent layer of one direction over full sequences.
struct recurrent_problem {
  library_cell cell = library_cell::lstm;
  bool is_double = false;
  index_t steps = 0, n = 0, in = 0, units = 0;
  bool may_use_tensor_floats = false;  // in products of f32
  bool operator==(const recurrent_problem&) const = default;

  [[nodiscard]] constexpr index_t gates() const noexcept {
    return cell == library_cell::lstm ? 4 : cell == library_cell::gru ? 3 : 1;
  }
  [[nodiscard]] constexpr std::size_t bytes_of_value() const noexcept {
    return is_double ? sizeof(double) : sizeof(float);
  }
};

/// The owner of weights: x, the state, the bias of both, or the bias of the product with the state, which a GRU has for
/// n.
enum class weights_of { input, state, bias, state_bias };

/// A dense matrix (rows, cols) in a library's weights, and the position of its values in ours. Offsets and strides are
/// in values.
struct library_weight {
  weights_of whose = weights_of::input;
  index_t offset = 0;  // in the library's weights
  index_t rows = 0, cols = 0;
  index_t first = 0, row_stride = 0, col_stride = 0;  // in our weights
};

/// A library_weight with the address of its first value in our weights. Null: read as zeros, not written.
template <class T>
struct placed_weight {
  T* ours;
  index_t offset, rows, cols, row_stride, col_stride;
};
/// All weights of a cell: for every gate, one matrix of the input, one of the state, and their biases.
template <class T>
struct placed_weights {
  static constexpr index_t most = 16;
  index_t count;
  placed_weight<T> each[most];
};

/// Memory that a forward pass reads and writes; sequences have steps outermost and no gaps, states are dense. Null:
/// zeros, or not requested. c is for an LSTM only.
struct recurrent_pass {
  const void *x, *h0, *c0;
  void *y, *last, *last_c;
  void *weights, *workspace;
  void* reserve;  // for a backward pass, which begins with a forward pass
};
/// Additional memory of a backward pass.
struct recurrent_pass_back {
  const void *dy, *dlast, *dlast_c;
  void *dx, *dh0, *dc0;
  void* dweights;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

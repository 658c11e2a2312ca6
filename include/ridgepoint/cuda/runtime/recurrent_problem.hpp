// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The cells that a library has: plain ones of two activations, and a GRU that resets after the product.
enum class library_cell { tanh, relu, lstm, gru };

/// Everything that decides how a library computes a recurrent layer of one direction over whole sequences.
struct recurrent_problem {
  library_cell cell = library_cell::lstm;
  bool is_double = false;
  index_t steps = 0, n = 0, in = 0, units = 0;
  bool may_use_tensor_floats = false;  // of floats
  bool operator==(const recurrent_problem&) const = default;

  [[nodiscard]] constexpr index_t gates() const noexcept {
    return cell == library_cell::lstm ? 4 : cell == library_cell::gru ? 3 : 1;
  }
  [[nodiscard]] constexpr std::size_t bytes_of_value() const noexcept {
    return is_double ? sizeof(double) : sizeof(float);
  }
};

/// Which of the weights of a layer: those of x, of the state, the bias of both, and that of the product with the state
/// alone, which a GRU has for n.
enum class weights_of { input, state, bias, state_bias };

/// A dense matrix (rows, cols) among a library's weights, and where its values are among ours. Offsets and strides are
/// in values.
struct library_weight {
  weights_of whose = weights_of::input;
  index_t offset = 0;  // in the library's
  index_t rows = 0, cols = 0;
  index_t first = 0, row_stride = 0, col_stride = 0;  // in ours
};

/// The same with the address of the first value among ours, null: zeros where they are read, not wanted where they are
/// written.
template <class T>
struct placed_weight {
  T* ours;
  index_t offset, rows, cols, row_stride, col_stride;
};
/// All of a cell: a matrix of the input's and one of the state's, and their biases, of every gate.
template <class T>
struct placed_weights {
  static constexpr index_t most = 16;
  index_t count;
  placed_weight<T> each[most];
};

/// Memory that a forward pass reads and writes, sequences with their steps outermost and without gaps, states dense.
/// Null: zeros, or not wanted; c of an LSTM alone.
struct recurrent_pass {
  const void *x, *h0, *c0;
  void *y, *last, *last_c;
  void *weights, *workspace;
  void* reserve;  // of a backward pass, which begins with a forward pass
};
/// What a backward pass has beside that.
struct recurrent_pass_back {
  const void *dy, *dlast, *dlast_c;
  void *dx, *dh0, *dc0;
  void* dweights;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

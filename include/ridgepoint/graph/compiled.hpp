// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/graph/layer.hpp>
#include <ridgepoint/graph/precision.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A parameter of a compiled network: where it is and how it starts.
struct planned_parameter {
  std::string name;  // "dense_1.w"
  parameter spec;
  slot values, gradient;
  slot gradient_rows = {};  // which rows that is of, where not of all
};

/// All trainable parameters of one layer, which follow one another in memory, and what the optimiser remembers of them.
struct planned_block {
  std::string layer;
  index_t size = 0;
  slot values = {}, gradient = {};
  slot rounded = {};  // what ops read of them, where that is of another type
  std::array<slot, 2> moments = {};
  std::array<bool, 2> are_squares = {};  // moments that are never below 0
};

/// An output that a loss judges: its targets, and the states that the loss writes its results to, one for each
/// micro-batch.
struct planned_loss {
  shape output_shape;  // of one sample
  slot targets;
  index_t targets_per_sample = 0;
  index_t counted_per_sample = 0;  // those that are found right or wrong: all or none
  double weight = 1;
  std::vector<slot> states = {};
};

/// A plan and the slots that are filled and read from outside.
struct compiled {
  ridgepoint::plan plan;
  ridgepoint::precision precision = ridgepoint::precision::f32;
  index_t batch = 1;  // of all micro-batches
  std::vector<slot> inputs;
  std::vector<shape> input_shapes;  // of one sample
  std::vector<slot> outputs;
  std::vector<shape> output_shapes;  // of one sample
  std::vector<planned_loss> losses;
  slot state;                 // the step_state, and the first loss's
  std::vector<slot> carried;  // what layers carry from step to step
  std::vector<planned_parameter> parameters;
  std::vector<planned_block> blocks;

  /// Number of trainable values: what published parameter counts count.
  [[nodiscard]] index_t trainable_size() const noexcept {
    index_t sum = 0;
    for (const planned_block& block : blocks) sum += block.size;
    return sum;
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

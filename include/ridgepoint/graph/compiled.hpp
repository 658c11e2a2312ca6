// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <concepts>

#include <ridgepoint/core/element.hpp>
#include <ridgepoint/graph/layer.hpp>
#include <ridgepoint/ops/all.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Storage and compute type of a plan. If it differs from the type of the values fed, pass ops_of<precision::bf16>{} as
/// the last argument of graph::train() and compile(); rp::cpu has these ops compiled in.
enum class precision : std::uint8_t {
  f32,   // float
  f64,   // double
  bf16,  // bfloat16, summed in float; master weights, moments and statistics in float
  f16    // likewise in float16, and losses in float, with loss_scaling
};
/// "f32"
[[nodiscard]] constexpr std::string_view to_string(precision p) noexcept {
  constexpr std::string_view names[] = {"f32", "f64", "bf16", "f16"};
  return names[static_cast<std::size_t>(p)];
}

/// Type of inputs, activations and gradients, and of the weights that ops read.
[[nodiscard]] constexpr element storage_of(precision p) noexcept {
  constexpr element stored[] = {element::f32, element::f64, element::bf16, element::f16};
  return stored[static_cast<std::size_t>(p)];
}
/// Type of data that must not be rounded further: master weights, optimiser moments, and statistics.
[[nodiscard]] constexpr element master_of(precision p) noexcept {
  return p == precision::f64 ? element::f64 : element::f32;
}
/// Returns true if gradients are scaled: see loss_scaling.
[[nodiscard]] constexpr bool scales_losses(precision p) noexcept { return p == precision::f16; }

/// Default precision of a network that is fed with float or double.
template <std::floating_point T>
inline constexpr precision precision_of = std::same_as<T, float> ? precision::f32 : precision::f64;

namespace detail {
template <precision P>
struct ops_of {
  using type = all_ops<float>;
};
template <>
struct ops_of<precision::f64> {
  using type = all_ops<double>;
};
template <>
struct ops_of<precision::bf16> {
  using type = decltype(all_ops<float>{} + all_ops<bfloat16>{} + conversion_ops{});
};
template <>
struct ops_of<precision::f16> {
  using type = decltype(all_ops<float>{} + all_ops<float16>{} + float16_conversion_ops{});
};
}  // namespace detail
/// Every op that plans of a precision use.
template <precision P>
using ops_of = typename detail::ops_of<P>::type;

/// A parameter of a compiled network: its slots and its initial values.
struct planned_parameter {
  std::string name;  // "dense_1.w"
  parameter spec;
  slot values, gradient;
  slot gradient_rows = {};  // the rows that a row-list gradient is of
};

/// All trainable parameters of one layer, contiguous in memory, and their optimiser moments.
struct planned_block {
  std::string layer;
  index_t size = 0;
  slot values = {}, gradient = {};
  slot rounded = {};  // the copy that ops read, if their type differs
  std::array<slot, 2> moments = {};
  std::array<bool, 2> are_squares = {};  // moments that are never below 0
};

/// An output with a loss: its targets, and the states of its results, one per micro-batch of all ranks.
struct planned_loss {
  shape output_shape;  // of one sample
  slot targets;
  index_t targets_per_sample = 0;
  index_t counted_per_sample = 0;  // targets judged right or wrong: all or none
  double weight = 1;
  std::vector<slot> states = {};
  std::vector<slot> written = {};  // by this rank; then gathered in `states`. Empty: it writes `states`
};

/// A plan and the slots that are written and read from outside.
struct compiled {
  ridgepoint::plan plan;
  ridgepoint::precision precision = ridgepoint::precision::f32;
  index_t batch = 1;         // of all micro-batches of this rank
  index_t batch_of_all = 1;  // of all ranks
  std::vector<slot> inputs;
  std::vector<shape> input_shapes;  // of one sample
  std::vector<slot> outputs;
  std::vector<shape> output_shapes;  // of one sample
  std::vector<planned_loss> losses;
  slot state;                 // the step_state, also the state of the first loss
  std::vector<slot> carried;  // state that layers carry from step to step
  std::vector<planned_parameter> parameters;
  std::vector<planned_block> blocks;

  /// Number of trainable values, as published parameter counts define it.
  [[nodiscard]] index_t trainable_size() const noexcept {
    index_t sum = 0;
    for (const planned_block& block : blocks) sum += block.size;
    return sum;
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

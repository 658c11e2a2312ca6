// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/vector_unit.hpp>
#include <ridgepoint/ops/adam.hpp>
#include <ridgepoint/ops/momentum.hpp>
#include <ridgepoint/ops/rmsprop_tf1.hpp>
#include <ridgepoint/ops/sgd.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// What an optimiser does per fp32 parameter in one fused op.
struct update_cost {
  double flop = 0, special = 0, bytes_read = 0, bytes_written = 0;
};
/// The same from the receipt of one parameter, without specials, which the TPU's profiler does not count.
[[nodiscard]] constexpr update_cost cost_of(const work& one) noexcept {
  return {.flop = static_cast<double>(one.flop),
          .bytes_read = static_cast<double>(one.bytes.inputs + one.bytes.weights),
          .bytes_written = static_cast<double>(one.bytes.outputs)};
}
inline constexpr update_cost sgd_update = cost_of(sgd_update_work<float>(1));
inline constexpr update_cost momentum_update = cost_of(momentum_update_work<float>(1));
/// TensorFlow's RMSProp with momentum: 28 bytes, and 9 FLOP by the TPU's profiler too.
inline constexpr update_cost rmsprop_update = cost_of(rmsprop_tf1_update_work<float>(1));
inline constexpr update_cost adam_update = cost_of(adam_update_work<float>(1));
/// One more pass over every parameter that ParaDnn's traces show beside the update: two values in, one out, 1 FLOP.
inline constexpr update_cost extra_pass{.flop = 1, .bytes_read = 8, .bytes_written = 4};

/// One optimiser op over `parameters` values.
[[nodiscard]] inline modelled_op model_update(const chip& on, index_t parameters,
                                              const update_cost& cost = rmsprop_update, std::string name = "update") {
  const bool fused = cost.flop > 1;
  return model_vector(on, {.elements = parameters,
                           .flop_per_element = cost.flop,
                           .special_per_element = cost.special,
                           .bytes_read = cost.bytes_read,
                           .bytes_written = cost.bytes_written,
                           .stream = fused ? stream::update : stream::elementwise,
                           .name = std::move(name),
                           .pass = pass::update});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/vector_unit.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// What an optimiser does per fp32 parameter in one fused op.
struct update_cost {
  double flop = 0, special = 0, bytes_read = 0, bytes_written = 0;
};
/// w ← w − lr·g.
inline constexpr update_cost sgd_update{.flop = 2, .bytes_read = 8, .bytes_written = 4};
/// Momentum: one moment more.
inline constexpr update_cost momentum_update{.flop = 4, .bytes_read = 12, .bytes_written = 8};
/// TensorFlow's RMSProp with momentum: reads g, ms, mom, w, writes ms, mom, w: 28 bytes; 9 FLOP by the TPU's profiler.
inline constexpr update_cost rmsprop_update{.flop = 9, .bytes_read = 16, .bytes_written = 12};
/// Adam: g, m, v, w in, m, v, w out.
inline constexpr update_cost adam_update{.flop = 11, .bytes_read = 16, .bytes_written = 12};
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

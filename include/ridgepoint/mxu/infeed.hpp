// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/matmul.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// What the host feeds a whole board in one step.
struct infeed_geometry {
  index_t batch = 0;                            // of all cores
  index_t sample_values = 0, label_values = 0;  // per sample
  index_t sample_bytes = 2;                     // per value; labels take 4
};

/// The host's data feed: latency + sample bytes / rate + label bytes / label rate; the host's clock, not a core's.
/// Throws: shape_error if the batch or the sample is empty.
[[nodiscard]] inline modelled_op model_infeed(const chip& on, const infeed_geometry& g) {
  require<shape_error>(g.batch >= 1 && g.sample_values >= 1 && g.label_values >= 0 && g.sample_bytes >= 1,
                       "tpu infeed: batch ", g.batch, " of ", g.sample_values, " values and ", g.label_values,
                       " labels; batch and values must be >= 1");
  const index_t samples = checked_mul(checked_mul(g.batch, g.sample_values), g.sample_bytes);
  const index_t labels = checked_mul(checked_mul(g.batch, g.label_values), 4);
  modelled_op op{.name = "infeed", .pass = pass::feed, .shape = concat(g.batch, 'x', g.sample_values)};
  op.receipt.bytes.inputs = static_cast<std::uint64_t>(samples) + static_cast<std::uint64_t>(labels);
  op.bytes = op.receipt.bytes.inputs;
  op.overhead_s = on.fit.infeed_latency_s;
  if (on.fit.infeed_bytes_per_s > 0) op.host_s += static_cast<double>(samples) / on.fit.infeed_bytes_per_s;
  if (on.fit.label_bytes_per_s > 0) op.host_s += static_cast<double>(labels) / on.fit.label_bytes_per_s;
  op.elapsed_s = op.overhead_s + op.host_s;
  conclude(op, on.peak_flop_per_s());
  op.bound = bound::host;
  return op;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu

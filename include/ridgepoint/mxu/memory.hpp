// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/chip.hpp>
#include <ridgepoint/mxu/matmul.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// Memory that a training step keeps in one core's HBM. Every core holds all parameters and its share of the batch.
struct step_memory {
  double parameters = 0;        // values, in fp32
  double optimiser_values = 2;  // optimiser state per parameter
  double activations = 0;       // values per core, of all layers, kept from forward to backward
  double activation_bytes = 4;  // bf16 before and after the nonlinearity, or once in fp32
  [[nodiscard]] constexpr double bytes() const noexcept {
    return parameters * 4 * (1 + optimiser_values) + activations * activation_bytes;
  }
};

/// Out-of-memory rule: 4 bytes per parameter and moment plus the activations must fit a core's HBM. Gradients do not
/// count: each is consumed by its update before the next is computed.
[[nodiscard]] constexpr bool fits(const chip& on, const step_memory& need) noexcept {
  return need.bytes() <= static_cast<double>(on.hbm_bytes);
}

/// Data that the host feeds to a whole board in one step.
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

/// Sum over `participants` of `bytes` each on a torus, by reduce-scatter and all-gather on rings that use `links` links
/// of a participant at once: 2·(p − 1)/p · bytes / (links · bytes_per_s).
/// Throws: value_error unless participants ≥ 1, links ≥ 1 and the rate is positive.
[[nodiscard]] inline double torus_all_reduce_s(double bytes, index_t participants, index_t links, double bytes_per_s) {
  require<value_error>(participants >= 1 && links >= 1, "all-reduce: ", participants, " participants on ", links,
                       " links; both must be >= 1");
  require<value_error>(std::isfinite(bytes_per_s) && bytes_per_s > 0 && bytes >= 0, "all-reduce: ", bytes, " bytes at ",
                       bytes_per_s, " bytes/s; must be >= 0 and > 0");
  const auto p = static_cast<double>(participants);
  return 2 * (p - 1) / p * bytes / (static_cast<double>(links) * bytes_per_s);
}

/// Gradients of `parameters` fp32 values in `tensors` tensors, summed over the first `cores` cores of the board.
///
/// With fitted constants, latency · tensors + 8 · parameters / rate, the rate of a whole board scaled by (p − 1)/p of
/// the cores that take part; without, torus_all_reduce_s() over the chips after the cores of a chip added theirs
/// through memory (12 bytes per value). One core has nothing to sum: 0 s.
/// Throws: shape_error, value_error if an extent is < 1 or the board has fewer cores.
[[nodiscard]] inline modelled_op model_all_reduce(const chip& on, index_t parameters, index_t tensors, index_t cores,
                                                  std::string name = "all-reduce") {
  require<shape_error>(parameters >= 1 && tensors >= 1, "tpu all-reduce: ", parameters, " parameters in ", tensors,
                       " tensors; both must be >= 1");
  require<value_error>(cores >= 1 && cores <= on.cores(), "tpu all-reduce: ", cores, " cores; ", on.name, " has ",
                       on.cores());
  modelled_op op{.name = std::move(name), .pass = pass::update, .shape = concat(parameters, " in ", tensors)};
  if (cores == 1) return op;
  const auto values = static_cast<std::uint64_t>(checked_mul(parameters, 8)) / 8;
  op.receipt = {.flop = values, .bytes = {.inputs = 4 * values, .outputs = 4 * values}};
  op.bytes = 8 * values;
  const auto p = static_cast<double>(cores), all = static_cast<double>(on.cores());
  if (on.fit.all_reduce_bytes_per_s > 0) {
    const double share = ((p - 1) / p) / ((all - 1) / all);
    op.ici_s = share * static_cast<double>(op.bytes) / on.fit.all_reduce_bytes_per_s;
    op.overhead_s = on.fit.all_reduce_latency_s * static_cast<double>(tensors);
  } else {
    const index_t chips = ceil_div(cores, checked_divisor("chip: cores_per_chip", on.cores_per_chip));
    if (on.cores_per_chip > 1) op.hbm_s = 12 * static_cast<double>(values) / on.hbm_bytes_per_s;
    const double bytes = 4 * static_cast<double>(values);
    if (chips > 1) op.ici_s = torus_all_reduce_s(bytes, chips, on.ici_links / 2, on.ici_bytes_per_s);
    op.overhead_s = on.fit.op_latency_s * static_cast<double>(tensors);
  }
  op.elapsed_s = op.overhead_s + op.ici_s + op.hbm_s;
  conclude(op, on.peak_flop_per_s());
  op.bound = bound::ici;
  return op;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu

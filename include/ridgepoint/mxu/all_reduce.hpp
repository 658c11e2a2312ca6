// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/matmul.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

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

// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/mxu/chip.hpp>
#include <ridgepoint/mxu/matmul.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// Modelled training step: the ops of one core in order (all cores do the same), the host's feed, and the totals.
struct modelled_step {
  std::string title, chip;
  index_t cores = 1, batch = 1;
  std::vector<modelled_op> ops;
  modelled_op infeed;
  double device_s = 0;           // Σ elapsed_s of the ops
  double loop_s = 0;             // the host's share between its loops
  double step_s = 0;             // overlap(device_s, infeed) + loop_s
  double peak_flop_per_s = 0;    // of the arrays of all cores
  double quoted_flop_per_s = 0;  // of all cores, as published

  /// Work of all cores.
  [[nodiscard]] work receipt() const noexcept {
    work total;
    const auto each = static_cast<std::uint64_t>(cores);
    for (const modelled_op& op : ops) total += op.receipt * (op.repeat * each);
    return total;
  }
  /// Matrix FLOP of the step over step_s · peak of the arrays: 0 to 1.
  [[nodiscard]] double utilisation() const noexcept { return share_of(peak_flop_per_s); }
  /// Utilisation relative to the published peak, which the arrays can exceed by 2 % on TPU v2.
  [[nodiscard]] double quoted_utilisation() const noexcept { return share_of(quoted_flop_per_s); }
  /// Share of the step in which the cores wait for the host.
  [[nodiscard]] double infeed_share() const noexcept { return step_s > 0 ? 1 - (device_s + loop_s) / step_s : 0; }
  /// Seconds of the device's time that ops with this bound take.
  [[nodiscard]] double bound_s(bound b) const noexcept {
    double total = 0;
    for (const modelled_op& op : ops)
      if (op.bound == b) total += op.total_s();
    return total;
  }

 private:
  [[nodiscard]] double share_of(double peak) const noexcept {
    return step_s > 0 && peak > 0 ? static_cast<double>(receipt().matrix_flop) / (step_s * peak) : 0;
  }
};

/// Samples per core. Throws: value_error unless cores are 1 to the board's and divide the batch.
[[nodiscard]] inline index_t batch_per_core(const chip& on, index_t batch, index_t cores) {
  require<value_error>(cores >= 1 && cores <= on.cores(), "tpu: ", cores, " cores; ", on.name, " has ", on.cores());
  require<value_error>(batch >= 1 && batch % cores == 0, "tpu: batch of ", batch, " on ", cores,
                       " cores; must be a positive multiple of the cores");
  return batch / cores;
}

/// Adds up a step: device time is the sum of the ops, one after another as on the chip; the host feeds the next step
/// meanwhile; `parameters` counts those the host touches between its loops.
/// Throws: value_error as batch_per_core().
[[nodiscard]] inline modelled_step compose(const chip& on, std::vector<modelled_op> ops, modelled_op infeed,
                                           std::uint64_t parameters, index_t batch, index_t cores) {
  static_cast<void>(batch_per_core(on, batch, cores));
  modelled_step step{
      .title = {}, .chip = on.name, .cores = cores, .batch = batch, .ops = std::move(ops), .infeed = std::move(infeed)};
  for (const modelled_op& op : step.ops) step.device_s += op.total_s();
  step.loop_s = on.fit.loop_s_per_parameter * static_cast<double>(parameters);
  step.step_s = overlap(step.device_s, step.infeed.elapsed_s, on.fit.infeed_overlap_exponent) + step.loop_s;
  step.peak_flop_per_s = on.peak_flop_per_s(cores);
  step.quoted_flop_per_s = on.quoted_flop_per_s * static_cast<double>(cores) / static_cast<double>(on.cores());
  return step;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu

// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/gpu/step.hpp>
#include <ridgepoint/roofline/communication.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

/// Returns the link between two GPUs of a host that is usual for a chip: the switch on K80's board, PCI Express for
/// P100's PCIe card, NVLink for later ones.
[[nodiscard]] inline const network_link& usual_link(const chip& on) {
  const std::string_view name = on.name == "v100"                        ? "nvlink2"
                                : on.name == "a100"                      ? "nvlink3"
                                : on.name == "h100" || on.name == "h200" ? "nvlink4"
                                                                         : "pcie3";
  return find_link(name);
}

/// Returns the step of `gpus` GPUs that share a batch, from the step of one on its share, with `parameters` gradients
/// in fp32. One host feeds all. Sums overlap with the backward pass, except for the last one; an op of the step,
/// "all-reduce", has the rest, even if it takes no time. Ops, receipts and the peak are of one GPU.
/// Throws: as times_of().
[[nodiscard]] inline modelled_step data_parallel(const platform& p, modelled_step step, index_t parameters,
                                                 index_t gpus, const network_link& over) {
  if (gpus == 1) return step;
  double backward_s = 0;
  for (const modelled_op& op : step.ops)
    if (op.pass == pass::backward_data || op.pass == pass::backward_weights) backward_s += op.total_s();
  const double bytes = 4 * static_cast<double>(parameters);
  const data_parallel_times t =
      times_of({.alone_s = step.device_s, .backward_s = backward_s, .gradient_bytes = bytes}, gpus, over);
  step.ops.push_back({.name = "all-reduce",
                      .pass = pass::update,
                      .shape = concat(gpus, 'x', parameters),
                      .least_s = t.exposed_s,
                      .elapsed_s = t.exposed_s,
                      .bound = bound::link});
  step.gpus = gpus;
  step.over = over.name;
  step.sums_s = t.sums_s;
  step.alone_s = step.step_s;
  step.device_s += t.exposed_s;
  step.fed.batch *= gpus;
  step.feed_s = feed_seconds(p.with, step.fed);
  step.step_s = step_seconds(p.with, step.device_s, static_cast<double>(step.dispatches), step.fed);
  return step;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::gpu

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <ridgepoint/gpu/platform.hpp>
#include <ridgepoint/gpu/products.hpp>
#include <ridgepoint/roofline/measure.hpp>
#include <ridgepoint/roofline/work.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

/// The resource that limits an op on a GPU.
enum class bound {
  product,  // multiply-adds
  tiles,    // over half of the multiply-adds' time is overhang of tiles and waves, prologue, small tiles
  memory,
  launch,  // kernels start and end
  link     // between GPUs
};
[[nodiscard]] constexpr std::string_view to_string(bound b) noexcept {
  constexpr std::string_view names[] = {"product", "tiles", "memory", "launch", "link"};
  return names[static_cast<int>(b)];
}

/// The modelled cost of one op: its kernels, the time of each resource, and the time on the device.
struct modelled_op {
  std::string name = {};
  ridgepoint::pass pass = ridgepoint::pass::forward;
  std::string shape = {};
  index_t dispatches = 0;  // dispatches by the host
  index_t kernels = 0;
  double least_s = 0;    // max(FLOP at the peak, compulsory bytes at the memory's rate)
  double product_s = 0;  // tiles on the multiprocessors
  double memory_s = 0;   // bytes at the reachable rate
  double launch_s = 0;   // kernels · kernel_s
  double elapsed_s = 0;  // on the device
  gpu::bound bound = gpu::bound::launch;
  double utilisation = 0;  // matrix FLOP / (elapsed_s · peak of the format)
  work receipt = {};       // compulsory traffic in the format
  double bytes = 0;        // memory traffic
  std::uint64_t repeat = 1;

  [[nodiscard]] double total_s() const noexcept { return elapsed_s * static_cast<double>(repeat); }
  [[nodiscard]] std::uint64_t launches() const noexcept { return static_cast<std::uint64_t>(kernels); }
};

/// The kernels of an op, collected one by one.
struct kernels_of_op {
  index_t dispatches = 1, kernels = 0;
  double flop_s = 0;                        // of all computation, at the peak
  double product_s = 0, product_bytes = 0;  // of kernels that compute
  double other_bytes = 0;                   // of kernels that only move bytes

  /// Adds a product that moves `bytes` in total, by an algorithm with that many times fewer multiply-adds.
  void multiply(const platform& p, const product& g, double bytes, double fewer = 1) {
    if (g.m == 0 || g.n == 0 || g.k == 0 || g.count == 0 || g.turns == 0) return;
    const auto turns = static_cast<double>(g.turns);
    const tiling t = best_tiling(p, g);
    product_s += turns * (t.product_s / fewer + t.reduce_s);
    flop_s += turns * 2 * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k) *
              static_cast<double>(g.count) / (fewer * p.on.peak_flop_per_s(p.in));
    product_bytes += bytes;
    kernels += g.turns;
  }
  /// Adds a kernel that computes for at_peak_s at the peak and moves `bytes`.
  void compute(double at_peak_s, double bytes) {
    flop_s += at_peak_s, product_s += at_peak_s, product_bytes += bytes, ++kernels;
  }
  /// Adds `count` kernels that only move data, `bytes` in total.
  void stream(double bytes, index_t count = 1) { other_bytes += bytes, kernels += count; }
};

/// Returns the op of these kernels. Computation and traffic of a kernel overlap; kernels run one after another.
[[nodiscard]] inline modelled_op conclude(const platform& p, const kernels_of_op& k, const work& receipt) {
  modelled_op op{.dispatches = k.dispatches, .kernels = k.kernels, .receipt = receipt};
  op.bytes = k.product_bytes + k.other_bytes;
  op.product_s = k.product_s;
  op.memory_s = op.bytes / p.on.stream_bytes_per_s();
  op.launch_s = static_cast<double>(k.kernels) * p.with.kernel_s;
  op.least_s = (std::max)(k.flop_s, static_cast<double>(receipt.bytes.total()) / p.on.memory_bytes_per_s);
  const double rate = p.on.stream_bytes_per_s();
  op.elapsed_s = op.launch_s + (std::max)(k.product_s, k.product_bytes / rate) + k.other_bytes / rate;
  const double longest = (std::max)({op.product_s, op.memory_s, op.launch_s});
  op.bound = exactly(longest, op.launch_s)   ? bound::launch
             : exactly(longest, op.memory_s) ? bound::memory
             : 2 * k.flop_s < k.product_s    ? bound::tiles
                                             : bound::product;
  if (op.elapsed_s > 0)
    op.utilisation = static_cast<double>(receipt.matrix_flop) / (op.elapsed_s * p.on.peak_flop_per_s(p.in));
  return op;
}

/// The samples that the host prepares for a step.
struct feed_geometry {
  index_t batch = 1, sample_values = 0;
};

/// Returns the host's seconds to dispatch this many ops.
[[nodiscard]] inline double dispatch_seconds(const software& with, double dispatches) noexcept {
  return with.host_s_per_step + dispatches * with.host_s_per_op;
}
/// Returns the host's seconds to prepare the samples of a step.
[[nodiscard]] inline double feed_seconds(const software& with, const feed_geometry& fed) noexcept {
  return with.feed_latency_s +
         static_cast<double>(fed.batch) * static_cast<double>(fed.sample_values) * with.feed_s_per_value;
}
/// Returns the longer of the device's time and the host's time.
[[nodiscard]] inline double step_seconds(const software& with, double device_s, double dispatches,
                                         const feed_geometry& fed) noexcept {
  return (std::max)(device_s,
                    overlap(dispatch_seconds(with, dispatches), feed_seconds(with, fed), with.host_overlap_exponent));
}

/// A modelled step: ops in order on the device, their dispatch by the host, and the input of the next batch.
struct modelled_step {
  std::string title, chip, software;
  number_format in = number_format::f32;
  feed_geometry fed = {};
  std::vector<modelled_op> ops;
  index_t dispatches = 0;
  double device_s = 0;    // Σ elapsed_s of the ops
  double dispatch_s = 0;  // of the host
  double feed_s = 0;      // of the host
  double step_s = 0;      // max(device_s, overlap(dispatch_s, feed_s))
  double peak_flop_per_s = 0;
  // Several GPUs: see data_parallel(). Ops are of one of them, `fed` is of all.
  index_t gpus = 1;
  std::string over = {};  // the link between them
  double sums_s = 0;      // of all gradients, overlapped or not
  double alone_s = 0;     // step of one GPU on its share of the batch, with a host of its own

  /// Returns the throughput relative to that of as many single GPUs.
  [[nodiscard]] double efficiency() const noexcept { return gpus == 1 ? 1 : alone_s / step_s; }
  [[nodiscard]] work receipt() const noexcept {
    work total;
    for (const modelled_op& op : ops) total += op.receipt * op.repeat;
    return total;
  }
  /// Returns the seconds that the device waits for the host.
  [[nodiscard]] double wait_s() const noexcept { return step_s - device_s; }
  /// Returns the share of the step in which device and dispatch wait for the feed: 0 to 1.
  [[nodiscard]] double feed_share() const noexcept {
    return step_s > 0 ? 1 - (std::max)(device_s, dispatch_s) / step_s : 0;
  }
  /// Returns matrix FLOP of the step / (step_s · peak of the format): 0 to 1.
  [[nodiscard]] double utilisation() const noexcept {
    return step_s > 0 ? static_cast<double>(receipt().matrix_flop) / (step_s * peak_flop_per_s) : 0;
  }
  [[nodiscard]] double bound_s(bound b) const noexcept {
    double total = 0;
    for (const modelled_op& op : ops)
      if (op.bound == b) total += op.total_s();
    return total;
  }
};

/// Returns the sum of a step's ops. Throws: value_error as check(platform).
[[nodiscard]] inline modelled_step compose(const platform& p, std::vector<modelled_op> ops, const feed_geometry& fed) {
  check(p);
  modelled_step step{
      .title = {}, .chip = p.on.name, .software = p.with.name, .in = p.in, .fed = fed, .ops = std::move(ops)};
  for (const modelled_op& op : step.ops) {
    step.device_s += op.total_s();
    step.dispatches += op.dispatches * static_cast<index_t>(op.repeat);
  }
  step.dispatch_s = dispatch_seconds(p.with, static_cast<double>(step.dispatches));
  step.feed_s = feed_seconds(p.with, fed);
  step.step_s = step_seconds(p.with, step.device_s, static_cast<double>(step.dispatches), fed);
  step.peak_flop_per_s = p.on.peak_flop_per_s(p.in);
  return step;
}

/// Returns the chip with the ceilings of a measured machine: its highest of f32, tf32 and f16 or bf16, and the rate of
/// its largest memory. Fitted values are dropped, because measured ceilings are what libraries and kernels reach. The
/// chip's figure stays for formats the machine does not list. Throws: value_error if the machine has no memory ceiling.
[[nodiscard]] inline chip with_ceilings(chip c, const machine& m) {
  const std::vector<std::string> levels = m.levels();
  require<value_error>(!levels.empty(), "gpu: machine ", m.name, " has no memory; must have a bandwidth ceiling");
  const auto replace = [&](double& rate, const char* dtype) {
    if (const ceiling* peak = m.peak({.dtype = dtype}); peak != nullptr && peak->dtype == dtype) rate = peak->per_s;
  };
  replace(c.f32_flop_per_s, "f32");
  replace(c.tf32_flop_per_s, "tf32");
  replace(c.f16_flop_per_s, "bf16");
  replace(c.f16_flop_per_s, "f16");
  c.memory_bytes_per_s = m.bandwidth(levels.back())->per_s;
  c.machine = m.name;
  c.fit = {.source = "ceilings of " + m.name + ", nothing is fitted"};
  return c;
}
/// Returns the software with the launch time measured on the machine, if it was measured.
[[nodiscard]] inline software with_ceilings(software s, const machine& m) {
  if (m.launch_s > 0) s.kernel_s = m.launch_s;
  return s;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::gpu

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>

#include <ridgepoint/gpu/products.hpp>
#include <ridgepoint/roofline/work.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

/// The resource that limits an op on a GPU.
enum class bound {
  product,  // multiply-adds
  tiles,    // over half of the multiply-adds' time is overhang of tiles and waves, prologue, small tiles
  memory,
  launch  // kernels start and end
};
[[nodiscard]] constexpr std::string_view to_string(bound b) noexcept {
  constexpr std::string_view names[] = {"product", "tiles", "memory", "launch"};
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

  /// Adds a product that moves `bytes` in total.
  void multiply(const platform& p, const product& g, double bytes) {
    if (g.m == 0 || g.n == 0 || g.k == 0 || g.count == 0 || g.turns == 0) return;
    const auto turns = static_cast<double>(g.turns);
    product_s += turns * best_tiling(p, g).total_s();
    flop_s += turns * 2 * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k) *
              static_cast<double>(g.count) / p.on.peak_flop_per_s(p.in);
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::gpu

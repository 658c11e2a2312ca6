// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/roofline/machines.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

/// Format of the operands of products and of stored activations. Sums, variables and updates are always fp32.
enum class number_format { f32, tf32, f16 };
[[nodiscard]] constexpr std::string_view to_string(number_format f) noexcept {
  constexpr std::string_view names[] = {"f32", "tf32", "f16"};
  return names[static_cast<int>(f)];
}
/// Returns the bytes of an activation.
[[nodiscard]] constexpr index_t bytes_of(number_format f) noexcept { return f == number_format::f16 ? 2 : 4; }

/// Properties of a chip that no data sheet gives. docs/gpu_model.md explains how they were determined; `ridgepoint
/// calibrate gpu` derives them again.
struct calibration {
  double product_share = 1;  // fraction of the peak that products reach in full waves of large tiles
  double stream_share = 1;   // reachable fraction of the memory's rate
  std::string source = "nothing is fitted";
  friend bool operator==(const calibration&, const calibration&) = default;
};

/// One GPU as data. Figures of a published machine (roofline/machines.hpp) come from there.
/// Example: const rp::gpu::chip& v100 = rp::gpu::find_chip("v100");
///          v100.peak_flop_per_s(rp::gpu::number_format::f16)                                        // 125e12
struct chip {
  std::string name, description;
  std::string machine;                                                 // in roofline/machines.hpp
  index_t multiprocessors = 0;                                         // each computes one tile of a product
  double f32_flop_per_s = 0, tf32_flop_per_s = 0, f16_flop_per_s = 0;  // 0: not supported
  double memory_bytes_per_s = 0;
  std::uint64_t memory_bytes = 0;
  calibration fit = {};

  /// Returns the peak rate; 0 if the chip has no units for the format.
  [[nodiscard]] constexpr double peak_flop_per_s(number_format f) const noexcept {
    return f == number_format::f32 ? f32_flop_per_s : f == number_format::tf32 ? tf32_flop_per_s : f16_flop_per_s;
  }
  /// Returns the reachable bytes per second.
  [[nodiscard]] constexpr double stream_bytes_per_s() const noexcept { return memory_bytes_per_s * fit.stream_share; }
  friend bool operator==(const chip&, const chip&) = default;
};

namespace detail {

/// Returns values fitted to ParaDnn's published V100 step times, using only rows with 4 or 32 layers. `ridgepoint
/// calibrate gpu --data DIR` prints these numbers (study/gpu_calibrate.hpp).
inline calibration fitted_v100() {
  return {
      .product_share = 0.8072, .stream_share = 0.7086, .source = "fitted to ParaDnn's V100 step times, 4 or 32 layers"};
}

/// Returns a chip with the ceilings of a machine that contains `per_machine` of them.
inline chip on_machine(const char* name, index_t multiprocessors, std::uint64_t memory_gib, index_t per_machine = 1) {
  const machine& m = find_machine(name);
  const auto share = 1 / static_cast<double>(per_machine);
  const auto peak = [&](const char* dtype, const char* operation) {
    double best = 0;
    for (const ceiling& c : m.ceilings)
      if (c.dtype == dtype && c.operation == operation) best = (std::max)(best, c.per_s * share);
    return best;
  };
  chip c{.name = m.name,
         .description = m.description,
         .machine = m.name,
         .multiprocessors = multiprocessors,
         .f32_flop_per_s = peak("f32", "fma"),
         .tf32_flop_per_s = peak("tf32", "tensor core"),
         .f16_flop_per_s = peak("f16", "tensor core"),
         .memory_bytes_per_s = m.bandwidth(m.levels().front())->per_s * share,
         .memory_bytes = memory_gib << 30,
         .fit = fitted_v100()};
  if (c.name != "v100") c.fit.source += "; carried over from V100, not fitted";
  return c;
}

}  // namespace detail

/// Returns K80 (one of its two GPUs, as a process sees it), P100, V100, A100, H100, H200. Multiprocessor counts are
/// from NVIDIA's white paper of each architecture.
[[nodiscard]] inline const std::vector<chip>& published_chips() {
  static const std::vector<chip> all = [] {
    chip k80 = detail::on_machine("k80", 13, 12, 2);
    k80.description = "NVIDIA Tesla K80, one of the two GPUs of the board, boost clock";
    return std::vector<chip>{std::move(k80),
                             detail::on_machine("p100", 56, 16),
                             detail::on_machine("v100", 80, 16),
                             detail::on_machine("a100", 108, 40),
                             detail::on_machine("h100", 132, 80),
                             detail::on_machine("h200", 132, 141)};
  }();
  return all;
}

/// Returns a published chip by name. Throws: value_error with the known names if not found.
[[nodiscard]] inline const chip& find_chip(std::string_view name) {
  return find_named(published_chips(), name, "gpu: no chip");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::gpu

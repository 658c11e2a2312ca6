// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

/// Format of the operands of products and of stored activations. Sums, variables and updates are always fp32.
enum class number_format { f32, tf32, f16 };
[[nodiscard]] constexpr std::string_view to_string(number_format f) noexcept {
  constexpr std::string_view names[] = {"f32", "tf32", "f16"};
  return names[static_cast<int>(f)];
}
/// Returns the bytes of an activation.
[[nodiscard]] constexpr index_t bytes_of(number_format f) noexcept { return f == number_format::f16 ? 2 : 4; }

/// Properties of a chip that no data sheet gives. docs/gpu_model.md explains how they were determined; `ridgepoint gpu
/// calibrate` derives them again.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::gpu

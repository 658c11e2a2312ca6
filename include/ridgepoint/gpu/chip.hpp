// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

/// What products multiply and activations are stored in. Sums, variables and updates are fp32 in all of them.
enum class number_format { f32, tf32, f16 };
[[nodiscard]] constexpr std::string_view to_string(number_format f) noexcept {
  constexpr std::string_view names[] = {"f32", "tf32", "f16"};
  return names[static_cast<int>(f)];
}
/// Of an activation.
[[nodiscard]] constexpr index_t bytes_of(number_format f) noexcept { return f == number_format::f16 ? 2 : 4; }

/// What no data sheet says of a chip. docs/gpu_model.md says how it was found; `ridgepoint gpu calibrate` derives it
/// again.
struct calibration {
  double product_share = 1;  // of the peak that products reach in whole waves of large tiles
  double stream_share = 1;   // of the memory's rate that anything reaches
  std::string source = "nothing is fitted";
  friend bool operator==(const calibration&, const calibration&) = default;
};

/// One GPU as data. Figures that a published machine states (roofline/machines.hpp) come from there.
/// Example: const rp::gpu::chip& v100 = rp::gpu::find_chip("v100");
///          v100.peak_flop_per_s(rp::gpu::number_format::f16)                                        // 125e12
struct chip {
  std::string name, description;
  std::string machine;                                                 // of roofline/machines.hpp
  index_t multiprocessors = 0;                                         // a tile of a product is computed by one
  double f32_flop_per_s = 0, tf32_flop_per_s = 0, f16_flop_per_s = 0;  // 0: it has no units for that
  double memory_bytes_per_s = 0;
  std::uint64_t memory_bytes = 0;
  calibration fit = {};

  /// 0 where the chip has no units for the format.
  [[nodiscard]] constexpr double peak_flop_per_s(number_format f) const noexcept {
    return f == number_format::f32 ? f32_flop_per_s : f == number_format::tf32 ? tf32_flop_per_s : f16_flop_per_s;
  }
  /// Bytes per second that anything reaches.
  [[nodiscard]] constexpr double stream_bytes_per_s() const noexcept { return memory_bytes_per_s * fit.stream_share; }
  friend bool operator==(const chip&, const chip&) = default;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::gpu

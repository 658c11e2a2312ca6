// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/gpu/chips.hpp>
#include <ridgepoint/gpu/software.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

/// The chip with the ceilings of a machine that was measured: its highest of f32, tf32 and f16 or bf16, and the rate of
/// its largest memory. What was fitted is dropped: measured ceilings are what a library and a kernel reach.
/// A format that the machine says nothing of keeps the chip's figure. Throws: value_error if there is no memory.
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
/// Software whose kernels take what a launch took on the machine, if that was measured.
[[nodiscard]] inline software with_ceilings(software s, const machine& m) {
  if (m.launch_s > 0) s.kernel_s = m.launch_s;
  return s;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::gpu

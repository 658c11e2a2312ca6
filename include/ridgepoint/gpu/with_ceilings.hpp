// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/gpu/chips.hpp>
#include <ridgepoint/gpu/software.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

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

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/study/network_chart.hpp>

#include "roofline/synthetic.hpp"

namespace network_chart_sample {

namespace rp = ridgepoint;

/// Chart of three machines: a measured one, a modelled one bound by launches, and one without enough memory.
inline rp::study::network_chart chart() {
  using enum rp::study::origin;
  rp::study::network_chart c{.network = "net", .batch = 128, .steps = {}};
  rp::environment at;
  at.time = "2026-01-31T23:59:59Z";
  at.governor = "unknown";
  c.steps.push_back({.name = "here",
                     .origin = measured,
                     .how = "by ridgepoint.avx2, 1 thread on synthetic, " + at.time,
                     .note = {},
                     .profile = synthetic::profile(),
                     .machine = synthetic::machine(),
                     .at = at});
  c.steps.back().profile.dtype = "f32";
  rp::study::chart_step fast{.name = "fast", .origin = modelled, .how = "data sheet"};
  fast.profile = c.steps.back().profile;
  fast.profile.step_s = 4e-3;
  for (rp::profile_row& row : fast.profile.rows) row.launches = 1, row.elapsed_s /= 4;
  fast.machine = {.name = "GPU (model)",
                  .description = "",
                  .ceilings = {synthetic::compute("f32", "", 0, 1e12), synthetic::memory("HBM", 0, 0, 1e11)},
                  .launch_s = 1e-3};
  c.steps.push_back(std::move(fast));
  c.steps.push_back({.name = "small", .origin = none, .how = "out of memory: needs 2 GiB, has 1 GiB"});
  return c;
}

}  // namespace network_chart_sample

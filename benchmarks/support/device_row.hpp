// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <ridgepoint/benchmark/on_roofline.hpp>

#include "measurement/gpu_meter.hpp"
#include "measurement/peers/device_task.hpp"
#include "measurement/peers/device_times.hpp"

namespace bench {

namespace rp = ridgepoint;

enum class caches { warm, cold };

/// GPU with known ceilings.
struct known_gpu {
  rp::cuda on;
  const rp::machine& ceilings;
  const measurement::gpu_meter& meter;
};

/// Problem of one op, the type whose peak bounds it, and the state of the caches.
struct device_row {
  peer::words problem;
  std::string dtype;
  caches are = caches::warm;
};

namespace detail {
/// Returns the number of calls that take about 1 ms together, so that the host can keep up with the iterations.
inline int calls_of(const rp::cuda& on, const peer::task& task) {
  const double once_s = on.elapsed_s([&] { task.run(); });
  return static_cast<int>(std::clamp(1e-3 / std::max(once_s, 1e-9), 1.0, 1000.0));
}
/// Returns the driver's readings after a second of calls, with some 20 ms of calls still queued; empty if unavailable.
inline measurement::gpu_state state_during(const known_gpu& gpu, const peer::task& task, int calls) {
  if (!gpu.meter.is_there()) return {};
  using clock = std::chrono::steady_clock;
  const auto until = clock::now() + std::chrono::seconds(1);
  const auto call = [&](int count) {
    for (int i = 0; i < count; ++i) task.run();
  };
  while (clock::now() < until) {
    call(calls);
    gpu.on.synchronize();
  }
  call(20 * calls);
  const measurement::gpu_state now = gpu.meter.now();
  gpu.on.synchronize();
  return now;
}
}  // namespace detail

/// Times an op by the device's own events. Reports its position on the roofline, time and work per call, and clocks
/// and power if the driver provides them. Register with UseManualTime().
/// Throws: as peer::on_device(); what task::verify() throws.
inline void time_on_device(benchmark::State& state, const known_gpu& gpu, const device_row& row) {
  const auto [task, receipt] = peer::on_device(gpu.on, row.problem);
  task.run();
  task.verify();
  const int calls = detail::calls_of(gpu.on, task);
  const peer::cold_cache cache(gpu.on);
  const bool cold = row.are == caches::cold;
  double elapsed_s = 0;
  for ([[maybe_unused]] auto _ : state) {
    const double s = cold ? peer::cold_s(gpu.on, cache, calls, task.run) : peer::warm_s(gpu.on, calls, task.run);
    state.SetIterationTime(s);
    elapsed_s += s;
  }
  const double each_s = elapsed_s / static_cast<double>(state.iterations()) / calls;
  state.counters["calls"] = calls;
  state.counters["call_s"] = each_s;
  state.counters["flop"] = static_cast<double>(receipt.flop);
  state.counters["bytes"] = static_cast<double>(receipt.bytes.total());
  const measurement::gpu_state now = detail::state_during(gpu, task, calls);
  for (const auto& [name, value] :
       {std::pair{"sm_hz", now.sm_hz}, {"memory_hz", now.memory_hz}, {"power_w", now.power_w}})
    if (value) state.counters[name] = *value;
  rp::roofline_counters(state, gpu.ceilings, receipt, each_s, cold ? cache.memory().size_bytes() : 0,
                        {.dtype = row.dtype});
}

}  // namespace bench

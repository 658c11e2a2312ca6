// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include <ridgepoint/study/calibrate.hpp>
#include <ridgepoint/study/gpu_fc.hpp>

/// \file
/// Fits what no data sheet says of V100 and of TensorFlow to ParaDnn's step times, on rows that calibrates() admits.
/// Deterministic: golden sections only, from one start.
namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// A constant that is fitted: its name, and where it is.
struct gpu_constant {
  const char* name;
  double& (*at)(gpu::platform&);
  [[nodiscard]] double of(gpu::platform p) const { return at(p); }
};
/// All of them.
[[nodiscard]] inline const std::vector<gpu_constant>& gpu_constants() {
  static const std::vector<gpu_constant> all{
      {"product_share", [](gpu::platform& p) -> double& { return p.on.fit.product_share; }},
      {"stream_share", [](gpu::platform& p) -> double& { return p.on.fit.stream_share; }},
      {"host_s_per_op", [](gpu::platform& p) -> double& { return p.with.host_s_per_op; }},
      {"feed_latency_s", [](gpu::platform& p) -> double& { return p.with.feed_latency_s; }},
      {"feed_s_per_value", [](gpu::platform& p) -> double& { return p.with.feed_s_per_value; }},
      {"host_overlap_exponent", [](gpu::platform& p) -> double& { return p.with.host_overlap_exponent; }}};
  return all;
}

/// Where the fits of a GPU set out from: nothing lost, round numbers.
[[nodiscard]] inline gpu::platform gpu_fit_start() {
  gpu::platform start = paradnn_gpu();
  start.on.fit.product_share = start.on.fit.stream_share = 0.8;
  start.with.host_s_per_op = 10e-6;
  start.with.feed_latency_s = 0.3e-3, start.with.feed_s_per_value = 15e-9;
  start.with.host_overlap_exponent = 4;
  return start;
}

/// The platform with its six constants moved in turn to where the mean square of log(predicted / measured) is least:
///   product_share, stream_share                            of the chip, where the device limits
///   host_s_per_op                                          where dispatching limits
///   feed_latency_s, feed_s_per_value, host_overlap_exponent   where the feed limits
/// Throws: data_error if no row calibrates.
[[nodiscard]] inline gpu::platform fit_gpu(gpu::platform p, const std::vector<measured_step>& steps) {
  struct row {
    const measured_step* measured;
    double device_s = 0, dispatches = 0;
  };
  std::vector<row> rows;
  for (const measured_step& m : steps)
    if (calibrates(m.shape)) rows.push_back({&m});
  require<data_error>(!rows.empty(), "calibrate: no step time with 4 or 32 layers and input 2000; must have some");

  const auto run_device = [&] {
    for (row& r : rows) {
      const gpu::modelled_step step = fc_step(p, r.measured->shape);
      r.device_s = step.device_s, r.dispatches = 0;
      for (const gpu::modelled_op& op : step.ops)
        r.dispatches += static_cast<double>(op.dispatches) * static_cast<double>(op.repeat);
    }
  };
  const auto cost = [&] {
    double total = 0;
    for (const row& r : rows) {
      const fc_shape& s = r.measured->shape;
      const double step_s =
          step_seconds(p.with, r.device_s, r.dispatches, {.batch = s.batch, .sample_values = s.input});
      total += std::pow(std::log(step_s / r.measured->step_s), 2);
    }
    return total;
  };
  const auto fit = [&](double& constant, double low, double high, const auto& before_cost) {
    constant = lowest(
        [&](double value) {
          constant = value;
          before_cost();
          return cost();
        },
        low, high);
    before_cost();
  };
  const auto nothing = [] {};
  run_device();
  for (int round = 0; round < 24; ++round) {
    fit(p.on.fit.stream_share, 0.4, 1, run_device);
    fit(p.on.fit.product_share, 0.4, 1, run_device);
    for (int turn = 0; turn < 4; ++turn) {
      fit(p.with.host_s_per_op, 0, 50e-6, nothing);
      fit(p.with.feed_latency_s, 0, 2e-3, nothing);
      fit(p.with.feed_s_per_value, 5e-9, 50e-9, nothing);
      fit(p.with.host_overlap_exponent, 1.5, 16, nothing);
    }
  }
  for (const gpu_constant& c : gpu_constants()) c.at(p) = detail::four_digits(c.of(p));
  return p;
}

/// The same from a directory with paradnn_gpu_fc.csv.
[[nodiscard]] inline gpu::platform fit_gpu(const std::string& directory) {
  return fit_gpu(gpu_fit_start(), load_fc_steps((std::filesystem::path(directory) / "paradnn_gpu_fc.csv").string()));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

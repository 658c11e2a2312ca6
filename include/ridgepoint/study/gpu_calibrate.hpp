// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include <ridgepoint/gpu/plan.hpp>
#include <ridgepoint/gpu/platform.hpp>
#include <ridgepoint/gpu/step.hpp>
#include <ridgepoint/study/calibrate.hpp>
#include <ridgepoint/study/paradnn_fc.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// ParaDnn's GPU: 16-bit products on a V100, dispatched by TensorFlow 1.
[[nodiscard]] inline gpu::platform paradnn_gpu() {
  return {gpu::find_chip("v100"), gpu::find_software("tensorflow"), gpu::number_format::f16};
}

/// Models a training step of an FC network on a GPU as ParaDnn ran it; the equal layers in the middle are one op each
/// with a repeat count, as in fc_step() of a TPU.
/// Throws: shape_error if an extent is < 1; value_error as check(platform).
/// Example: fc_step(rp::study::paradnn_gpu(), {4, 8192, 2000, 1000, 512}).step_s
[[nodiscard]] inline gpu::modelled_step fc_step(const gpu::platform& p, const fc_shape& s) {
  check(s);
  std::vector<gpu::modelled_op> ops;
  const auto append = [&](const char* name, pass which, std::uint64_t repeat, const auto& args) {
    ops.push_back(modelled(p, args));
    ops.back().name = name, ops.back().pass = which, ops.back().repeat = repeat;
  };
  float any = 0;  // placeholder address; nothing is read or written
  struct layer {
    const char* name;
    index_t in, out;
    std::uint64_t repeat;
  };
  std::vector<layer> layers{{"first", s.input, s.node, 1}};
  if (s.layers > 1) layers.push_back({"middle", s.node, s.node, static_cast<std::uint64_t>(s.layers - 1)});
  layers.push_back({"last", s.node, s.output, 1});
  for (const layer& l : layers)
    append(l.name, pass::forward, l.repeat,
           dense_args<float>{.x = {nullptr, s.batch, l.in},
                             .w = {nullptr, l.in, l.out},
                             .bias = &any,
                             .y = {nullptr, s.batch, l.out},
                             .act = &l == &layers.back() ? activation::none : activation::relu});
  append("loss", pass::forward, 1,
         softmax_cross_entropy_args<float>{.logits = {nullptr, s.batch, s.output},
                                           .labels = nullptr,
                                           .dlogits = {&any, s.batch, s.output},
                                           .state = nullptr});
  for (auto l = layers.rbegin(); l != layers.rend(); ++l) {
    const matrix_view<const float> dy{nullptr, s.batch, l->out};
    append(l->name, pass::backward_weights, l->repeat,
           dense_backward_weights_args<float>{
               .x = {nullptr, s.batch, l->in}, .dy = dy, .dw = {nullptr, l->in, l->out}, .db = &any});
    if (l + 1 != layers.rend()) {  // the first layer's data gradient is unused
      append(l->name, pass::backward_data, l->repeat,
             dense_backward_data_args<float>{.dy = dy, .w = {nullptr, l->in, l->out}, .dx = {nullptr, s.batch, l->in}});
      append("relu", pass::backward_data, l->repeat,
             activate_backward_args<float>{.f = activation::relu, .size = s.batch * l->in});
    }
    append("rmsprop", pass::update, l->repeat,
           rmsprop_tf1_update_args<float>{.size = l->in * l->out + l->out, .w = &any, .g = &any});
  }
  return compose(p, std::move(ops), {.batch = s.batch, .sample_values = s.input});
}

/// Memory of that step in bytes: value, gradient and two moments per parameter in fp32; activations of all layers, and
/// the gradients of two, in the format of the products.
[[nodiscard]] constexpr double fc_bytes(const gpu::platform& p, const fc_shape& s) noexcept {
  const auto values = static_cast<double>(s.input + (s.layers + 2) * s.node + 2 * s.output);
  return 16 * static_cast<double>(s.parameters()) + 4 * p.width() * values * static_cast<double>(s.batch);
}

// Fits constants of V100 and of TensorFlow that data sheets omit to ParaDnn's step times, on rows that calibrates()
// admits. Deterministic: golden sections only, from one start.

/// A fitted constant: its name, and its place.
struct gpu_constant {
  const char* name;
  double& (*at)(gpu::platform&);
  [[nodiscard]] double of(gpu::platform p) const { return at(p); }
};
/// All fitted constants.
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

/// Start of the fits of a GPU: no losses, round numbers.
[[nodiscard]] inline gpu::platform gpu_fit_start() {
  gpu::platform start = paradnn_gpu();
  start.on.fit.product_share = start.on.fit.stream_share = 0.8;
  start.with.host_s_per_op = 10e-6;
  start.with.feed_latency_s = 0.3e-3, start.with.feed_s_per_value = 15e-9;
  start.with.host_overlap_exponent = 4;
  return start;
}

/// Fits the platform's six constants: moves each in turn to the minimum of the mean square of log(predicted /
/// measured):
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

/// Fits from a directory with paradnn_gpu_fc.csv.
[[nodiscard]] inline gpu::platform fit_gpu(const std::string& directory) {
  return fit_gpu(gpu_fit_start(), load_fc_steps((std::filesystem::path(directory) / "paradnn_gpu_fc.csv").string()));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

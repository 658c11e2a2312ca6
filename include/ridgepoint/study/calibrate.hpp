// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include <ridgepoint/study/paradnn_fc.hpp>

/// \file
/// Fits the constants of tpu::calibration to ParaDnn's measurements: one constant at a time, on the rows that it
/// limits, all of them rows that calibrates() admits. Deterministic: medians and golden sections only, from one start.
/// docs/tpu.md reports the effect of another start; a test bounds it.
namespace ridgepoint::inline RIDGEPOINT_ABI::study {

namespace detail {

/// The products of a network's step, as lowered by fc_step().
[[nodiscard]] inline std::vector<tpu::modelled_op> fc_products(const tpu::chip& on, const fc_shape& s) {
  tpu::modelled_step step = fc_step(on, s, on.cores());
  std::erase_if(step.ops, [](const tpu::modelled_op& op) { return op.receipt.matrix_flop == 0; });
  return step.ops;
}

/// A trace with the resource times of its products, which are independent of the constants.
struct traced_products {
  const fc_trace* trace;
  std::vector<tpu::modelled_op> ops;
};
[[nodiscard]] inline double products_s(const traced_products& p, const tpu::calibration& c) {
  double total = 0;
  for (const tpu::modelled_op& op : p.ops) {
    const double each =
        c.op_latency_s + overlap(op.array_s() / c.mxu_efficiency, op.hbm_s / c.product_stream, c.overlap_exponent);
    total += each * static_cast<double>(op.repeat);
  }
  return total;
}

/// Median of value(x) over the elements that count. Throws: data_error if none counts.
template <class Range, class Counts, class Value>
[[nodiscard]] double median_where(const char* what, const Range& all, const Counts& counts, const Value& value) {
  std::vector<double> values;
  for (const auto& one : all)
    if (counts(one)) values.push_back(value(one));
  require<data_error>(!values.empty(), "calibrate: no row determines ", what, "; must have at least one");
  return median(std::move(values));
}

/// Rounds a number to the format of chips.hpp: four significant digits.
[[nodiscard]] inline double four_digits(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 3).ptr;
  double rounded = value;
  std::from_chars(text, end, rounded);
  return rounded;
}

}  // namespace detail

/// Start of the fits of the alternately fitted constants: no losses, round numbers for the rest.
[[nodiscard]] inline tpu::calibration fit_start() {
  return {.mxu_efficiency = 1,
          .product_stream = 1,
          .all_reduce_latency_s = 0,
          .infeed_latency_s = 2e-3,
          .infeed_bytes_per_s = 2 / 0.7e-9,
          .label_bytes_per_s = 4 / 1e-9,
          .infeed_overlap_exponent = 4,
          .loop_s_per_parameter = 100e-12,
          .source = {}};
}

/// Constants of single ops, from profiler traces:
///   update_stream, elementwise_stream   median of bytes per second over HBM's, node ≥ 1024
///   op_latency_s                        time of a 128-node layer's update beyond its bytes
///   product_stream                      node ≥ 2048, batch ≤ 1024: memory binds
///   mxu_efficiency                      node ≥ 4096, batch ≥ 8192: the array binds
///   overlap_exponent                    512 ≤ node ≤ 2048: both matter; the value that keeps the two above unchanged
///   all_reduce_bytes_per_s              node ≥ 2048; all_reduce_latency_s: 32 layers, node ≤ 512, batch ≤ 1024
/// Throws: data_error if rows for one of them are missing.
[[nodiscard]] inline tpu::calibration fit_ops(tpu::chip on, const std::vector<fc_trace>& traces,
                                              const tpu::calibration& start = fit_start()) {
  using detail::median_where;
  std::vector<detail::traced_products> rows;
  for (const fc_trace& t : traces)
    if (calibrates(t.shape)) rows.push_back({&t, detail::fc_products(on, t.shape)});
  tpu::calibration& c = on.fit;
  const auto shape = [](const detail::traced_products& p) -> const fc_shape& { return p.trace->shape; };
  const auto bytes = [&](const detail::traced_products& p, double each) {
    return each * static_cast<double>(shape(p).parameters());
  };
  const auto tensors = [&](const detail::traced_products& p) { return static_cast<double>(shape(p).layers + 1); };
  const auto wide = [&](const detail::traced_products& p) { return shape(p).node >= 1024; };

  c.update_stream = median_where("update_stream", rows, wide, [&](const auto& p) {
    return bytes(p, 28) / p.trace->update.elapsed_s / on.hbm_bytes_per_s;
  });
  c.elementwise_stream = median_where("elementwise_stream", rows, wide, [&](const auto& p) {
    return bytes(p, 12) / p.trace->extra_pass.elapsed_s / on.hbm_bytes_per_s;
  });
  c.op_latency_s = median_where(
      "op_latency_s", rows, [&](const auto& p) { return shape(p).node <= 128; },
      [&](const auto& p) {
        return (p.trace->update.elapsed_s - bytes(p, 28) / (c.update_stream * on.hbm_bytes_per_s)) / tensors(p);
      });

  const auto fit = [&](double& constant, double low, double high, const auto& counts) {
    constant = lowest(
        [&](double value) {
          constant = value;
          double cost = 0;
          for (const detail::traced_products& p : rows)
            if (counts(shape(p))) cost += std::abs(std::log(detail::products_s(p, c) / p.trace->products.elapsed_s));
          return cost;
        },
        low, high);
  };
  c.mxu_efficiency = start.mxu_efficiency, c.product_stream = start.product_stream;
  const auto exponent_wanted_at = [&](double exponent) {
    for (int round = 0; round < 4; ++round) {
      c.overlap_exponent = exponent;
      fit(c.product_stream, 0.5, 1, [](const fc_shape& s) { return s.node >= 2048 && s.batch <= 1024; });
      fit(c.mxu_efficiency, 0.5, 1, [](const fc_shape& s) { return s.node >= 4096 && s.batch >= 8192; });
    }
    fit(c.overlap_exponent, 1.5, 12, [](const fc_shape& s) { return s.node >= 512 && s.node <= 2048; });
    return c.overlap_exponent;
  };
  double low = 1.5, high = 12;  // alternating would converge too, but needs hundreds of rounds
  for (int step = 0; step < 24; ++step) {
    const double middle = (low + high) / 2;
    (exponent_wanted_at(middle) > middle ? low : high) = middle;
  }
  c.overlap_exponent = (low + high) / 2;
  c.all_reduce_latency_s = start.all_reduce_latency_s;
  for (int round = 0; round < 4; ++round) {
    c.all_reduce_bytes_per_s = median_where(
        "all_reduce_bytes_per_s", rows, [&](const auto& p) { return shape(p).node >= 2048; },
        [&](const auto& p) {
          return bytes(p, 8) / (p.trace->all_reduce.elapsed_s - tensors(p) * c.all_reduce_latency_s);
        });
    c.all_reduce_latency_s = median_where(
        "all_reduce_latency_s", rows,
        [&](const auto& p) { return shape(p).layers == 32 && shape(p).node <= 512 && shape(p).batch <= 1024; },
        [&](const auto& p) {
          return (p.trace->all_reduce.elapsed_s - bytes(p, 8) / c.all_reduce_bytes_per_s) / tensors(p);
        });
  }
  for (double* constant : {&c.update_stream, &c.elementwise_stream, &c.op_latency_s, &c.product_stream,
                           &c.mxu_efficiency, &c.overlap_exponent, &c.all_reduce_bytes_per_s, &c.all_reduce_latency_s})
    *constant = detail::four_digits(*constant);
  return c;
}

/// Fits the constants of the step around the ops to step times: the host's latency and rates, the overlap of device and
/// host, and the time between loops. Moves each in turn to the minimum of the mean |log(predicted / measured)|.
/// Throws: data_error if no row calibrates.
[[nodiscard]] inline tpu::calibration fit_steps(const tpu::chip& on, const std::vector<measured_step>& steps,
                                                const tpu::calibration& start = fit_start()) {
  struct row {
    const measured_step* measured;
    double device_s;
  };
  std::vector<row> rows;
  for (const measured_step& m : steps)
    if (calibrates(m.shape)) rows.push_back({&m, fc_step(on, m.shape, on.cores()).device_s});
  require<data_error>(!rows.empty(), "calibrate: no step time with 4 or 32 layers and input 2000; must have some");

  double latency = start.infeed_latency_s, per_sample_value = 2 / start.infeed_bytes_per_s,  // bf16 samples
      per_label_value = 4 / start.label_bytes_per_s,                                         // fp32, one per class
      exponent = start.infeed_overlap_exponent, per_parameter = start.loop_s_per_parameter;
  const auto cost = [&] {
    double total = 0;
    for (const row& r : rows) {
      const fc_shape& s = r.measured->shape;
      const double per_sample =
          per_sample_value * static_cast<double>(s.input) + per_label_value * static_cast<double>(s.output);
      const double host = latency + static_cast<double>(s.batch) * per_sample;
      const double step = overlap(r.device_s, host, exponent) + per_parameter * static_cast<double>(s.parameters());
      total += std::abs(std::log(step / r.measured->step_s));
    }
    return total;
  };
  const auto fit = [&](double& constant, double low, double high) {
    constant = lowest([&](double value) { return constant = value, cost(); }, low, high);
  };
  for (int round = 0; round < 32; ++round) {
    fit(latency, 0, 6e-3);
    fit(per_sample_value, 0.3e-9, 1.2e-9);
    fit(per_label_value, 0.1e-9, 3e-9);
    fit(per_parameter, 0, 300e-12);
    fit(exponent, 1.5, 16);
  }
  tpu::calibration c = on.fit;
  c.infeed_latency_s = detail::four_digits(latency);
  c.infeed_bytes_per_s = detail::four_digits(2 / per_sample_value);
  c.label_bytes_per_s = detail::four_digits(4 / per_label_value);
  c.infeed_overlap_exponent = detail::four_digits(exponent);
  c.loop_s_per_parameter = detail::four_digits(per_parameter);
  return c;
}

/// Fits all constants from a directory with paradnn_fc_trace_10sec_opbreakdown.csv and paradnn_tpu_fc.csv. `on` gives
/// the hardware.
[[nodiscard]] inline tpu::calibration fit_all(tpu::chip on, const std::string& directory,
                                              const tpu::calibration& start = fit_start()) {
  const std::filesystem::path data(directory);
  on.fit = fit_ops(on, load_fc_traces((data / "paradnn_fc_trace_10sec_opbreakdown.csv").string()), start);
  return fit_steps(on, load_fc_steps((data / "paradnn_tpu_fc.csv").string()), start);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

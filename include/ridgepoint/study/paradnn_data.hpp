// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <tuple>

#include <ridgepoint/core/csv.hpp>
#include <ridgepoint/study/paradnn_fc.hpp>
#include <ridgepoint/study/statistics.hpp>

/// \file
/// ParaDnn's published measurements of fully connected networks, as read from its files.
namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// The only rows constants may be fitted on; all others are held out.
[[nodiscard]] constexpr bool calibrates(const fc_shape& s) noexcept {
  return (s.layers == 4 || s.layers == 32) && s.input == 2000;
}

/// A measured training step.
struct measured_step {
  fc_shape shape;
  double step_s = 0;
};

/// Rows of paradnn_tpu_fc.csv or paradnn_gpu_fc.csv. Throws: data_error.
[[nodiscard]] inline std::vector<measured_step> load_fc_steps(const std::string& path) {
  const csv_table t = load_csv(path);
  const std::size_t label = t.column("label"), rate = t.column("step_per_s");
  std::vector<measured_step> steps;
  for (std::size_t row = 0; row < t.size(); ++row) {
    const double per_s = t.number(row, rate);
    require<data_error>(per_s > 0, t.where(row, rate), " is ", per_s, " of ", t.text(row, label), "; must be > 0");
    steps.push_back({parse_fc_label(t.text(row, label)), 1 / per_s});
  }
  return steps;
}
/// Labels of paradnn_tpu_fc_errors.csv: networks that did not fit the memory. Throws: data_error.
[[nodiscard]] inline std::vector<fc_shape> load_fc_out_of_memory(const std::string& path) {
  const csv_table t = load_csv(path);
  const std::size_t label = t.column("label"), state = t.column("state");
  std::vector<fc_shape> shapes;
  for (std::size_t row = 0; row < t.size(); ++row)
    if (t.text(row, state) == "OOM") shapes.push_back(parse_fc_label(t.text(row, label)));
  return shapes;
}

/// One category of ops in a profiler trace: bytes and time of one step on one core.
struct traced_op {
  double bytes = 0, elapsed_s = 0, flop_per_byte = 0, bandwidth_share = 0;  // share of the profiler's peak
};

/// A trace of one network: XLA's op categories.
struct fc_trace {
  fc_shape shape;
  traced_op products = {}, update = {}, extra_pass = {},
            all_reduce = {};  // output fusion, loop fusion, non-fusion elementwise, CRS
};

/// The matrix FLOP of one core in one step: 2·b·(3·W − W₁), since nothing needs dX of the first layer.
[[nodiscard]] constexpr double fc_core_flop(const fc_shape& s, index_t cores) noexcept {
  const auto b = static_cast<double>(s.batch) / static_cast<double>(cores);
  return 2 * b * (3 * static_cast<double>(s.weights()) - static_cast<double>(s.input * s.node));
}

/// Rows of paradnn_fc_trace_10sec_opbreakdown.csv, one trace per network, scaled to one step.
///
/// The file has totals of a window of unknown length. The number of steps in it is the FLOP of its products over
/// fc_core_flop(); a category's time is its bytes over its share of `profiler_bytes_per_s`, the peak that the
/// profiler's bandwidth percentages refer to: flop share · 180 TFLOP/s / intensity, over the bandwidth share, says
/// 2415.8 GB/s on every row of paradnn_fc_trace_10sec.csv.
/// Throws: data_error if a trace lacks a category.
[[nodiscard]] inline std::vector<fc_trace> load_fc_traces(const std::string& path,
                                                          double profiler_bytes_per_s = 2415.8e9, index_t cores = 8) {
  const csv_table t = load_csv(path);
  const std::size_t label = t.column("labels"), raw = t.column("rawMB"), share = t.column("memory_bandwidth"),
                    intensity = t.column("intensity");
  std::map<std::string, std::map<std::string, std::size_t>> rows;  // network → category → row
  for (std::size_t row = 0; row < t.size(); ++row) {
    const std::string& text = t.text(row, label);
    const std::size_t batch = text.find("-bs_"), end = text.find('-', (std::min)(batch, text.size() - 1) + 1);
    require<data_error>(end != std::string::npos, t.source(), ": label \"", text, "\" names no op; must end in -op");
    rows[text.substr(0, end)][text.substr(end + 1)] = row;
  }
  std::vector<fc_trace> traces;
  for (const auto& one : rows) {
    const auto row_of = [&](const char* category) {
      const auto found = one.second.find(category);
      require<data_error>(found != one.second.end(), t.source(), ": ", one.first, " has no ", category);
      return found->second;
    };
    fc_trace trace{.shape = parse_fc_label(one.first)};
    const std::size_t products = row_of("output fusion");
    const double window_flop = t.number(products, raw) * 1e6 * t.number(products, intensity);
    const double steps = window_flop / fc_core_flop(trace.shape, cores);
    const auto read = [&](std::size_t row) {
      traced_op op{.bytes = t.number(row, raw) * 1e6 / steps,
                   .flop_per_byte = t.number(row, intensity),
                   .bandwidth_share = t.number(row, share) / 100};
      op.elapsed_s = op.bytes / (op.bandwidth_share * profiler_bytes_per_s / static_cast<double>(cores));
      require<data_error>(std::isfinite(op.elapsed_s) && op.elapsed_s > 0, t.source(), ": ", one.first, " has ",
                          t.number(row, raw), " MB at ", t.number(row, share), " %; must be > 0");
      return op;
    };
    trace.products = read(products);
    trace.update = read(row_of("loop fusion"));
    trace.extra_pass = read(row_of("non-fusion elementwise"));
    trace.all_reduce = read(row_of("cross-replica-sum"));
    traces.push_back(trace);
  }
  return traces;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

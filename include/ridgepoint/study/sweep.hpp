// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include <ridgepoint/mxu/memory.hpp>
#include <ridgepoint/mxu/step.hpp>
#include <ridgepoint/study/charts.hpp>
#include <ridgepoint/study/gpu_calibrate.hpp>
#include <ridgepoint/study/paradnn_fc.hpp>
#include <ridgepoint/study/regression.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// A modelled step, and a flag: it fits in memory.
struct placed_step {
  tpu::modelled_step step;
  bool fits = true;
};

/// A modelled step on a GPU, and a flag: it fits in memory.
struct placed_gpu_step {
  gpu::modelled_step step;
  bool fits = true;
};

/// A network of a sweep: its parameters in order, its width in charts, and its models.
struct sweep_network {
  std::vector<std::pair<std::string, index_t>> parameters;
  index_t width = 0;
  bool drawn = false;  // in the slice shown by heat maps
  std::function<placed_step(const tpu::chip& on, index_t batch, index_t cores)> model = {};
  std::function<placed_gpu_step(const gpu::platform& on, index_t batch)> model_gpu = {};
};

/// The machines a sweep compares: a board, one core of it, a newer board with twice the batch, and a GPU.
struct sweep_chips {
  tpu::chip board, newer;
  gpu::platform gpu = paradnn_gpu();
};

/// Ops that a newer chip speeds up equally.
enum class op_class { array_bound, memory_bound, elementwise, all_reduce };
inline constexpr std::size_t op_classes = 4;
[[nodiscard]] constexpr std::string_view to_string(op_class c) noexcept {
  constexpr std::string_view names[] = {"products bound by the array", "products bound by memory",
                                        "elementwise and updates", "all-reduce"};
  return names[static_cast<int>(c)];
}
[[nodiscard]] inline op_class class_of(const tpu::modelled_op& op) noexcept {
  if (op.bound == tpu::bound::ici) return op_class::all_reduce;
  if (op.receipt.matrix_flop == 0) return op_class::elementwise;
  return op.bound == tpu::bound::hbm ? op_class::memory_bound : op_class::array_bound;
}

/// One network at one batch.
struct sweep_row {
  const sweep_network* network = nullptr;
  index_t batch = 0;
  bool fits = true;                                                        // the board
  double step_s = 0, device_s = 0;                                         // the board
  double utilisation = 0;                                                  // of the board's quoted peak
  double one_core_utilisation = std::numeric_limits<double>::quiet_NaN();  // NaN: does not fit
  double non_parallel_share = std::numeric_limits<double>::quiet_NaN();    // of one core's device_s; NaN as above
  double infeed_share = 0;
  double speed_up = std::numeric_limits<double>::quiet_NaN();    // newer over board, samples/s with twice the batch
  std::array<double, op_classes> class_speed_up = {};            // per sample; 0: no such op on the board
  double gpu_step_s = std::numeric_limits<double>::quiet_NaN();  // NaN: does not fit
  double gpu_utilisation = std::numeric_limits<double>::quiet_NaN();  // of the peak of its format
  double over_gpu = std::numeric_limits<double>::quiet_NaN();         // board over GPU, samples/s
};

/// Amdahl's law solved for the share of the work that is not parallel: speed_up = 1 / (share + (1 − share) / workers).
/// Negative if the speed-up exceeds the number of workers. Throws: value_error unless workers >= 2 and speed_up > 0.
/// Example: amdahl_share(4.0, 8) == 1.0 / 7
[[nodiscard]] inline double amdahl_share(double speed_up, index_t workers) {
  require<value_error>(workers >= 2 && speed_up > 0, "amdahl_share: speed-up of ", speed_up, " by ", workers,
                       " workers; must be > 0 by at least 2");
  const auto n = static_cast<double>(workers);
  return (n / speed_up - 1) / (n - 1);
}

/// Models one network at one batch on the chips of a sweep. Throws: as its model.
[[nodiscard]] inline sweep_row sweep_one(const sweep_chips& chips, const sweep_network& network, index_t batch) {
  const tpu::chip& on = chips.board;
  const placed_step board = network.model(on, batch, on.cores());
  sweep_row row{.network = &network,
                .batch = batch,
                .fits = board.fits,
                .step_s = board.step.step_s,
                .device_s = board.step.device_s,
                .utilisation = board.step.quoted_utilisation(),
                .infeed_share = (std::max)(0.0, board.step.infeed_share())};
  const placed_step one = network.model(on, batch, 1);
  if (one.fits) {
    row.one_core_utilisation = one.step.quoted_utilisation();
    if (on.cores() > 1) row.non_parallel_share = amdahl_share(one.step.device_s / row.device_s, on.cores());
  }
  const placed_gpu_step gpu = network.model_gpu(chips.gpu, batch);
  if (gpu.fits) row.gpu_step_s = gpu.step.step_s, row.gpu_utilisation = gpu.step.utilisation();
  if (board.fits) row.over_gpu = row.gpu_step_s / row.step_s;
  const placed_step newer = network.model(chips.newer, 2 * batch, chips.newer.cores());
  if (!board.fits || !newer.fits) return row;
  row.speed_up = 2 * board.step.step_s / newer.step.step_s;
  std::array<double, op_classes> before{}, after{};
  const bool aligned = board.step.ops.size() == newer.step.ops.size();
  for (std::size_t i = 0; aligned && i < board.step.ops.size(); ++i) {  // classed by what binds on the board
    const auto c = static_cast<std::size_t>(class_of(board.step.ops[i]));
    before[c] += board.step.ops[i].total_s(), after[c] += newer.step.ops[i].total_s();
  }
  for (std::size_t c = 0; c < op_classes; ++c) row.class_speed_up[c] = after[c] > 0 ? 2 * before[c] / after[c] : 0;
  return row;
}

/// Draws the selected slice of a sweep as a heat map over batch and width; a value of NaN is out of memory.
template <class Value>
[[nodiscard]] heat_map map_of(const std::vector<sweep_row>& rows, std::string title, std::string width_name,
                              double full, const Value& value) {
  heat_map m{.title = std::move(title), .x_name = "batch", .y_name = std::move(width_name), .full = full};
  const auto insert = [](std::vector<index_t>& sorted, index_t one) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), one);
    if (at == sorted.end() || *at != one) sorted.insert(at, one);
  };
  for (const sweep_row& r : rows)
    if (r.network->drawn) insert(m.x, r.batch), insert(m.y, r.network->width);
  m.cells.assign(m.x.size() * m.y.size(), std::numeric_limits<double>::quiet_NaN());
  for (const sweep_row& r : rows) {
    if (!r.network->drawn) continue;
    const auto x = std::lower_bound(m.x.begin(), m.x.end(), r.batch) - m.x.begin();
    const auto y = std::lower_bound(m.y.begin(), m.y.end(), r.network->width) - m.y.begin();
    const double drawn = value(r);
    m.cells[static_cast<std::size_t>(y) * m.x.size() + static_cast<std::size_t>(x)] = std::isnan(drawn) ? -1 : drawn;
  }
  return m;
}

/// Utilisation of the board and of the GPU, and the infeed's share of the board's step, in %; NaN: out of memory.
[[nodiscard]] inline double used_percent(const sweep_row& r) { return r.fits ? 100 * r.utilisation : std::nan(""); }
[[nodiscard]] inline double gpu_used_percent(const sweep_row& r) { return 100 * r.gpu_utilisation; }
[[nodiscard]] inline double infeed_percent(const sweep_row& r) { return r.fits ? 100 * r.infeed_share : std::nan(""); }

/// Weights of the networks' parameters and of the batch in the utilisation, over every row that fits; empty if
/// regress() refuses, as for too few rows.
[[nodiscard]] inline std::optional<regression> utilisation_weights(const std::vector<sweep_row>& rows) {
  observations o;
  for (const sweep_row& r : rows) {
    if (!r.fits) continue;
    std::vector<double> features{static_cast<double>(r.batch)};
    for (const auto& parameter : r.network->parameters) features.push_back(static_cast<double>(parameter.second));
    o.add(std::move(features), r.utilisation);
    if (!o.features.empty()) continue;
    o.features.emplace_back("batch");
    for (const auto& parameter : r.network->parameters) o.features.push_back(parameter.first);
  }
  try {
    return regress(o);
  } catch (const value_error&) {
    return std::nullopt;
  }
}

/// Draws the weights of the features that vary.
[[nodiscard]] inline bar_chart chart_of(const regression& fit, std::string title) {
  bar_chart chart{.title = std::move(title), .value_name = "standardised weight", .bars = {}};
  for (const regression_weight& w : fit.weights)
    if (w.low < w.high) chart.bars.push_back({w.feature, w.low, w.weight, w.high});
  return chart;
}

/// Box of these values, as ParaDnn draws it: 2nd, 9th, 50th, 91st and 98th percentile. Throws: value_error without
/// values.
[[nodiscard]] inline box_chart::box box_of(std::string name, const std::vector<double>& values) {
  return {std::move(name),        quantile(values, 0.02), quantile(values, 0.09), median(values),
          quantile(values, 0.91), quantile(values, 0.98), values.size()};
}

/// Speed-ups by batch and over all; without boxes if there are none.
[[nodiscard]] inline box_chart speed_ups_by_batch(const std::map<index_t, std::vector<double>>& by_batch,
                                                  std::string title) {
  box_chart chart{.title = std::move(title), .value_name = "times as many samples per second", .boxes = {}};
  std::vector<double> all;
  for (const auto& [batch, values] : by_batch) {
    chart.boxes.push_back(box_of(concat("batch ", batch), values));
    all.insert(all.end(), values.begin(), values.end());
  }
  if (!all.empty()) chart.boxes.push_back(box_of("all", all));
  return chart;
}
/// Speed-up of the board over the GPU, by batch and over all; without boxes if no network fits both.
[[nodiscard]] inline box_chart speed_ups_over_gpu(const std::vector<sweep_row>& rows, std::string title) {
  std::map<index_t, std::vector<double>> by_batch;
  for (const sweep_row& r : rows)
    if (!std::isnan(r.over_gpu)) by_batch[r.batch].push_back(r.over_gpu);
  return speed_ups_by_batch(by_batch, std::move(title));
}

/// Speed-up of the newer board, by class of op and end to end.
[[nodiscard]] inline box_chart speed_ups(const std::vector<sweep_row>& rows, std::string title) {
  box_chart chart{
      .title = std::move(title), .value_name = "times as many samples per second, twice the batch", .boxes = {}};
  const auto add = [&](std::string_view name, const std::vector<double>& values) {
    if (!values.empty()) chart.boxes.push_back(box_of(std::string(name), values));
  };
  std::vector<double> whole;
  std::array<std::vector<double>, op_classes> classes;
  for (const sweep_row& r : rows) {
    if (std::isnan(r.speed_up)) continue;
    whole.push_back(r.speed_up);
    for (std::size_t c = 0; c < op_classes; ++c)
      if (r.class_speed_up[c] > 0) classes[c].push_back(r.class_speed_up[c]);
  }
  for (std::size_t c = 0; c < op_classes; ++c) add(to_string(static_cast<op_class>(c)), classes[c]);
  add("end to end", whole);
  return chart;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include <ridgepoint/core/csv.hpp>
#include <ridgepoint/core/quantile.hpp>
#include <ridgepoint/mxu/memory.hpp>
#include <ridgepoint/mxu/plan.hpp>
#include <ridgepoint/mxu/step.hpp>
#include <ridgepoint/mxu/vector_unit.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// A fully connected network of ParaDnn and the batch of all cores: input → layers × (node, ReLU) → output.
struct fc_shape {
  index_t layers = 0, node = 0, input = 0, output = 0, batch = 0;

  /// input·node + (layers − 1)·node² + node·output.
  [[nodiscard]] constexpr std::uint64_t weights() const noexcept {
    return static_cast<std::uint64_t>(input * node + (layers - 1) * node * node + node * output);
  }
  [[nodiscard]] constexpr std::uint64_t parameters() const noexcept {
    return weights() + static_cast<std::uint64_t>(layers * node + output);
  }
  friend constexpr bool operator==(const fc_shape&, const fc_shape&) = default;
};

/// Throws: shape_error if an extent is < 1.
inline void check(const fc_shape& s) {
  require<shape_error>(s.layers >= 1 && s.node >= 1 && s.input >= 1 && s.output >= 1, "fc: ", s.layers, " layers of ",
                       s.node, " from ", s.input, " to ", s.output, "; all must be >= 1");
}

/// Parses "layer_4-node_32-input_2000-output_200-bs_64" and ignores what follows. Throws: data_error for another start.
[[nodiscard]] inline fc_shape parse_fc_label(std::string_view label) {
  fc_shape s;
  std::string_view rest = label;
  const std::pair<std::string_view, index_t*> parts[] = {
      {"layer_", &s.layers}, {"-node_", &s.node}, {"-input_", &s.input}, {"-output_", &s.output}, {"-bs_", &s.batch}};
  for (const auto& [word, value] : parts) {
    bool read = rest.starts_with(word);
    if (read) {
      rest.remove_prefix(word.size());
      const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), *value);
      read = failure == std::errc{} && *value >= 1 && *value <= 1 << 20;
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    }
    require<data_error>(read, "label \"", label, "\": has no ", word,
                        "N; must be layer_N-node_N-input_N-output_N-bs_N");
  }
  return s;
}

namespace detail {

/// One dense layer on a core, with ReLU after all but the last, as in a graph's plan.
struct fc_layer {
  index_t in = 0, out = 0, batch = 0;
  std::uint64_t repeat = 1;
  bool first = false, last = false;
  std::string name;

  [[nodiscard]] tpu::modelled_op product(const tpu::chip& on, pass which) const {
    float placeholder = 0;  // placeholder address of the bias; nothing is read or written
    const matrix_view<const float> x{nullptr, batch, in}, w{nullptr, in, out}, y{nullptr, batch, out};
    if (which == pass::forward)
      return modelled(on, dense_args<float>{.x = x,
                                            .w = w,
                                            .bias = &placeholder,
                                            .y = {nullptr, batch, out},
                                            .act = last ? activation::none : activation::relu});
    if (which == pass::backward_weights)
      return modelled(
          on, dense_backward_weights_args<float>{.x = x, .dy = y, .dw = {nullptr, in, out}, .db = &placeholder});
    tpu::modelled_op op = modelled(on, dense_backward_data_args<float>{.dy = y, .w = w, .dx = {nullptr, batch, in}});
    const tpu::modelled_op relu = modelled(
        on, activate_backward_args<float>{
                .f = activation::relu, .slope = 0, .size = batch * in, .y = nullptr, .dy = nullptr, .dx = nullptr});
    fuse(on, op, relu.receipt, relu.receipt.bytes.outputs);
    return op;
  }
  void append_to(std::vector<tpu::modelled_op>& ops, const tpu::chip& on, pass which) const {
    if (first && which == pass::backward_data) return;  // the first layer's data gradient is unused
    ops.push_back(product(on, which));
    ops.back().name = name, ops.back().pass = which, ops.back().repeat = repeat;
  }
  void append_updates_to(std::vector<tpu::modelled_op>& ops, const tpu::chip& on, index_t cores) const {
    const index_t parameters = in * out + out;
    for (tpu::modelled_op op : {tpu::model_all_reduce(on, parameters, 1, cores, name + " all-reduce"),
                                tpu::model_update(on, parameters, tpu::rmsprop_update, name + " rmsprop"),
                                tpu::model_update(on, parameters, tpu::extra_pass, name + " apply")}) {
      if (exactly(op.elapsed_s, 0)) continue;
      op.repeat = repeat;
      ops.push_back(std::move(op));
    }
  }
};

}  // namespace detail

/// Models a training step of an FC network as ParaDnn ran it (RMSProp with momentum, synthetic data, data parallel).
/// The equal layers in the middle are one op each with a repeat count, so that a step costs some 20 evaluations.
/// Throws: value_error unless cores divide the batch; shape_error if an extent is < 1.
/// Example: rp::study::fc_step(rp::tpu::find_chip("v2"), {4, 8192, 8000, 1000, 16384}, 8).step_s
[[nodiscard]] inline tpu::modelled_step fc_step(const tpu::chip& on, const fc_shape& s, index_t cores) {
  check(s);
  const index_t batch = tpu::batch_per_core(on, s.batch, cores);
  std::vector<detail::fc_layer> layers;
  layers.push_back({.in = s.input, .out = s.node, .batch = batch, .first = true, .name = "first"});
  if (s.layers > 1) {
    const auto repeat = static_cast<std::uint64_t>(s.layers - 1);
    layers.push_back({.in = s.node, .out = s.node, .batch = batch, .repeat = repeat, .name = "middle"});
  }
  layers.push_back({.in = s.node, .out = s.output, .batch = batch, .last = true, .name = "last"});

  std::vector<tpu::modelled_op> ops;
  for (const detail::fc_layer& layer : layers) layer.append_to(ops, on, pass::forward);
  float placeholder = 0;
  ops.push_back(modelled(on, softmax_cross_entropy_args<float>{.logits = {nullptr, batch, s.output},
                                                               .labels = nullptr,
                                                               .dlogits = {&placeholder, batch, s.output},
                                                               .state = nullptr}));
  ops.back().name = "loss";
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    layer->append_to(ops, on, pass::backward_weights);
    layer->append_to(ops, on, pass::backward_data);
    layer->append_updates_to(ops, on, cores);
  }
  tpu::modelled_op infeed =
      tpu::model_infeed(on, {.batch = s.batch, .sample_values = s.input, .label_values = s.output});
  return tpu::compose(on, std::move(ops), std::move(infeed), s.parameters(), s.batch, cores);
}

/// Memory of the step in a core: RMSProp's two moments, and every layer's activations.
[[nodiscard]] constexpr tpu::step_memory fc_memory(const fc_shape& s, index_t cores) noexcept {
  const auto values = static_cast<double>(s.input + s.layers * s.node + s.output);
  return {.parameters = static_cast<double>(s.parameters()),
          .activations = values * static_cast<double>(s.batch) / static_cast<double>(cores)};
}

/// Agreement of predictions with measurements, relative to the measurements.
struct agreement {
  std::size_t rows = 0;
  double median_error = 0;              // of |predicted / measured − 1|
  double bias = 0;                      // median of predicted / measured − 1
  double within_10 = 0, within_25 = 0;  // share of rows
  double worst = 0;                     // largest |error|
  double r2_log = 0;                    // of log predicted against log measured
};

/// Throws: value_error unless both have the same number of values, at least one, and all are positive.
[[nodiscard]] inline agreement agree(const std::vector<double>& predicted, const std::vector<double>& measured) {
  require<value_error>(predicted.size() == measured.size() && !measured.empty(), "agree: ", predicted.size(),
                       " predictions for ", measured.size(), " measurements; must be equally many, at least 1");
  agreement a{.rows = measured.size()};
  std::vector<double> error, magnitude;
  double mean_log = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    require<value_error>(predicted[i] > 0 && measured[i] > 0, "agree: predicted ", predicted[i], ", measured ",
                         measured[i], "; both must be > 0");
    error.push_back(predicted[i] / measured[i] - 1);
    magnitude.push_back(std::abs(error.back()));
    mean_log += std::log(measured[i]) / static_cast<double>(measured.size());
  }
  double residual = 0, total = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    residual += std::pow(std::log(predicted[i] / measured[i]), 2);
    total += std::pow(std::log(measured[i]) - mean_log, 2);
  }
  const auto share = [&](double limit) {
    const auto within = std::count_if(magnitude.begin(), magnitude.end(), [&](double e) { return e <= limit; });
    return static_cast<double>(within) / static_cast<double>(magnitude.size());
  };
  a.median_error = median(magnitude), a.bias = median(error);
  a.within_10 = share(0.10), a.within_25 = share(0.25);
  a.worst = *std::max_element(magnitude.begin(), magnitude.end());
  a.r2_log = total > 0 ? 1 - residual / total : 0;
  return a;
}

/// Finds the minimum of a unimodal function in [low, high] by golden section; the same steps on every machine.
template <class Cost>
[[nodiscard]] double lowest(const Cost& cost, double low, double high, int steps = 40) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double x = high - ratio * (high - low), y = low + ratio * (high - low), at_x = cost(x), at_y = cost(y);
  for (int i = 0; i < steps; ++i) {
    if (at_x < at_y) {
      high = y, y = x, at_y = at_x;
      x = high - ratio * (high - low), at_x = cost(x);
    } else {
      low = x, x = y, at_x = at_y;
      y = low + ratio * (high - low), at_y = cost(y);
    }
  }
  return (low + high) / 2;
}

// Reads ParaDnn's published measurements of fully connected networks.

/// True for the only rows that constants may be fitted on; all others are held out.
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
/// Labels of paradnn_tpu_fc_errors.csv or paradnn_gpu_fc_errors.csv, the networks without a result, of one state: "OOM"
/// did not fit the memory. Throws: data_error.
[[nodiscard]] inline std::vector<fc_shape> load_fc_errors(const std::string& path, std::string_view of_state) {
  const csv_table t = load_csv(path);
  const std::size_t label = t.column("label"), state = t.column("state");
  std::vector<fc_shape> shapes;
  for (std::size_t row = 0; row < t.size(); ++row)
    if (t.text(row, state) == of_state) shapes.push_back(parse_fc_label(t.text(row, label)));
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

/// The matrix FLOP of one core in one step: 2·b·(3·W − W₁), since the first layer's dX is not computed.
[[nodiscard]] constexpr double fc_core_flop(const fc_shape& s, index_t cores) noexcept {
  const auto b = static_cast<double>(s.batch) / static_cast<double>(cores);
  return 2 * b * (3 * static_cast<double>(s.weights()) - static_cast<double>(s.input * s.node));
}

/// Rows of paradnn_fc_trace_10sec_opbreakdown.csv, one trace per network, scaled to one step.
///
/// The file has totals of a window of unknown length. The number of steps in it is the FLOP of its products over
/// fc_core_flop(); a category's time is its bytes over its share of `profiler_bytes_per_s`, the peak that the
/// profiler's bandwidth percentages refer to. Flop share · 180 TFLOP/s / intensity, over the bandwidth share, is 2415.8
/// GB/s on every row of paradnn_fc_trace_10sec.csv.
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

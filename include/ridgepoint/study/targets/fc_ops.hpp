// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/calibrate.hpp>
#include <ridgepoint/study/target.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Profiler traces of ParaDnn's networks, op category by op category: bytes, intensity, bandwidth, time.
[[nodiscard]] inline target_result compare_fc_ops(const std::filesystem::path& data) {
  const tpu::chip& on = tpu::find_chip("v2");
  const std::string file = (data / "paradnn_fc_trace_10sec_opbreakdown.csv").string();
  const std::vector<fc_trace> traces = load_fc_traces(file);
  target_result r{.lines = {}, .rows = 4 * traces.size()};  // products, update, second pass, all-reduce

  struct ratio {
    fc_shape shape;
    double products, product_bytes, update, extra_pass, all_reduce;  // ours over theirs
  };
  std::vector<ratio> ratios;
  for (const fc_trace& t : traces) {
    double products = 0, bytes = 0, update = 0, extra = 0, all_reduce = 0;
    for (const tpu::modelled_op& op : fc_step(on, t.shape, on.cores()).ops) {
      const double s = op.total_s();
      if (op.receipt.matrix_flop > 0) products += s, bytes += static_cast<double>(op.bytes * op.repeat);
      else if (op.bound == tpu::bound::ici) all_reduce += s;
      else if (op.name.ends_with("rmsprop")) update += s;
      else if (op.name.ends_with("apply")) extra += s;
    }
    ratios.push_back({t.shape, products / t.products.elapsed_s, bytes / t.products.bytes, update / t.update.elapsed_s,
                      extra / t.extra_pass.elapsed_s, all_reduce / t.all_reduce.elapsed_s});
  }
  const auto middle = [&](const auto& rows, const auto& counts, const auto& value) {
    return detail::median_where("a median", rows, counts, value);
  };
  const auto all = [](const auto&) { return true; };
  const auto parameters = [](const fc_trace& t) { return static_cast<double>(t.shape.parameters()); };
  const auto add = [&](std::string what, double ours, double theirs, double limit, evidence basis) {
    r.lines.push_back({std::move(what), ours, theirs, limit > 0 ? demand::within : demand::none, limit, basis});
  };
  const tpu::modelled_op update = tpu::model_update(on, 1 << 20),
                         extra = tpu::model_update(on, 1 << 20, tpu::extra_pass),
                         sum = tpu::model_all_reduce(on, 1 << 20, 1, on.cores());
  const auto per_value = [](const tpu::modelled_op& op) { return static_cast<double>(op.bytes) / (1 << 20); };
  add("bytes per parameter, update", per_value(update),
      middle(traces, all, [&](const auto& t) { return t.update.bytes / parameters(t); }), 0.02, evidence::chosen);
  add("bytes per parameter, 2nd pass", per_value(extra),
      middle(traces, all, [&](const auto& t) { return t.extra_pass.bytes / parameters(t); }), 0.02, evidence::chosen);
  add("bytes per parameter, all-reduce", per_value(sum),
      middle(traces, all, [&](const auto& t) { return t.all_reduce.bytes / parameters(t); }), 0.02, evidence::chosen);
  add("FLOP/B, update", update.receipt.flop_per_byte(),
      middle(traces, all, [](const auto& t) { return t.update.flop_per_byte; }), 0.02, evidence::chosen);
  add("FLOP/B, 2nd pass", extra.receipt.flop_per_byte(),
      middle(traces, all, [](const auto& t) { return t.extra_pass.flop_per_byte; }), 0.02, evidence::chosen);
  add("FLOP/B, all-reduce", sum.receipt.flop_per_byte(),
      middle(traces, all, [](const auto& t) { return t.all_reduce.flop_per_byte; }), 0.02, evidence::chosen);

  for (const bool held_out : {true, false}) {
    const evidence set = held_out ? evidence::hold_out : evidence::calibration;
    const auto share = [&](const std::string& what, index_t low, index_t high, auto value, double limit,
                           evidence basis) {
      std::vector<double> off;
      for (const ratio& x : ratios)
        if (calibrates(x.shape) != held_out && x.shape.node >= low && x.shape.node <= high) off.push_back(value(x));
      if (off.empty()) return;
      add(what + concat(", median of ", off.size(), " traces"), median(off), 1, held_out ? limit : 0, basis);
    };
    share(
        "product bytes, ours/theirs, node >= 1024", 1024, 8192, [](const ratio& x) { return x.product_bytes; }, 0.02,
        evidence::chosen);
    share(
        "update time, node >= 1024", 1024, 8192, [](const ratio& x) { return x.update; }, 0.03, set);
    share(
        "2nd pass time, node >= 1024", 1024, 8192, [](const ratio& x) { return x.extra_pass; }, 0.03, set);
    share(
        "all-reduce time, node >= 1024", 1024, 8192, [](const ratio& x) { return x.all_reduce; }, 0.03, set);
    share(
        "product time, node >= 2048", 2048, 8192, [](const ratio& x) { return x.products; }, 0.10, set);
    share(
        "product time, node 512-1024", 512, 1024, [](const ratio& x) { return x.products; }, 0.25, set);
    share(
        "product time, node 128-256", 128, 256, [](const ratio& x) { return x.products; }, 0, set);
  }
  for (const index_t node : {128, 256, 512, 1024, 2048, 4096, 8192}) {
    std::vector<double> slope;  // per further layer: between the depths of one batch
    for (const fc_trace& shallow : traces)
      for (const fc_trace& deep : traces)
        if (shallow.shape.node == node && deep.shape.node == node && deep.shape.layers == 2 * shallow.shape.layers &&
            shallow.shape.batch == deep.shape.batch && deep.shape.batch <= 1024)
          slope.push_back((deep.all_reduce.elapsed_s - shallow.all_reduce.elapsed_s) /
                          static_cast<double>(deep.shape.layers - shallow.shape.layers));
    if (slope.empty()) continue;
    const double ours = tpu::model_all_reduce(on, node * node + node, 1, on.cores()).elapsed_s;
    add(concat("all-reduce of one ", node, 'x', node, " layer, us"), 1e6 * ours, 1e6 * median(slope), 0,
        evidence::calibration);
  }
  r.note =
      "which bytes an op moves was read off these traces; times per step are bytes over bandwidth shares; batches "
      "above 1024 make cores wait for the host inside the "
      "all-reduce of narrow networks, which is not modelled";
  return r;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

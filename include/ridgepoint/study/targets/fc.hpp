// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/calibrate.hpp>
#include <ridgepoint/study/paradnn_fc.hpp>
#include <ridgepoint/study/regression.hpp>
#include <ridgepoint/study/target.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Compares profiler traces of ParaDnn's networks by op category: bytes, intensity, bandwidth, time.
[[nodiscard]] inline target_result compare_fc_ops(const std::filesystem::path& data) {
  const tpu::chip& on = tpu::find_chip("v2");
  const std::string file = (data / "paradnn_fc_trace_10sec_opbreakdown.csv").string();
  const std::vector<fc_trace> traces = load_fc_traces(file);
  target_result r{.lines = {}, .rows = 4 * traces.size()};  // products, update, second pass, all-reduce

  struct ratio {
    fc_shape shape;
    double products, product_bytes, update, extra_pass, all_reduce;  // ours / theirs
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
    std::vector<double> slope;  // per additional layer: between the depths of one batch
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
      "the bytes of each op were derived from these traces; times per step are bytes over bandwidth shares; batches "
      "above 1024 make cores wait for the host inside the "
      "all-reduce of narrow networks, which is not modelled";
  return r;
}

// Targets over ParaDnn's 1,724 measured step times and 220 networks that did not fit.

namespace detail {

/// Limits for the agreement on held-out rows.
struct agreement_limits {
  double median_error = 0, within_25 = 0, r2_log = 0;  // 0: shown
};

inline void append_agreement(target_result& r, const agreement& a, evidence basis, const agreement_limits& limits) {
  const auto add = [&](const std::string& what, double ours, demand wanted = demand::none, double limit = 0) {
    const bool judged = basis == evidence::hold_out && limit > 0;
    r.lines.push_back({what, ours, std::nan(""), judged ? wanted : demand::none, limit, basis});
  };
  add("rows", static_cast<double>(a.rows));
  add("median |error|", a.median_error, demand::at_most, limits.median_error);
  add("bias", a.bias);
  add("share within 10 %", a.within_10);
  add("share within 25 %", a.within_25, demand::at_least, limits.within_25);
  add("R2 of logarithms", a.r2_log, demand::at_least, limits.r2_log);
  add("worst |error|", a.worst);
}

/// Predictions with measurements.
struct step_pairs {
  std::vector<double> predicted_s, measured_s;
  void add(double predicted, double measured) { predicted_s.push_back(predicted), measured_s.push_back(measured); }
  [[nodiscard]] agreement agree() const { return study::agree(predicted_s, measured_s); }
};

/// Compares steps with predict(shape), separately for the rows that constants were fitted on and the held-out rows.
template <class Predict>
[[nodiscard]] target_result compare_steps(const std::vector<measured_step>& steps, const Predict& predict,
                                          const agreement_limits& limits) {
  step_pairs fitted, held_out;
  for (const measured_step& m : steps) (calibrates(m.shape) ? fitted : held_out).add(predict(m.shape), m.step_s);
  target_result r{.lines = {}, .rows = steps.size()};
  append_agreement(r, held_out.agree(), evidence::hold_out, limits);
  append_agreement(r, fitted.agree(), evidence::calibration, limits);
  return r;
}

}  // namespace detail

/// Compares step times of fully connected networks on TPU v2-8: fitted and held-out rows separately.
[[nodiscard]] inline target_result compare_fc_steps(const std::filesystem::path& data) {
  const tpu::chip& on = tpu::find_chip("v2");
  target_result r = detail::compare_steps(load_fc_steps((data / "paradnn_tpu_fc.csv").string()),
                                          [&](const fc_shape& s) { return fc_step(on, s, on.cores()).step_s; },
                                          {.median_error = 0.045, .within_25 = 0.93, .r2_log = 0.99});
  r.note =
      "constants are fitted on rows with 4 or 32 layers and input 2000 only; worst rows: batch 64, where the host "
      "takes 4.0 ms and the model says 2.3";
  return r;
}

/// Networks so narrow that the host's feed limits the step: the feed alone.
[[nodiscard]] inline target_result compare_fc_infeed(const std::filesystem::path& data) {
  const tpu::chip& on = tpu::find_chip("v2");
  std::vector<double> predicted, measured;
  for (const measured_step& m : load_fc_steps((data / "paradnn_tpu_fc.csv").string())) {
    const fc_shape& s = m.shape;
    if (calibrates(s) || s.node > 64 || s.layers > 8 || s.batch < 256) continue;
    predicted.push_back(fc_step(on, s, on.cores()).step_s);
    measured.push_back(m.step_s);
  }
  const agreement a = agree(predicted, measured);
  target_result r{.lines = {}, .rows = a.rows};
  r.lines = {
      {"node <= 64, layers <= 8, batch >= 256: median |error|", a.median_error, std::nan(""), demand::at_most, 0.10},
      {"the same: bias", a.bias, std::nan("")},
      {"the same: worst |error|", a.worst, std::nan("")}};
  const csv_table traces = load_csv((data / "paradnn_fc_trace_10sec_opbreakdown.csv").string());
  for (std::size_t row = 0; row < traces.size(); ++row) {
    const std::string& label = traces.text(row, traces.column("labels"));
    if (!label.starts_with("layer_8-") || !label.ends_with("bs_16384-infeed")) continue;
    const fc_shape s = parse_fc_label(label);
    ++r.rows;
    r.lines.push_back({concat("8 layers of ", s.node, ", batch 16384: share of the step waiting for the host, %"),
                       100 * (std::max)(0.0, fc_step(on, s, on.cores()).infeed_share()),
                       traces.number(row, traces.column("time_perc"))});
  }
  r.note = "the published shares are of the infeed op in the profiler's traces";
  return r;
}

/// Compares which networks fit a core's memory.
[[nodiscard]] inline target_result compare_fc_memory(const std::filesystem::path& data) {
  const tpu::chip& on = tpu::find_chip("v2");
  std::size_t right_oom = 0, right_ran = 0;
  const auto ran = load_fc_steps((data / "paradnn_tpu_fc.csv").string());
  const auto oom = load_fc_errors((data / "paradnn_tpu_fc_errors.csv").string(), "OOM");
  double largest_ran = 0, smallest_oom = HUGE_VAL;
  for (const measured_step& m : ran) {
    const tpu::step_memory need = fc_memory(m.shape, on.cores());
    right_ran += fits(on, need) ? 1U : 0U, largest_ran = (std::max)(largest_ran, need.bytes());
  }
  for (const fc_shape& s : oom) {
    const tpu::step_memory need = fc_memory(s, on.cores());
    right_oom += fits(on, need) ? 0U : 1U, smallest_oom = (std::min)(smallest_oom, need.bytes());
  }
  const double all = static_cast<double>(ran.size() + oom.size());
  target_result r{.lines = {}, .rows = ran.size() + oom.size()};
  const auto add = [&](std::string what, double ours, double theirs, demand wanted = demand::none, double limit = 0) {
    r.lines.push_back({std::move(what), ours, theirs, wanted, limit, evidence::chosen});
  };
  add("accuracy", static_cast<double>(right_oom + right_ran) / all, std::nan(""), demand::at_least, 0.97);
  add("out of memory, as the rule says", static_cast<double>(right_oom), static_cast<double>(oom.size()));
  add("ran, as the rule says", static_cast<double>(right_ran), static_cast<double>(ran.size()));
  add("largest that ran, GiB per core", largest_ran / (1ULL << 30), std::nan(""));
  add("smallest that did not, GiB per core", smallest_oom / (1ULL << 30), std::nan(""));
  r.note =
      "rule: 12 B per parameter (value and RMSProp's two moments) + 4 B per activation of the core's share of the "
      "batch must fit 8 GiB, chosen because it sorts these labels; only 4 of them depend on the activations";
  return r;
}

/// Utilisation by ParaDnn's count: 6 FLOP per weight and sample, over the published peak of the cores.
[[nodiscard]] inline double paradnn_utilisation(const fc_shape& s, double step_s, double quoted_flop_per_s) noexcept {
  return 6 * static_cast<double>(s.batch) * static_cast<double>(s.weights()) / (step_s * quoted_flop_per_s);
}

namespace detail {

/// ParaDnn's widest and best sweep: layers × nodes at input 2000 and 8000, output 200 and 1000, for one batch.
template <class Use>
void for_each_fc(index_t batch, const Use& use) {
  for (const index_t layers : {4, 8, 16, 32, 64, 128})
    for (const index_t node : {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192})
      for (const index_t input : {2000, 8000})
        for (const index_t output : {200, 1000}) use(fc_shape{layers, node, input, output, batch});
}

/// Highest utilisation over the sweep on `cores` cores, of the networks that fit.
[[nodiscard]] inline double most_utilised(const tpu::chip& on, index_t batch, index_t cores) {
  const double quoted = on.quoted_flop_per_s * static_cast<double>(cores) / static_cast<double>(on.cores());
  double most = 0;
  for_each_fc(batch, [&](const fc_shape& s) {
    if (fits(on, fc_memory(s, cores)))
      most = (std::max)(most, paradnn_utilisation(s, fc_step(on, s, cores).step_s, quoted));
  });
  return most;
}

}  // namespace detail

/// Compares the share of TPU v2's peak that fully connected networks reach: maxima, the batch it takes, and the shape
/// of the heat map.
[[nodiscard]] inline target_result compare_fc_utilisation(const std::filesystem::path& data) {
  const tpu::chip& on = tpu::find_chip("v2");
  const std::vector<measured_step> steps = load_fc_steps((data / "paradnn_tpu_fc.csv").string());
  std::map<index_t, double> measured;  // batch → highest
  std::map<index_t, double> predicted;
  for (const measured_step& m : steps) {
    double& theirs = measured[m.shape.batch];
    double& ours = predicted[m.shape.batch];
    theirs = (std::max)(theirs, paradnn_utilisation(m.shape, m.step_s, on.quoted_flop_per_s));
    ours = (std::max)(ours, paradnn_utilisation(m.shape, fc_step(on, m.shape, 8).step_s, on.quoted_flop_per_s));
  }
  target_result r{.lines = {}, .rows = steps.size()};
  const auto add = [&](std::string what, double ours, double theirs, demand wanted = demand::none, double limit = 0) {
    r.lines.push_back({std::move(what), ours, theirs, wanted, limit});
  };
  add("8 cores, highest, % of 180 TFLOP/s", 100 * predicted.rbegin()->second, 100 * measured.rbegin()->second,
      demand::points, 5);
  add("the same against the paper's figure", 100 * predicted.rbegin()->second, 62, demand::points, 5);
  for (const auto& [batch, theirs] : measured)
    add(concat("8 cores, batch ", batch, ", highest, %"), 100 * predicted[batch], 100 * theirs);
  index_t first = 0;
  for (const auto& [batch, ours] : predicted)
    if (ours > 0.5 && first == 0) first = batch;
  add("8 cores, first batch with more than 50 %", static_cast<double>(first), 16384, demand::equal);
  add("1 core, batch 16384, highest, % (counting all of ParaDnn's FLOP)", 100 * detail::most_utilised(on, 16384, 1),
      100, demand::points, 5);
  const double wide = paradnn_utilisation(
      {8, 8192, 8000, 1000, 16384}, fc_step(on, {8, 8192, 8000, 1000, 16384}, 1).step_s, on.quoted_flop_per_s / 8);
  add("1 core, batch 16384, 8 layers of 8192, %", 100 * wide, 100, demand::points, 5);

  std::size_t falls = 0, measured_falls = 0, pairs = 0;  // doubling the batch must not lower the utilisation
  std::map<std::tuple<index_t, index_t, index_t, index_t, index_t>, double> by_shape;
  for (const measured_step& m : steps)
    by_shape[{m.shape.layers, m.shape.node, m.shape.input, m.shape.output, m.shape.batch}] = m.step_s;
  for (const measured_step& m : steps) {
    fc_shape twice = m.shape;
    twice.batch *= 2;
    const auto found = by_shape.find({twice.layers, twice.node, twice.input, twice.output, twice.batch});
    if (found == by_shape.end()) continue;
    ++pairs;
    measured_falls += 2 * m.step_s < found->second ? 1U : 0U;
    falls += 2 * fc_step(on, m.shape, 8).step_s < fc_step(on, twice, 8).step_s ? 1U : 0U;
  }
  add(concat("of ", pairs, " pairs, utilisation falls when the batch doubles (theirs: measured)"),
      static_cast<double>(falls), static_cast<double>(measured_falls), demand::at_most, 0);
  r.note =
      "ParaDnn counts the gradient of the data too, which nothing computes, so that shallow networks can pass 100 %; "
      "judged values come from networks that constants were not fitted on, except for a part of the pairs";
  return r;
}

// Targets over ParaDnn's analyses: weights of a regression, and networks on the roofline.

namespace detail {

/// Ridge point in FLOP/B by the published peak of the board.
[[nodiscard]] inline double quoted_ridge(const tpu::chip& c) noexcept {
  return c.quoted_flop_per_s / (c.hbm_bytes_per_s * static_cast<double>(c.cores()));
}

/// The features of ParaDnn's regressions.
[[nodiscard]] inline observations fc_observations() {
  return {.features = {"layer", "node", "input", "output", "batch"}, .rows = {}, .values = {}};
}
inline void add_shape(observations& o, const fc_shape& s, double value) {
  o.add({static_cast<double>(s.layers), static_cast<double>(s.node), static_cast<double>(s.input),
         static_cast<double>(s.output), static_cast<double>(s.batch)},
        value);
}

/// Regressions of a value over networks: as measured on all of them, and as measured and modelled on those held out.
struct fc_regression {
  observations measured = fc_observations(), held_out = fc_observations(), modelled = fc_observations();

  void add(const fc_shape& s, double measured_value, double modelled_value) {
    add_shape(measured, s, measured_value);
    if (calibrates(s)) return;
    add_shape(held_out, s, measured_value);
    add_shape(modelled, s, modelled_value);
  }
  /// Adds the published weights in row `published` of paradnn_fc_lr_weights.csv, as computed here from the same data,
  /// then the weights in measured and modelled values. Throws: data_error if the file has no such row.
  void append_to(target_result& r, const csv_table& weights, std::string_view published) const {
    std::size_t row = 0;
    while (row < weights.size() && weights.text(row, weights.column("target")) != published) ++row;
    require<data_error>(row < weights.size(), weights.source(), ": has no target \"", published, '"');
    const auto theirs = [&](std::string_view column) { return weights.number(row, weights.column(column)); };
    const auto same = [&](std::string what, double ours, double of) {
      r.lines.push_back({concat(published, what), ours, of, demand::points, 0.005, evidence::definitional});
    };
    const regression all = regress(measured);
    for (const regression_weight& w : all.weights)
      same(concat(": weight of ", w.feature), w.weight, theirs(w.feature == "batch" ? "bs" : w.feature));
    same(": R2", all.r2, theirs("R2"));
    const regression truth = regress(held_out), model = regress(modelled);
    for (std::size_t f = 0; f < truth.weights.size(); ++f)
      if (truth.weights[f].low < truth.weights[f].high)
        r.lines.push_back({concat(published, ", held-out networks modelled: weight of ", truth.weights[f].feature),
                           model.weights[f].weight, truth.weights[f].weight, demand::points, 0.1});
  }
};

}  // namespace detail

/// Compares the weights of a linear regression of TPU v2's speed on depth, width, inputs, outputs and batch: as ParaDnn
/// computes them from its measurements, and from modelled steps.
[[nodiscard]] inline target_result compare_fc_regression(const std::filesystem::path& data) {
  const tpu::chip& on = tpu::find_chip("v2");
  const csv_table weights = load_csv((data / "paradnn_fc_lr_weights.csv").string()),
                  steps = load_csv((data / "paradnn_tpu_fc.csv").string());
  detail::fc_regression flop, samples;
  for (std::size_t row = 0; row < steps.size(); ++row) {
    const fc_shape s = parse_fc_label(steps.text(row, steps.column("label")));
    const double step_s = fc_step(on, s, on.cores()).step_s;
    flop.add(s, steps.number(row, steps.column("gflops_per_s")),
             paradnn_utilisation(s, step_s, 1e9 * static_cast<double>(on.cores())));
    samples.add(s, steps.number(row, steps.column("example_per_s")), static_cast<double>(s.batch) / step_s);
  }
  target_result r{.lines = {}, .rows = steps.size()};
  flop.append_to(r, weights, "TPU FLOPS");
  samples.append_to(r, weights, "TPU ex/s");
  r.note = "features and value are standardised: a weight of 1 moves the value by one of its standard deviations";
  return r;
}

/// Returns the FLOP per byte of a step on all cores of a TPU.
[[nodiscard]] inline double flop_per_byte(const tpu::chip& on, const fc_shape& s) {
  double flop = 0, bytes = 0;
  for (const tpu::modelled_op& op : fc_step(on, s, on.cores()).ops) {
    flop += static_cast<double>(op.receipt.flop * op.repeat);
    bytes += static_cast<double>(op.bytes * op.repeat);
  }
  return flop / bytes;
}
/// Compares where networks stand on TPU v2's roofline: arithmetic intensity from profiler traces against the modelled
/// bytes, and ParaDnn's rule that networks are bound by compute from 2048 nodes and batch 8192 on.
[[nodiscard]] inline target_result compare_fc_roofline(const std::filesystem::path& data) {
  const tpu::chip& on = tpu::find_chip("v2");
  const csv_table traces = load_csv((data / "paradnn_fc_trace_10sec.csv").string());
  const double ridge = detail::quoted_ridge(on);
  std::vector<double> error;
  std::size_t right = 0, beyond = 0, published_beyond = 0, large = 0, large_beyond = 0;
  for (std::size_t row = 0; row < traces.size(); ++row) {
    const fc_shape s = parse_fc_label(traces.text(row, traces.column("labels")));
    const double ours = flop_per_byte(on, s), theirs = traces.number(row, traces.column("intensity"));
    error.push_back(std::abs(ours / theirs - 1));
    right += (ours > ridge) == (theirs > ridge) ? 1U : 0U;
    beyond += ours > ridge ? 1U : 0U;
    published_beyond += theirs > ridge ? 1U : 0U;
    if (s.node < 2048 || s.batch < 8192) continue;
    ++large;
    large_beyond += ours > ridge ? 1U : 0U;
  }
  const auto count = [](std::size_t n) { return static_cast<double>(n); };
  target_result r{.lines = {}, .rows = traces.size()};
  r.lines = {{"FLOP/B of a step, median |error|", median(error), std::nan(""), demand::at_most, 0.05, evidence::chosen},
             {concat("share of networks on the right side of the ridge, ", figures(ridge), " FLOP/B"),
              count(right) / count(traces.size()), std::nan(""), demand::at_least, 0.95, evidence::chosen},
             {"networks beyond the ridge", count(beyond), count(published_beyond)},
             {concat("of the ", large, " with >= 2048 nodes and batch >= 8192, beyond the ridge"), count(large_beyond),
              count(large), demand::equal, 0, evidence::chosen}};
  r.note = "the bytes of each op were derived from the traces of these networks by category (fc-ops)";
  return r;
}

/// Compares ridge points and speed-ups from TPU v2 to v3. Most follow from the published peaks alone.
[[nodiscard]] inline target_result compare_v3_with_v2(const std::filesystem::path&) {
  const tpu::chip &v2 = tpu::find_chip("v2"), &v3 = tpu::find_chip("v3");
  target_result r{.lines = {}};
  const auto add = [&](std::string what, double ours, double theirs, double limit,
                       evidence basis = evidence::definitional) {
    r.lines.push_back({std::move(what), ours, theirs, limit > 0 ? demand::within : demand::none, limit, basis});
  };
  add("ridge point of v2, FLOP/B", detail::quoted_ridge(v2), 75, 0.01);
  add("ridge point of v3, FLOP/B", detail::quoted_ridge(v3), 117, 0.01);
  const auto rate = [](const tpu::chip& c, index_t m, index_t k, index_t n) {
    const tpu::modelled_op op = tpu::model_matmul(c, {.m = m, .k = k, .n = n, .b_bytes = 4});
    return static_cast<double>(op.receipt.flop) / op.elapsed_s;
  };
  add("products bound by the array, twice the batch", rate(v3, 4096, 8192, 8192) / rate(v2, 2048, 8192, 8192), 2.3,
      0.05);
  add("products bound by memory, twice the batch", rate(v3, 32, 8192, 8192) / rate(v2, 16, 8192, 8192), 3.0, 0.05);
  add("optimiser update", tpu::model_update(v2, 1 << 26).elapsed_s / tpu::model_update(v3, 1 << 26).elapsed_s, 1.5,
      0.05);

  const auto best = [&](const tpu::chip& newer) {
    double most = 0;
    for (const index_t batch : {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384})
      detail::for_each_fc(batch, [&](fc_shape s) {
        if (!fits(v2, fc_memory(s, 8))) return;
        const double before = static_cast<double>(s.batch) / fc_step(v2, s, 8).step_s;
        s.batch *= 2;
        if (fits(newer, fc_memory(s, 8)))
          most = (std::max)(most, static_cast<double>(s.batch) / fc_step(newer, s, 8).step_s / before);
      });
    return most;
  };
  add("FC end to end, twice the batch, highest; all-reduce as fast as v2's", best(v3), 2.83, 0.10, evidence::hold_out);
  tpu::chip linked = v3;
  linked.fit.all_reduce_bytes_per_s *= v3.ici_bytes_per_s / v2.ici_bytes_per_s;
  add("the same, were the all-reduce faster by the links' 656/496", best(linked), 2.83, 0, evidence::hold_out);
  const tpu::chip &v2s = tpu::find_chip("v2-spec"), &v3s = tpu::find_chip("v3-spec");
  add("peak ratio with the designers' figures", v3s.quoted_flop_per_s / v2s.quoted_flop_per_s, 2.3, 0);
  add("memory ratio with the designers' figures", v3s.hbm_bytes_per_s / v2s.hbm_bytes_per_s, 1.5, 0);
  r.note =
      "definitional: these follow from 180 and 420 TFLOP/s, 2400 and 3600 GB/s; the two end-to-end rows are "
      "predictions with constants of v2, since nothing measured on v3 is public";
  return r;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/paradnn_data.hpp>
#include <ridgepoint/study/target.hpp>

/// \file
/// Targets over ParaDnn's 1,724 measured step times and 220 networks that did not fit.
namespace ridgepoint::inline RIDGEPOINT_ABI::study {

namespace detail {

/// What an agreement on held-out rows must reach.
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

/// Predictions beside measurements.
struct step_pairs {
  std::vector<double> predicted_s, measured_s;
  void add(double predicted, double measured) { predicted_s.push_back(predicted), measured_s.push_back(measured); }
  [[nodiscard]] agreement agree() const { return study::agree(predicted_s, measured_s); }
};

/// Steps that predict(shape) predicts, the rows constants were fitted on and the held-out rows apart.
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

/// Step times of fully connected networks on TPU v2-8, the rows constants were fitted on and the held-out rows apart.
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
  r.note = "the shares beside ours are those of the infeed op in the profiler's traces";
  return r;
}

/// Which networks fit a core's memory.
[[nodiscard]] inline target_result compare_fc_memory(const std::filesystem::path& data) {
  const tpu::chip& on = tpu::find_chip("v2");
  std::size_t right_oom = 0, right_ran = 0;
  const auto ran = load_fc_steps((data / "paradnn_tpu_fc.csv").string());
  const auto oom = load_fc_out_of_memory((data / "paradnn_tpu_fc_errors.csv").string());
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

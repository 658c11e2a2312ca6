// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/paradnn_data.hpp>
#include <ridgepoint/study/target.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Utilisation as ParaDnn counts it: 6 FLOP per weight and sample, over the published peak of the cores.
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

/// The highest utilisation over the sweep on so many cores, of the networks that fit.
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

/// How much of TPU v2's peak fully connected networks reach: maxima, the batch it takes, and the shape of the heat map.
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

  std::size_t falls = 0, measured_falls = 0, pairs = 0;  // twice the batch must not lower the utilisation
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
      "what is judged comes from networks that constants were not fitted on, but for a part of the pairs";
  return r;
}

/// Ridge points and speed-ups from TPU v2 to v3. Most follow from the published peaks alone.
[[nodiscard]] inline target_result compare_v3_with_v2(const std::filesystem::path&) {
  const tpu::chip &v2 = tpu::find_chip("v2"), &v3 = tpu::find_chip("v3");
  target_result r{.lines = {}};
  const auto add = [&](std::string what, double ours, double theirs, double limit,
                       evidence basis = evidence::definitional) {
    r.lines.push_back({std::move(what), ours, theirs, limit > 0 ? demand::within : demand::none, limit, basis});
  };
  const auto ridge = [](const tpu::chip& c) {
    return c.quoted_flop_per_s / (c.hbm_bytes_per_s * static_cast<double>(c.cores()));
  };
  add("ridge point of v2, FLOP/B", ridge(v2), 75, 0.01);
  add("ridge point of v3, FLOP/B", ridge(v3), 117, 0.01);
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

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/roofline/machines.hpp>
#include <ridgepoint/study/targets/fc.hpp>

#include "tpu_targets.hpp"

namespace tool {

/// Returns how many of two features have the two largest weights in a family's utilisation.
inline double largest_weights(const modelled_family& of, const std::set<std::string>& features) {
  const auto fit = utilisation_weights(of.rows);
  if (!fit) return std::nan("");
  std::vector<rp::study::regression_weight> weights = fit->weights;
  std::ranges::sort(weights, std::greater{}, [](const auto& w) { return std::abs(w.weight); });
  double found = 0;
  for (std::size_t i = 0; i < (std::min)(weights.size(), features.size()); ++i)
    found += features.contains(weights[i].feature) ? 1 : 0;
  return found;
}

/// Returns the share in % of FC networks with at least 2048 nodes and batch 8192 whose FLOP/B exceed the ridge.
inline double large_beyond_ridge(const rp::tpu::chip& on) {
  const double ridge = rp::study::detail::quoted_ridge(on);
  double all = 0, beyond = 0;
  for (const sweep_point& p : published_grid("fc", extent_of_sweep::all).points()) {
    const auto& v = p.parameters;
    if (v.at("nodes") < 2048 || p.batch < 8192) continue;
    const rp::study::fc_shape shape{v.at("layers"), v.at("nodes"), v.at("inputs"), v.at("outputs"), p.batch};
    all += 1, beyond += flop_per_byte(on, shape) > ridge ? 1 : 0;
  }
  return 100 * beyond / all;
}

/// Returns the share of a recurrent network's matrix FLOP that TensorFlow's profiler counts: a loop's body once, the
/// product with the vocabulary at each step.
inline double counted_share(const rp::study::sweep_network& network) {
  std::map<std::string, double> of;
  for (const auto& [name, value] : network.parameters) of[name] = static_cast<double>(value);
  const double body = of.at("layers") * of.at("gates") * 2 * of.at("width") * of.at("width"),
               logits = of.at("steps") * of.at("width") * of.at("vocabulary");
  return (body + logits) / (of.at("steps") * body + logits);
}

/// A fact that a claim depends on and that is not published. The list does not look at verdicts: 13 of its 20 claims
/// hold.
struct unpublished_fact {
  std::string_view claim, fact;
};
inline constexpr auto unpublished_facts = std::to_array<unpublished_fact>({
    {"Transformer, device time that memory or all-reduce binds, %", "the Transformer's size, batch and format"},
    {"Transformer, device time of all-reduce, %", "the Transformer's size, batch and format"},
    {"TPU v2 over V100, Transformer in 16 bits", "the Transformer's size, batch and format"},
    {"SqueezeNet without infeed, samples/s gained, %", "the speed of the hosts that decode images"},
    {"TPU v2 over V100, SqueezeNet", "the speed of the hosts that decode images"},
    {"TPU v2 over V100, ResNet-50 of NVIDIA", "the speed of the hosts that decode images"},
    {"RetinaNet without infeed, samples/s gained, %",
     "the speed of the hosts that scale COCO's images and label anchors"},
    {"TPU v2 over V100, CNN that are faster, %", "the speed of the V100's host that copies images"},
    {"TPU v2 over V100, DenseNet", "DenseNet's variant, and its batch and format on V100"},
    {"TPU v2 over V100, FC that are faster, %", "the networks of the 62 %"},
    {"CNN, two largest weights: batch and filters", "the kind of CNN's blocks"},
    {"CNN on 1 core, highest utilisation, %", "the kind of CNN's blocks"},
    {"CNN on 8 cores, highest utilisation, %", "the kind of CNN's blocks"},
    {"CNN, not parallel, 90th percentile, %", "the kind of CNN's blocks"},
    {"v3 over v2, CNN end to end, highest", "the kind of CNN's blocks"},
    {"RNN, two largest weights: batch and units", "the kind of RNN's cells"},
    {"v3 over v2, RNN end to end, highest", "the kind of RNN's cells"},
    {"TPU v2 over V100, RNN, highest", "the kind of RNN's cells"},
    {"RNN on TPU v2, highest utilisation, %", "whether a loop's body counts once or at each step"},
    {"RNN on V100, of the peak in f16", "whether a loop's body counts once or at each step"},
});

/// Counts of claims: judged, depending on published facts only (reachable), and holding among either.
struct claim_counts {
  std::size_t judged = 0, hold = 0, reachable = 0, reachable_hold = 0;
};
[[nodiscard]] inline claim_counts count_claims(const rp::study::target_result& of) {
  claim_counts counts;
  for (const rp::study::comparison& line : of.lines) {
    if (line.wanted == rp::study::demand::none) continue;
    const bool holds = line.holds(), reachable = std::ranges::find(unpublished_facts, line.what,
                                                                   &unpublished_fact::claim) == unpublished_facts.end();
    counts.judged += 1, counts.hold += holds ? 1 : 0;
    counts.reachable += reachable ? 1 : 0, counts.reachable_hold += reachable && holds ? 1 : 0;
  }
  return counts;
}

/// Compares with the numbers in ParaDnn's text, claim by claim. Where another target demands the same, with its limit.
inline rp::study::target_result compare_claims(const std::filesystem::path& data) {
  using rp::study::demand;
  using rp::study::evidence;
  rp::study::target_result r{.lines = {}};
  const auto within = [&](std::string claim, double ours, double theirs, double limit = 0.20,
                          evidence basis = evidence::hold_out) {
    r.lines.push_back({std::move(claim), ours, theirs, demand::within, limit, basis});
  };
  const auto points = [&](std::string claim, double ours, double theirs, double limit = 12,
                          evidence basis = evidence::hold_out) {
    r.lines.push_back({std::move(claim), ours, theirs, demand::points, limit, basis});
  };
  const auto shown = [&](std::string claim, double ours, double theirs, evidence basis = evidence::hold_out) {
    r.lines.push_back({std::move(claim), ours, theirs, demand::none, 0, basis});
  };
  const auto ridge = [](const char* machine, const char* dtype) {
    const rp::machine& m = rp::find_machine(machine);
    return m.peak({.dtype = dtype})->per_s / m.bandwidth(m.levels().back())->per_s;
  };
  within("ridge point of TPU v2, FLOP/B", ridge("tpu-v2", "bf16"), 75, 0.01, evidence::definitional);
  within("ridge point of TPU v3", ridge("tpu-v3", "bf16"), 117, 0.01, evidence::definitional);
  within("ridge point of V100", ridge("v100", "f16"), 139, 0.01, evidence::definitional);
  within("ridge point of the CPU", ridge("skylake-vm", "f32"), 120, 0.01, evidence::definitional);

  // The constants of TPU v2 are fitted to steps of FC with 4 or 32 layers, which are among these. The kind of CNN, and
  // the model's layout of their images, were chosen while these figures were known.
  const modelled_family &fc = modelled_family_of("fc"), &cnn = modelled_family_of("cnn"),
                        &rnn = modelled_family_of("rnn");
  const highest_of_sweep of_fc = highest_of(fc), of_cnn = highest_of(cnn), of_rnn = highest_of(rnn);
  const auto weighs_most = [&](const char* claim, const modelled_family& of, const std::set<std::string>& features,
                               evidence basis = evidence::hold_out) {
    r.lines.push_back({claim, largest_weights(of, features), 2, demand::equal, 0, basis});
  };
  weighs_most("FC, two largest weights in utilisation: batch and nodes", fc, {"batch", "nodes"}, evidence::calibration);
  weighs_most("CNN, two largest weights: batch and filters", cnn, {"batch", "filters"}, evidence::chosen);
  weighs_most("RNN, two largest weights: batch and units", rnn, {"batch", "width"});
  points("FC with >= 2048 nodes and batch >= 8192 that compute binds, %", large_beyond_ridge(rp::tpu::find_chip("v2")),
         100, 2, evidence::chosen);

  points("FC on 1 core, highest utilisation, %", of_fc.one, 100, 12, evidence::calibration);
  points("FC on 8 cores, highest utilisation, %", of_fc.board, 62, 12, evidence::calibration);
  points("CNN on 1 core, highest utilisation, %", of_cnn.one, 55, 12, evidence::chosen);
  points("CNN on 8 cores, highest utilisation, %", of_cnn.board, 40, 12, evidence::chosen);
  index_t least_batch = fc.of.batches.back() + 1;
  for (const rp::study::sweep_row& row : fc.rows)
    if (row.fits && row.utilisation > 0.5) least_batch = (std::min)(least_batch, row.batch);
  r.lines.push_back({"FC on 8 cores, smallest batch above 50 %", static_cast<double>(least_batch), 16384, demand::equal,
                     0, evidence::calibration});
  points("FC, not parallel by Amdahl's law, 90th percentile, %", 100 * not_parallel(fc, fc.of.batches.back()), 16, 8,
         evidence::calibration);
  points("CNN, not parallel, 90th percentile, %", 100 * not_parallel(cnn, cnn.of.batches.back()), 8.8, 8);
  shown("CNN of all batches: the same", 100 * not_parallel(cnn, cnn.of.batches.front()), 8.8);

  const rp::study::target_result networks = compare_real_networks(data), chips = rp::study::compare_v3_with_v2(data);
  points("ResNet-50, device time that memory or all-reduce binds, %",
         ours_of(networks, "resnet-50: device time of ops that memory or all-reduce bind, %"), 13, 12,
         evidence::chosen);
  points("ResNet-50, device time of all-reduce, %", ours_of(networks, "resnet-50: of that all-reduce, %"), 1.1, 2);
  points("Transformer, device time that memory or all-reduce binds, %",
         ours_of(networks, "transformer-base: device time of ops that memory or all-reduce bind, %"), 19.9);
  points("Transformer, device time of all-reduce, %", ours_of(networks, "transformer-base: of that all-reduce, %"), 3.9,
         2);
  shown("ResNet-50 without infeed, samples/s gained, %",
        ours_of(networks, "resnet-50, batch 1024: samples/s gained without infeed, %"), 34, evidence::calibration);
  within("SqueezeNet without infeed, samples/s gained, %",
         ours_of(networks, "squeezenet, batch 1024: samples/s gained without infeed, %"), 180);

  within("v3 over v2, products that the array binds", ours_of(chips, "products bound by the array, twice the batch"),
         2.3, 0.05, evidence::definitional);
  within("v3 over v2, products that memory binds", ours_of(chips, "products bound by memory, twice the batch"), 3, 0.05,
         evidence::definitional);
  within("v3 over v2, other ops", ours_of(chips, "optimiser update"), 1.5, 0.05, evidence::definitional);
  within("v3 over v2, FC end to end, highest", of_fc.faster, 2.83, 0.10, evidence::calibration);
  within("v3 over v2, CNN end to end, highest", of_cnn.faster, 2.31, 0.10, evidence::chosen);
  within("v3 over v2, RNN end to end, highest", of_rnn.faster, 3.11);

  const auto faster_share = [](const highest_of_sweep& of) {
    return 100 * static_cast<double>(of.faster_than_gpu) / static_cast<double>(of.on_both);
  };
  within("RetinaNet without infeed, samples/s gained, %",
         ours_of(networks, "retinanet, batch 64: samples/s gained without infeed, %"), 37);
  points("TPU v2 over V100, FC that are faster, %", faster_share(of_fc), 62, 12, evidence::calibration);
  highest_of_sweep unfed;  // networks whose feed takes less than 1 % of the board's step
  for (const rp::study::sweep_row& row : cnn.rows)
    if (row.infeed_share < 0.01) unfed.add(row);
  points("TPU v2 over V100, CNN that are faster, %", faster_share(of_cnn), 100, 2, evidence::chosen);
  shown("TPU v2 over V100, CNN whose feed does not limit, that are faster, %", faster_share(unfed), 100);
  within("TPU v2 over V100, RNN, highest", of_rnn.over_gpu, 20);
  within("TPU v2 over V100, DenseNet", ours_of(networks, "densenet-121: TPU v2 over V100"), 3);
  shown("TPU v2 over V100, ResNet-50", ours_of(networks, "resnet-50: TPU v2 over V100 (batch 256), samples/s"), 6.2,
        evidence::calibration);
  within("TPU v2 over V100, ResNet-50 of NVIDIA",
         ours_of(networks, "resnet-50: TPU v2 over V100 that its feed does not limit (NVIDIA's)"), 4.2);
  within("TPU v2 over V100, SqueezeNet", ours_of(networks, "squeezenet: TPU v2 over V100"), 6.8);
  within("TPU v2 over V100, Transformer in 16 bits", ours_of(networks, "transformer-base: TPU v2 over V100"), 3.5);
  highest_of_sweep counted;
  for (rp::study::sweep_row row : rnn.rows) {
    const double share = counted_share(*row.network);
    row.utilisation *= share, row.gpu_utilisation *= share;
    counted.add(row);
  }
  r.lines.push_back({"RNN on TPU v2, highest utilisation, %", of_rnn.board, 26, demand::at_most, 26});
  shown("RNN on TPU v2, with each loop's body counted once", counted.board, 26);
  r.lines.push_back({"RNN on V100, of the peak in f16", gpu_of_f16(of_rnn), 9, demand::at_most, 9});
  shown("RNN on V100, with each loop's body counted once", gpu_of_f16(counted), 9);

  const rp::study::target_result memory = compare_memory(data);
  r.lines.push_back({"FC that fit a V100 over those that fit a TPU",
                     ours_of(memory, "networks that fit the V100 over those that fit the TPU (published: more)"),
                     std::nan(""), demand::at_least, 1});
  points("FC of 64 layers of 8192 that fit only the CPU, %",
         ours_of(memory, "64 layers of 8192: share that fits the CPU only, % (published: all)"), 100, 1);

  const claim_counts counts = count_claims(r);
  std::vector<std::string_view> facts;
  for (const unpublished_fact& u : unpublished_facts)
    if (std::ranges::find(facts, u.fact) == facts.end()) facts.push_back(u.fact);
  r.note = rp::concat(
      counts.hold, " of ", counts.judged, " claims hold; of ", counts.reachable,
      " that depend on published facts only, ", counts.reachable_hold, " hold (",
      rp::figures(100 * static_cast<double>(counts.reachable_hold) / static_cast<double>(counts.reachable), 3),
      " %). Not published, for the others: ");
  for (const std::string_view& fact : facts) r.note += rp::concat(&fact == facts.data() ? "" : "; ", fact);
  r.note +=
      ". ResNet-50's 34 % and 6.2 are shown only: the speed of decoding hosts is fitted to them. Of the 176 networks "
      "published for both machines 77 % are faster on TPU, ours says 81 %. CNN and RNN are as in ParaDnn's released "
      "scripts: bottleneck blocks and plain cells. No line has gains from versions of software and from bf16, or the "
      "CPU's utilisation";
  return r;
}

}  // namespace tool

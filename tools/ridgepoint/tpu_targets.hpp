// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/quantile.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/target.hpp>

#include "study_trainings.hpp"
#include "sweep_families.hpp"
#include "tensorflow_tpu_networks.hpp"

namespace tool {

/// Returns our value of a target's first line that starts so. Throws: value_error if none does.
[[nodiscard]] inline double ours_of(const rp::study::target_result& from, std::string_view start) {
  const auto found =
      std::ranges::find_if(from.lines, [=](const rp::study::comparison& line) { return line.what.starts_with(start); });
  rp::require<rp::value_error>(found != from.lines.end(), "validate: no line starts with ", start);
  return found->ours;
}

struct placed_resnet {
  double images_per_s = 0, utilisation = 0;
};
inline placed_resnet model_resnet(const rp::tpu::chip& on) {
  const rp::compiled plan = training_plan(rp::models::paradnn_cnn{}, rp::tpu::batch_per_core(on, 1024, on.cores()));
  const rp::tpu::modelled_step step = modelled(on, plan, on.cores());
  return {1024 / step.step_s, 100 * step.quoted_utilisation()};
}

/// Maxima over rows of a sweep: of utilisation on the board, on one core and on the GPU, in %, of the newer board's
/// speed-up, and of the board's over the GPU; and how many rows are faster on the board than on the GPU.
struct highest_of_sweep {
  double board = 0, one = 0, gpu = 0, faster = 0, over_gpu = 0;
  std::size_t on_both = 0, faster_than_gpu = 0;

  void add(const rp::study::sweep_row& row) {
    if (row.fits) board = std::max(board, 100 * row.utilisation);
    if (!std::isnan(row.one_core_utilisation)) one = std::max(one, 100 * row.one_core_utilisation);
    if (!std::isnan(row.speed_up)) faster = std::max(faster, row.speed_up);
    if (!std::isnan(row.gpu_utilisation)) gpu = std::max(gpu, 100 * row.gpu_utilisation);
    if (std::isnan(row.over_gpu)) return;
    over_gpu = std::max(over_gpu, row.over_gpu);
    ++on_both;
    faster_than_gpu += row.over_gpu > 1 ? 1U : 0U;
  }
};

/// A family of ParaDnn's networks, modelled on TPU v2, v3 and the study's V100.
struct modelled_family {
  family of;
  std::vector<rp::study::sweep_row> rows;  // point into `of`
};
/// Returns "fc", "cnn" or "rnn", modelled once: the paper's grid with the kinds of networks that ParaDnn's released
/// scripts run, bottleneck blocks (cnn_tpu.sh, cnn_gpu.sh: cnnblock) and plain cells (rnn_tpu.sh, rnn_gpu.sh: rnncell);
/// "residual" and "gated" are the others. Uses the convolutional networks with 1000 outputs.
inline const modelled_family& modelled_family_of(std::string_view name) {
  static std::map<std::string, modelled_family, std::less<>> all;
  if (const auto known = all.find(name); known != all.end()) return known->second;
  const std::string_view family = name == "residual" ? "cnn" : name == "gated" ? "rnn" : name;
  sweep_grid grid = published_grid(family, extent_of_sweep::all);
  for (auto& [parameter, values] : grid.parameters) {
    if (parameter == "bottleneck") values = {name == "residual" ? 0 : 1};
    if (family == "cnn" && parameter == "outputs") values = {1000};
  }
  if (family == "rnn")
    std::erase_if(grid.networks,
                  [&](const std::string& n) { return (n == rp::models::paradnn_rnn::name) == (name == "gated"); });
  modelled_family made{.of = family_of(family, grid), .rows = {}};
  rp::study::sweep_chips chips{rp::tpu::find_chip("v2"), rp::tpu::find_chip("v3")};
  chips.gpu = made.of.gpu;
  for (const rp::study::sweep_network& network : made.of.networks)
    for (const index_t batch : made.of.batches) made.rows.push_back(sweep_one(chips, network, batch));
  return all.emplace(name, std::move(made)).first->second;
}
inline highest_of_sweep highest_of(const modelled_family& of) {
  highest_of_sweep highest;
  for (const rp::study::sweep_row& row : of.rows) highest.add(row);
  return highest;
}
/// Returns the V100's highest utilisation in % of its peak in f16.
[[nodiscard]] inline double gpu_of_f16(const highest_of_sweep& highest) {
  const rp::gpu::chip& v100 = rp::gpu::find_chip("v100");
  return highest.gpu * v100.f32_flop_per_s / v100.peak_flop_per_s(rp::gpu::number_format::f16);
}
/// Returns the 90th percentile of the share that is not parallel, at this batch or larger ones.
inline double not_parallel(const modelled_family& family, index_t least_batch) {
  std::vector<double> shares;
  for (const rp::study::sweep_row& row : family.rows)
    if (row.fits && row.batch >= least_batch && !std::isnan(row.non_parallel_share))
      shares.push_back(row.non_parallel_share);
  return rp::quantile(shares, 0.9);
}

/// Compares with ParaDnn's convolutional and recurrent networks, for which only maxima are published.
inline rp::study::target_result compare_graphs(const std::filesystem::path&) {
  const rp::tpu::chip& board = rp::tpu::find_chip("v2");
  rp::study::target_result r{.lines = {}};
  const highest_of_sweep cnn = highest_of(modelled_family_of("cnn")), rnn = highest_of(modelled_family_of("rnn")),
                         residual = highest_of(modelled_family_of("residual")),
                         gated = highest_of(modelled_family_of("gated"));
  const placed_resnet resnet = model_resnet(board);
  constexpr rp::study::evidence chosen = rp::study::evidence::chosen;  // the kind of CNN, knowing these figures
  r.lines = {
      {"CNN on 8 cores, highest, % of 180 TFLOP/s", cnn.board, 40, rp::study::demand::points, 12, chosen},
      {"the same, residual blocks", residual.board, 40},
      {"CNN on 1 core, highest, %", cnn.one, 55, rp::study::demand::points, 12, chosen},
      {"CNN end to end, v3 over v2, twice the batch, highest", cnn.faster, 2.31, rp::study::demand::within, 0.10,
       chosen},
      {"RNN end to end, v3 over v2, twice the batch, highest", rnn.faster, 3.11, rp::study::demand::within, 0.20},
      {"RNN on 8 cores, highest, % (published: below 26)", rnn.board, 26},
      {"CNN, share faster on TPU v2 than on V100, % (published: all)",
       100 * static_cast<double>(cnn.faster_than_gpu) / static_cast<double>(cnn.on_both), 100,
       rp::study::demand::points, 2, chosen},
      {"the same, residual blocks, %",
       100 * static_cast<double>(residual.faster_than_gpu) / static_cast<double>(residual.on_both), 100},
      {"RNN, TPU v2 over V100, highest (published: up to 20)", rnn.over_gpu, 20},
      {"the same, GRU and LSTM", gated.over_gpu, 20},
      {"RNN on V100, highest, % (published: below 9)", rnn.gpu, 9},
      {"ResNet-50, batch 1024 on 8 cores, images/s (published: about 3000)", resnet.images_per_s, 3000},
      {"ResNet-50, the same, % of 180 TFLOP/s", resnet.utilisation, std::nan("")}};
  r.note =
      "no constant is fitted to these; no measurements of single networks are public. CNN have bottleneck blocks and "
      "RNN plain cells, as in ParaDnn's released scripts; the paper does not say which its figures show. The figure "
      "for "
      "RNN counts one time step of the loop, as the profiler did, or all of them: the paper does not say which";
  return r;
}

/// A step whose host decodes and augments this many images per second (0: it copies values), as the board's and the
/// GPU's.
inline rp::tpu::modelled_step with_images(const rp::tpu::chip& on, rp::tpu::modelled_step step, double images_per_s) {
  if (images_per_s <= 0) return step;
  const double feed_s = on.fit.infeed_latency_s + static_cast<double>(step.batch) / images_per_s;
  step.infeed.elapsed_s = std::max(step.infeed.elapsed_s, feed_s);
  step.step_s = rp::overlap(step.device_s, step.infeed.elapsed_s, on.fit.infeed_overlap_exponent) + step.loop_s;
  return step;
}
inline double step_with_images(const rp::gpu::modelled_step& step, double images_per_s) {
  return images_per_s > 0 ? std::max(step.step_s, static_cast<double>(step.fed.batch) / images_per_s) : step.step_s;
}

/// A step whose labels are this many numbers per sample.
inline rp::tpu::modelled_step with_labels(const rp::tpu::chip& on, rp::tpu::modelled_step step, index_t label_values,
                                          index_t sample_values) {
  step.infeed = rp::tpu::model_infeed(on, {.batch = step.batch,
                                           .sample_values = sample_values,
                                           .label_values = label_values,
                                           .sample_bytes = on.operand_bytes});
  step.step_s = rp::overlap(step.device_s, step.infeed.elapsed_s, on.fit.infeed_overlap_exponent) + step.loop_s;
  return step;
}

/// Images of ImageNet that the hosts decode and augment per second. Both are fitted to ResNet-50: the board's to the
/// gain of 34 % without its feed, the GPU's to the board's lead of 6.2 (tensorflow/models decodes with 5 threads by
/// default, tensorflow/tpu with all).
struct image_hosts {
  double board = 0, gpu = 0;
};
inline image_hosts hosts_fitted_to(const rp::tpu::chip& on, const rp::tpu::modelled_step& resnet) {
  image_hosts hosts;
  const double alone_s = resnet.device_s + resnet.loop_s;
  hosts.board = rp::study::lowest(
      [&](double images_per_s) { return std::abs(with_images(on, resnet, images_per_s).step_s / alone_s - 1.34); }, 100,
      20'000);
  hosts.gpu = static_cast<double>(resnet.batch) / with_images(on, resnet, hosts.board).step_s / 6.2;
  return hosts;
}

/// Share in % of a step's device time in kinds of ops whose FLOP per byte are below the ridge: products with what is
/// fused into them, forward and backward elementwise ops, updates, all-reduce. Kinds as in the TPU's profiler.
inline double memory_bound_share(const rp::tpu::chip& on, const rp::tpu::modelled_step& step) {
  struct kind {
    double elapsed_s = 0, flop = 0, bytes = 0;
  };
  std::map<std::pair<int, rp::pass>, kind> kinds;
  for (const rp::tpu::modelled_op& op : step.ops) {
    const bool product = op.receipt.matrix_flop > 0;
    const auto each = static_cast<double>(op.repeat);
    kind& of = kinds[{product ? 0 : op.bound == rp::tpu::bound::ici ? 1 : 2, product ? rp::pass::forward : op.pass}];
    of.elapsed_s += op.total_s();
    of.flop += each * static_cast<double>(op.receipt.flop), of.bytes += each * static_cast<double>(op.bytes);
  }
  double below_s = 0;
  for (const auto& [what, of] : kinds)
    below_s += of.flop < rp::study::detail::quoted_ridge(on) * of.bytes ? of.elapsed_s : 0;
  return 100 * below_s / step.device_s;
}

/// Compares with ParaDnn's real networks: what the host's images cost, what ops bind, and the speed against a V100.
inline rp::study::target_result compare_real_networks(const std::filesystem::path&) {
  const rp::tpu::chip& on = rp::tpu::find_chip("v2");
  rp::gpu::platform gpu = rp::study::paradnn_gpu();
  gpu.with.feed_latency_s = gpu.with.feed_s_per_value = 0;  // its images were not made by the step
  rp::study::target_result r{.lines = {}};
  struct published {
    double without_infeed = std::nan(""), over_gpu = std::nan(""), memory_bound = std::nan(""),
           all_reduce = std::nan("");
  };
  const image_hosts hosts =
      hosts_fitted_to(on, modelled(on, training_plan(rp::models::resnet_50{}, 1024 / on.cores()), on.cores()));
  const auto add = [&]<class Model>(const Model& model, rp::index_t batch, const published& theirs,
                                    const image_hosts& decode = {},
                                    rp::gpu::number_format in = rp::gpu::number_format::f16) {
    rp::tpu::chip stores = on;
    if (in == rp::gpu::number_format::f32) stores.operand_bytes = 4;
    gpu.in = in;
    const rp::compiled made = training_plan(model, batch / on.cores());
    rp::tpu::modelled_step step = modelled(stores, made, on.cores());
    if constexpr (requires { Model::label_values; })
      step = with_labels(stores, std::move(step), Model::label_values, rp::study::fed_values(made));
    step = with_images(on, std::move(step), decode.board);
    rp::index_t fitting = batch;  // on one GPU
    rp::compiled on_gpu = training_plan(model, fitting);
    while (fitting > 1 && !fits(gpu, memory_bytes(gpu, on_gpu))) on_gpu = training_plan(model, fitting /= 2);
    const rp::gpu::modelled_step gpu_step = modelled(gpu, on_gpu);
    const auto on_gpu_per_s = [&](double images_per_s) {
      return static_cast<double>(fitting) / step_with_images(gpu_step, images_per_s);
    };
    const double samples_per_s = static_cast<double>(batch) / step.step_s;
    double reduce_s = 0;
    for (const rp::tpu::modelled_op& op : step.ops)
      reduce_s += rp::study::class_of(op) == rp::study::op_class::all_reduce ? op.total_s() : 0;
    const bool fitted = std::string_view(Model::name) == rp::models::resnet_50::name;
    const rp::study::evidence basis = fitted ? rp::study::evidence::calibration : rp::study::evidence::hold_out;
    r.lines.push_back({rp::concat(Model::name, ", batch ", batch, ": samples/s gained without infeed, %"),
                       step.infeed_share() < 1e-9 ? 0 : 100 * (step.step_s / (step.device_s + step.loop_s) - 1),
                       theirs.without_infeed, rp::study::demand::none, 0, basis});
    r.lines.push_back({rp::concat(Model::name, ": TPU v2 over V100 (batch ", fitting, "), samples/s"),
                       samples_per_s / on_gpu_per_s(decode.gpu), theirs.over_gpu, rp::study::demand::none, 0, basis});
    if (fitted)
      r.lines.push_back({rp::concat(Model::name, ": TPU v2 over V100 that its feed does not limit (NVIDIA's)"),
                         samples_per_s / on_gpu_per_s(0), 4.2});
    r.lines.push_back({rp::concat(Model::name, ": device time of ops that memory or all-reduce bind, %"),
                       memory_bound_share(on, step), theirs.memory_bound});
    r.lines.push_back(
        {rp::concat(Model::name, ": of that all-reduce, %"), 100 * reduce_s / step.device_s, theirs.all_reduce});
  };
  add(rp::models::resnet_50{}, 1024, {34, 6.2, 13, 1.1}, hosts);
  constexpr rp::gpu::number_format f32 = rp::gpu::number_format::f32;  // of networks without an option of 16 bits
  add(tensorflow_tpu::squeezenet{}, 1024, {180, 6.8}, hosts, f32);
  add(tensorflow_tpu::densenet_121{}, 1024, {std::nan(""), 3}, hosts, f32);
  add(rp::models::mobilenet_v1{}, 1024, {}, hosts);
  // Images of COCO are scaled to 640 pixels: the host's time per image grows with the pixels it makes.
  const double enlarged = 640.0 * 640 / (224 * 224);
  add(tensorflow_tpu::retinanet{}, 64, {37}, {hosts.board / enlarged, hosts.gpu / enlarged}, f32);
  add(rp::models::transformer_base{}, 512, {std::nan(""), 3.5, 19.9, 3.9});
  r.note = rp::concat(
      "two constants are fitted to ResNet-50's published gain and speed: the TPU's host decodes and augments ",
      rp::figures(hosts.board, 3), " images of ImageNet per second, the V100's ", rp::figures(hosts.gpu, 3),
      " (tensorflow/models decodes with 5 threads by default); NVIDIA's feed is taken as no limit; the published speed "
      "over V100 is of TensorFlow's implementations; the Transformer's size, batch and precision on the GPU are not "
      "published");
  return r;
}

/// Compares with ParaDnn's map of memory: which fully connected networks fit a CPU of 120 GB, a V100 and a TPU.
inline rp::study::target_result compare_memory(const std::filesystem::path&) {
  const rp::gpu::platform gpu = rp::study::paradnn_gpu();
  rp::gpu::platform cpu = gpu;  // only its number format and memory matter here
  cpu.in = rp::gpu::number_format::f32, cpu.on.memory_bytes = 120'000'000'000;
  const rp::tpu::chip& tpu = rp::tpu::find_chip("v2");
  double all = 0, on_cpu = 0, on_gpu = 0, on_tpu = 0, deep = 0, deep_on_cpu_only = 0;
  std::uint64_t largest_cpu = 0, largest_gpu = 0, largest_tpu = 0;
  const sweep_grid grid = published_grid("fc", extent_of_sweep::all);
  for (const sweep_point& p : grid.points()) {
    const auto& v = p.parameters;
    const rp::study::fc_shape s{v.at("layers"), v.at("nodes"), v.at("inputs"), v.at("outputs"), p.batch};
    const bool cpu_fits = fits(cpu, fc_bytes(cpu, s)), gpu_fits = fits(gpu, fc_bytes(gpu, s)),
               tpu_fits = fits(tpu, fc_memory(s, tpu.cores()));
    const auto count = [&](bool ok, double& to, std::uint64_t& largest) {
      if (ok) to += 1, largest = std::max(largest, s.parameters());
    };
    count(cpu_fits, on_cpu, largest_cpu), count(gpu_fits, on_gpu, largest_gpu), count(tpu_fits, on_tpu, largest_tpu);
    all += 1;
    if (s.layers != 64 || s.node != 8192) continue;
    deep += 1, deep_on_cpu_only += cpu_fits && !gpu_fits && !tpu_fits ? 1 : 0;
  }
  const auto share = [&](double of) { return 100 * of / all; };
  rp::study::target_result r{.lines = {}};
  r.lines = {{"FC networks and batches that fit the CPU, %", share(on_cpu), std::nan("")},
             {"… the V100, %", share(on_gpu), std::nan("")},
             {"… the TPU v2 board, %", share(on_tpu), std::nan("")},
             {"largest on the CPU, 10⁶ parameters", 1e-6 * static_cast<double>(largest_cpu), std::nan("")},
             {"… on the V100", 1e-6 * static_cast<double>(largest_gpu), std::nan("")},
             {"… on the TPU", 1e-6 * static_cast<double>(largest_tpu), std::nan("")},
             {"networks that fit the V100 over those that fit the TPU (published: more)", on_gpu / on_tpu, std::nan(""),
              rp::study::demand::at_least, 1},
             {"64 layers of 8192: share that fits the CPU only, % (published: all)", 100 * deep_on_cpu_only / deep, 100,
              rp::study::demand::points, 1}};
  return r;
}

}  // namespace tool

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

namespace tool {

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
/// Returns "fc", "cnn" or "rnn", modelled once. Uses the convolutional networks with 1000 outputs.
inline const modelled_family& modelled_family_of(std::string_view name) {
  static std::map<std::string, modelled_family, std::less<>> all;
  if (const auto known = all.find(name); known != all.end()) return known->second;
  sweep_grid grid = published_grid(std::string(name), extent_of_sweep::all);
  if (name == "cnn")
    std::ranges::find(grid.parameters, "outputs", [](const auto& p) { return p.first; })->second = {1000};
  modelled_family made{.of = family_of(name, grid), .rows = {}};
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
/// Returns the 90th percentile of the share that is not parallel, at the largest batch.
inline double not_parallel(const modelled_family& family) {
  std::vector<double> shares;
  for (const rp::study::sweep_row& row : family.rows)
    if (row.fits && row.batch == family.of.batches.back() && !std::isnan(row.non_parallel_share))
      shares.push_back(row.non_parallel_share);
  return rp::quantile(shares, 0.9);
}

/// Compares with ParaDnn's convolutional and recurrent networks, for which only maxima are published.
inline rp::study::target_result compare_graphs(const std::filesystem::path&) {
  const rp::tpu::chip& board = rp::tpu::find_chip("v2");
  rp::study::target_result r{.lines = {}};
  const highest_of_sweep cnn = highest_of(modelled_family_of("cnn")), rnn = highest_of(modelled_family_of("rnn"));
  highest_of_sweep bottleneck;
  for (const rp::study::sweep_row& row : modelled_family_of("cnn").rows) {
    const auto& set = row.network->parameters;
    const bool has_bottlenecks = set[0].second == 1, has_64_filters = set[2].second == 64;
    if (has_bottlenecks && has_64_filters) bottleneck.add(row);
  }
  const placed_resnet resnet = model_resnet(board);
  r.lines = {
      {"CNN on 8 cores, highest, % of 180 TFLOP/s", cnn.board, 40, rp::study::demand::points, 12},
      {"the same, bottleneck blocks and 64 filters only", bottleneck.board, 40},
      {"CNN on 1 core, highest, %", cnn.one, 55, rp::study::demand::points, 12},
      {"CNN end to end, v3 over v2, twice the batch, highest", cnn.faster, 2.31, rp::study::demand::within, 0.10},
      {"RNN end to end, v3 over v2, twice the batch, highest", rnn.faster, 3.11, rp::study::demand::within, 0.20},
      {"RNN on 8 cores, highest, % (published: below 26)", rnn.board, 26},
      {"CNN, share faster on TPU v2 than on V100, % (published: all)",
       100 * static_cast<double>(cnn.faster_than_gpu) / static_cast<double>(cnn.on_both), 100,
       rp::study::demand::points, 2},
      {"RNN, TPU v2 over V100, highest (published: up to 20)", rnn.over_gpu, 20},
      {"RNN on V100, highest, % (published: below 9)", rnn.gpu, 9},
      {"ResNet-50, batch 1024 on 8 cores, images/s (published: about 3000)", resnet.images_per_s, 3000},
      {"ResNet-50, the same, % of 180 TFLOP/s", resnet.utilisation, std::nan("")}};
  r.note =
      "nothing is fitted to these; no measurements of single networks are public. The figure for RNN counts one time "
      "step of the loop, as the profiler did, or all of them: the paper does not say which";
  return r;
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
  const auto add = [&]<class Model>(const Model& model, rp::index_t batch, const published& theirs) {
    const rp::tpu::modelled_step step = modelled(on, training_plan(model, batch / on.cores()), on.cores());
    rp::index_t fitting = batch;  // on one GPU
    rp::compiled on_gpu = training_plan(model, fitting);
    while (fitting > 1 && !fits(gpu, memory_bytes(gpu, on_gpu))) on_gpu = training_plan(model, fitting /= 2);
    const double samples_per_s = static_cast<double>(batch) / step.step_s,
                 on_gpu_per_s = static_cast<double>(fitting) / modelled(gpu, on_gpu).step_s;
    double reduce_s = 0, memory_s = 0;
    for (const rp::tpu::modelled_op& op : step.ops) {
      const rp::study::op_class is = rp::study::class_of(op);
      reduce_s += is == rp::study::op_class::all_reduce ? op.total_s() : 0;
      memory_s += is == rp::study::op_class::array_bound ? 0 : op.total_s();
    }
    r.lines.push_back({rp::concat(Model::name, ", batch ", batch, ": samples/s gained without infeed, %"),
                       step.infeed_share() < 1e-9 ? 0 : 100 * (step.step_s / (step.device_s + step.loop_s) - 1),
                       theirs.without_infeed});
    r.lines.push_back({rp::concat(Model::name, ": TPU v2 over V100 (batch ", fitting, "), samples/s"),
                       samples_per_s / on_gpu_per_s, theirs.over_gpu});
    r.lines.push_back({rp::concat(Model::name, ": device time of ops that memory or all-reduce bind, %"),
                       100 * memory_s / step.device_s, theirs.memory_bound});
    r.lines.push_back(
        {rp::concat(Model::name, ": of that all-reduce, %"), 100 * reduce_s / step.device_s, theirs.all_reduce});
  };
  add(rp::models::resnet_50{}, 1024, {34, 6.2, 13, 1.1});
  add(rp::models::squeezenet{}, 1024, {180, 6.8});
  add(rp::models::densenet_121{}, 1024, {std::nan(""), 3});
  add(rp::models::mobilenet_v1{}, 1024, {});
  add(rp::models::retinanet{}, 64, {37});
  add(rp::models::transformer_base{}, 512, {std::nan(""), 3.5, 19.9, 3.9});
  r.note =
      "the model's host copies decoded images, the published one also decoded and augmented them; the published speed "
      "over V100 is of TensorFlow's implementations (ResNet-50 4.2 against NVIDIA's); the Transformer's size and batch "
      "are not published";
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

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/target.hpp>

#include "sweep_families.hpp"

namespace tool {

struct placed_resnet {
  double images_per_s = 0, utilisation = 0;
};
inline placed_resnet model_resnet(const rp::tpu::chip& on) {
  const rp::compiled plan = plan_of(rp::models::paradnn_cnn{}, rp::tpu::batch_per_core(on, 1024, on.cores()));
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

/// Compares with ParaDnn's convolutional and recurrent networks, for which only maxima are published. Uses the
/// convolutional ones with 1000 outputs.
inline rp::study::target_result compare_graphs(const std::filesystem::path&) {
  rp::study::sweep_chips chips{rp::tpu::find_chip("v2"), rp::tpu::find_chip("v3")};
  rp::study::target_result r{.lines = {}};
  highest_of_sweep cnn, bottleneck, rnn;
  const family cnns = cnn_family(extent_of_sweep::all), rnns = rnn_family(extent_of_sweep::all);
  chips.gpu = cnns.gpu;
  for (const rp::study::sweep_network& n : cnns.networks) {
    if (n.parameters.back() != std::pair<std::string, rp::index_t>("outputs", 1000)) continue;
    const bool has_bottlenecks = n.parameters.front().second == 1 && n.parameters[2].second == 64;
    for (const rp::index_t batch : cnns.batches) {
      const rp::study::sweep_row row = sweep_one(chips, n, batch);
      cnn.add(row);
      if (has_bottlenecks) bottleneck.add(row);
    }
  }
  chips.gpu = rnns.gpu;
  for (const rp::study::sweep_network& n : rnns.networks)
    for (const rp::index_t batch : rnns.batches) rnn.add(sweep_one(chips, n, batch));
  const placed_resnet resnet = model_resnet(chips.board);
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

}  // namespace tool

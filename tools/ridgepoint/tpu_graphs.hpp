// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/target.hpp>

#include "tpu_families.hpp"

namespace tool {

struct placed_resnet {
  double images_per_s = 0, utilisation = 0;
};
inline placed_resnet model_resnet(const rp::tpu::chip& on) {
  const rp::tpu::modelled_step step = place_graph(rp::models::paradnn_cnn{}, on, 1024, on.cores()).step;
  return {1024 / step.step_s, 100 * step.quoted_utilisation()};
}

/// ParaDnn's convolutional and recurrent networks, of which only maxima are published. Of the convolutional ones those
/// with 1000 outputs.
inline rp::study::target_result compare_graphs(const std::filesystem::path&) {
  const rp::study::sweep_chips chips{rp::tpu::find_chip("v2"), rp::tpu::find_chip("v3")};
  rp::study::target_result r{.lines = {}};
  const auto highest = [&](const family& f, const auto& keep) {
    double board = 0, one = 0, faster = 0;
    for (const rp::study::sweep_network& n : f.networks) {
      if (!keep(n)) continue;
      for (const rp::index_t batch : f.batches) {
        const rp::study::sweep_row row = sweep_one(chips, n, batch);
        if (row.fits) board = std::max(board, 100 * row.utilisation);
        if (!std::isnan(row.one_core_utilisation)) one = std::max(one, 100 * row.one_core_utilisation);
        if (!std::isnan(row.speed_up)) faster = std::max(faster, row.speed_up);
      }
    }
    return std::array{board, one, faster};
  };
  const auto cnn = highest(cnn_family(extent_of_sweep::all), [](const rp::study::sweep_network& n) {
    return n.parameters.back() == std::pair<std::string, rp::index_t>("outputs", 1000);
  });
  const auto bottleneck = highest(cnn_family(extent_of_sweep::all), [](const rp::study::sweep_network& n) {
    return n.parameters.front().second == 1 && n.parameters.back().second == 1000 && n.parameters[2].second == 64;
  });
  const auto rnn = highest(rnn_family(extent_of_sweep::all), [](const auto&) { return true; });
  const placed_resnet resnet = model_resnet(chips.board);
  r.lines = {{"CNN on 8 cores, highest, % of 180 TFLOP/s", cnn[0], 40, rp::study::demand::points, 12},
             {"the same, bottleneck blocks and 64 filters only", bottleneck[0], 40},
             {"CNN on 1 core, highest, %", cnn[1], 55, rp::study::demand::points, 12},
             {"CNN end to end, v3 over v2, twice the batch, highest", cnn[2], 2.31, rp::study::demand::within, 0.10},
             {"RNN end to end, v3 over v2, twice the batch, highest", rnn[2], 3.11, rp::study::demand::within, 0.20},
             {"RNN on 8 cores, highest, % (published: below 26)", rnn[0], 26},
             {"ResNet-50, batch 1024 on 8 cores, images/s (published: about 3000)", resnet.images_per_s, 3000},
             {"ResNet-50, the same, % of 180 TFLOP/s", resnet.utilisation, std::nan("")}};
  r.note =
      "nothing is fitted to these; no measurements of single networks are public. The figure for RNN counts one time "
      "step of the loop, as the profiler did, or all of them: which one the paper does not say";
  return r;
}

}  // namespace tool

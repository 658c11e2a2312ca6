// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string_view>

#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/modelled_graph.hpp>
#include <ridgepoint/study/paradnn_fc.hpp>
#include <ridgepoint/study/sweep.hpp>

#include "study_trainings.hpp"
#include "sweep_grid.hpp"

/// ParaDnn's three families of networks over its grids, and their models.
namespace tool {

using rp::study::placed_gpu_step;
using rp::study::placed_step;
using rp::study::sweep_network;

/// The networks and batches of a sweep, the name of their width, and the GPU that ParaDnn ran them on.
struct family {
  std::string name, width_name;
  std::vector<index_t> batches;
  std::vector<sweep_network> networks;
  rp::gpu::platform gpu = rp::study::paradnn_gpu();
  bool in_fp32 = false;        // activations in memory
  bool copies_images = false;  // the GPU's host does, in the GPU's number format
};

/// Models the plan of each core's share of a batch.
inline placed_step place_plan(const rp::compiled& plan, const rp::tpu::chip& on, index_t cores) {
  return {modelled(on, plan, cores), fits(on, rp::tpu::memory_of(plan))};
}

/// Models the plan of the whole batch.
inline placed_gpu_step place_plan(const rp::compiled& plan, const rp::gpu::platform& on) {
  return {modelled(on, plan), fits(on, memory_bytes(on, plan))};
}

/// Plans of the last placed network, by samples: several chips and core counts share them.
class last_plans {
 public:
  template <class Model>
  const rp::compiled& of(std::size_t number, const Model& model, index_t samples) {
    if (number != network_) plans_.clear(), network_ = number;
    const auto at = plans_.find(samples);
    return at != plans_.end() ? at->second : plans_.emplace(samples, training_plan(model, samples)).first->second;
  }

 private:
  std::size_t network_ = 0;
  std::map<index_t, rp::compiled> plans_;
};
/// Adds a network, and its models of plans from `plans`.
template <class Model>
void add_network(family& f, std::shared_ptr<last_plans> plans, sweep_network added, const Model& model) {
  const std::size_t number = f.networks.size();
  const bool fp32 = f.in_fp32;
  added.model = [=](const rp::tpu::chip& on, index_t batch, index_t cores) {
    rp::tpu::chip stores = on;
    if (fp32 && on.dtype == "bf16") stores.operand_bytes = 4;
    return place_plan(plans->of(number, model, rp::tpu::batch_per_core(on, batch, cores)), stores, cores);
  };
  added.model_gpu = [=](const rp::gpu::platform& on, index_t batch) {
    return place_plan(plans->of(number, model, batch), on);
  };
  f.networks.push_back(std::move(added));
}

inline family fc_family(const sweep_grid& grid) {
  family f{"fully connected networks", "nodes per layer", grid.batches, {}};
  for (const index_t layers : grid.values("layers"))
    for (const index_t node : grid.values("nodes"))
      for (const index_t input : grid.values("inputs"))
        for (const index_t output : grid.values("outputs")) {
          const auto shape = [=](index_t batch) { return rp::study::fc_shape{layers, node, input, output, batch}; };
          f.networks.push_back(
              {.parameters = {{"layers", layers}, {"nodes", node}, {"inputs", input}, {"outputs", output}},
               .width = node,
               .drawn = layers == 32 && input == 2000 && output == 1000,
               .model =
                   [=](const rp::tpu::chip& on, index_t batch, index_t cores) {
                     return placed_step{fc_step(on, shape(batch), cores), fits(on, fc_memory(shape(batch), cores))};
                   },
               .model_gpu =
                   [=](const rp::gpu::platform& on, index_t batch) {
                     return placed_gpu_step{fc_step(on, shape(batch)), fits(on, fc_bytes(on, shape(batch)))};
                   }});
        }
  return f;
}
inline family cnn_family(const sweep_grid& grid) {
  family f{"convolutional networks", "filters", grid.batches, {}};
  f.copies_images = true;
  // cnn.py makes one image and lets either host copy it into each batch, in 16 bits, one element after another: the
  // V100's host is given the rate of the board's.
  const rp::tpu::chip& board = rp::tpu::find_chip("v2");
  f.gpu.with.feed_s_per_value = static_cast<double>(board.operand_bytes) / board.fit.infeed_bytes_per_s;
  const auto plans = std::make_shared<last_plans>();
  for (const index_t bottleneck : grid.values("bottleneck"))
    for (const index_t blocks : grid.values("blocks"))
      for (const index_t filters : grid.values("filters"))
        for (const index_t pixels : grid.values("pixels"))
          for (const index_t outputs : grid.values("outputs")) {
            const rp::models::paradnn_cnn model{.bottleneck = bottleneck == 1,
                                                .blocks = {blocks, blocks, blocks, blocks},
                                                .filters = filters,
                                                .pixels = pixels,
                                                .outputs = outputs};
            add_network(f, plans,
                        {.parameters = {{"bottleneck", bottleneck},
                                        {"blocks", blocks},
                                        {"filters", filters},
                                        {"pixels", pixels},
                                        {"outputs", outputs}},
                         .width = filters,
                         .drawn = bottleneck == 1 && blocks == 4 && pixels == 200 && outputs == 1000},
                        model);
          }
  return f;
}
template <class Model>
void add_recurrent(family& f, const sweep_grid& grid) {
  if (std::ranges::find(grid.networks, Model::name) == grid.networks.end()) return;
  const auto plans = std::make_shared<last_plans>();
  for (const index_t layers : grid.values("layers"))
    for (const index_t width : grid.values("width"))
      for (const index_t steps : grid.values("length"))
        for (const index_t vocabulary : grid.values("vocabulary")) {
          const Model model{.layers = layers, .width = width, .vocabulary = vocabulary, .steps = steps};
          add_network(f, plans,
                      {.parameters = {{"gates", Model::gates},
                                      {"layers", layers},
                                      {"width", width},
                                      {"steps", steps},
                                      {"vocabulary", vocabulary}},
                       .width = width,
                       .drawn = Model::gates == 1 && layers == 5 && steps == 50 && vocabulary == 512},
                      model);
        }
}
inline family rnn_family(const sweep_grid& grid) {
  family f{"recurrent networks", "units", grid.batches, {}};
  f.gpu.in = rp::gpu::number_format::f32, f.in_fp32 = true;  // rnn.py has no 16-bit option
  f.gpu.with.fuses_sequences = false;                        // a loop of ops over the steps
  add_recurrent<rp::models::paradnn_rnn>(f, grid);
  add_recurrent<rp::models::paradnn_gru>(f, grid);
  add_recurrent<rp::models::paradnn_lstm>(f, grid);
  return f;
}
/// Returns the family "fc", "cnn" or "rnn" on a grid.
inline family family_of(std::string_view name, const sweep_grid& grid) {
  return name == "fc" ? fc_family(grid) : name == "cnn" ? cnn_family(grid) : rnn_family(grid);
}

}  // namespace tool

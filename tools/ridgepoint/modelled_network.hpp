// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <ridgepoint/gpu/platform.hpp>
#include <ridgepoint/graph/compiled.hpp>

namespace tool {

struct step_options;
struct trained_network;

/// The plan of a step: machines with the same batch can share it.
using shared_plan = std::shared_ptr<const ridgepoint::compiled>;

/// A network and the options of the models.
struct modelled_network {
  std::function<shared_plan(ridgepoint::index_t batch)> training;
  std::function<shared_plan(ridgepoint::index_t batch)> inference;  // for chips that only infer; may be empty
  ridgepoint::index_t batch = 1;
  std::string title;
  std::string precision;  // empty: the machine's default
  ridgepoint::gpu::software software;
  ridgepoint::index_t cores = 0;  // of a TPU; 0: as many as share the batch evenly
  ridgepoint::index_t gpus = 1;   // that share the batch
  std::string link = {};          // between them; empty: the usual one
  double fed_per_s = 0;           // samples that the host of a GPU or TPU prepares; 0: as the model's host
  std::size_t rows = 40;          // of a model's table
};

/// Returns the network with its training step; the models choose their own number formats.
[[nodiscard]] modelled_network modelled_training(const trained_network& of, const step_options& step,
                                                 const ridgepoint::gpu::software& software);
/// Adds the inference step, for chips that only infer.
void add_inference(modelled_network& network, const trained_network& of);

}  // namespace tool

// SPDX-License-Identifier: MIT
#include "modelled_network.hpp"

#include <utility>
#include <vector>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/learning.hpp>

#include "step_options.hpp"
#include "trained_network.hpp"

namespace tool {

namespace rp = ridgepoint;

namespace {

/// Returns the network with another batch, in f32.
trained_network in_f32(trained_network of, rp::index_t batch) {
  of.options.batch = batch;
  of.options.precision = rp::precision::f32;
  return of;
}

shared_plan shared(rp::compiled made) { return std::make_shared<const rp::compiled>(std::move(made)); }

}  // namespace

modelled_network modelled_training(const trained_network& of, const step_options& step,
                                   const rp::gpu::software& software) {
  modelled_network network{.training = [of](rp::index_t batch) { return shared(training_plan(in_f32(of, batch))); },
                           .inference = {},
                           .batch = of.batch,
                           .title = of.name + step.network_text(),
                           .precision = step.precision,
                           .software = software};
  if (!step.optimiser.empty()) network.title += " optimizer=" + step.optimiser;
  return network;
}

void add_inference(modelled_network& network, const trained_network& of) {
  network.inference = [of](rp::index_t batch) {
    rp::graph net(of.name);
    const std::vector<rp::objective> objectives = of.build(net);
    return shared(rp::plan_inference(net, rp::models::outputs_of(objectives), in_f32(of, batch).options));
  };
}

}  // namespace tool

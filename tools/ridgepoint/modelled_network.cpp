// SPDX-License-Identifier: MIT
#include "modelled_network.hpp"

#include <vector>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/learning.hpp>

#include "step_options.hpp"
#include "trained_network.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;

/// Returns `planned(graph, objectives, options)` of a batch.
template <class Planned>
rp::compiled plan_of(const trained_network& of, rp::index_t batch, const Planned& planned) {
  rp::compile_options options = of.options;
  options.batch = batch;
  options.precision = rp::precision::f32;
  rp::graph net(of.name);
  const std::vector<rp::objective> objectives = of.build(net);
  return planned(net, objectives, options);
}

}  // namespace

modelled_network modelled_training(const trained_network& of, const step_options& step,
                                   const rp::gpu::software& software) {
  modelled_network network{.training =
                               [of](rp::index_t batch) {
                                 return plan_of(of, batch, [&](auto& net, auto& objectives, auto& options) {
                                   return rp::plan_training(net, objectives, of.optimiser, options);
                                 });
                               },
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
    return plan_of(of, batch, [](auto& net, auto& objectives, auto& options) {
      return rp::plan_inference(net, rp::models::outputs_of(objectives), options);
    });
  };
}

}  // namespace tool

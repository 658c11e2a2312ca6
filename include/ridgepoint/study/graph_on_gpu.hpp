// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/gpu/plan.hpp>
#include <ridgepoint/gpu/step.hpp>
#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/study/modelled_graph.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

/// A compiled graph on a GPU, without running it.
///
/// Throws: unsupported if the model has no time for an op; value_error as check(platform).
/// Example:
///   const auto made = rp::plan_training(net, logits, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 128});
///   const auto step = modelled({rp::gpu::find_chip("v100"), rp::gpu::find_software("tensorflow")}, made);
template <class UserOps = type_list<>>
[[nodiscard]] modelled_step modelled(const platform& p, const compiled& made, UserOps user_ops = {}) {
  check(p);
  std::vector<modelled_op> ops;
  study::for_each_modelled<modelled_op>(p, "GPU " + p.on.name, made.plan, user_ops,
                                        [&](const planned_call& call, modelled_op op) {
                                          op.name = call.info.layer;
                                          ops.push_back(std::move(op));
                                        });
  return compose(p, std::move(ops), {.batch = made.batch, .sample_values = study::fed_values(made)});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::gpu

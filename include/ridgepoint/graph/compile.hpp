// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/compiled.hpp>
#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// An output of a network, its loss, and the weight of that loss in the sum.
struct objective {
  node output;
  any_loss loss;
  double weight = 1;
};

/// Returns the inference plan without a backend: shapes, receipts and memory. `others`: more outputs; parameters are
/// laid out in memory as in a training plan of all outputs.
/// Throws: value_error if there is no output, one is not of this graph or batch < 1; shape_error if an extent does not
/// fit.
[[nodiscard]] compiled plan_inference(const graph& net, std::span<const node> outputs,
                                      const compile_options& options = {}, std::span<const objective> others = {});
[[nodiscard]] compiled plan_inference(const graph& net, const node& output, const compile_options& options = {},
                                      std::span<const objective> others = {});
/// Returns the plan of a session, which owns its parameters; they change only between runs. Unless options.fold is off,
/// or the stored type is bfloat16 or float16: a batch normalisation that is the only reader of a convolution or dense
/// layer is folded into its filter and bias whenever parameters change (fold_batch_norm()); a sum that is the only
/// reader of a convolution, the later of its two inputs, is computed there, with the activation that follows.
/// Throws: as plan_inference().
[[nodiscard]] compiled plan_session(const graph& net, std::span<const node> outputs,
                                    const compile_options& options = {});
/// Returns the evaluation plan: forward pass and losses.
[[nodiscard]] compiled plan_evaluation(const graph& net, std::span<const objective> objectives,
                                       const compile_options& options = {});
[[nodiscard]] compiled plan_evaluation(const graph& net, const node& output, const any_loss& loss,
                                       const compile_options& options = {});
/// Returns the plan of a training step: forward, losses, backward and update.
/// Throws: value_error if there is no objective or no trainable parameter, or for an option out of its domain.
/// Example:
///   const auto made = rp::plan_training(net, logits, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 128});
///   made.plan.receipt().matrix_flop / 128                     // training FLOP per sample, nothing executed
[[nodiscard]] compiled plan_training(const graph& net, std::span<const objective> objectives,
                                     const any_optimiser& optimiser, const compile_options& options = {});
[[nodiscard]] compiled plan_training(const graph& net, const node& output, const any_loss& loss,
                                     const any_optimiser& optimiser, const compile_options& options = {});

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/compile-inl.hpp>
#endif

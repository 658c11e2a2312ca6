// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/graph/layers/convolution.hpp>
#include <ridgepoint/graph/layers/dense.hpp>
#include <ridgepoint/graph/layers/elementwise.hpp>
#include <ridgepoint/graph/layers/normalisation.hpp>
#include <ridgepoint/graph/layers/pooling.hpp>
#include <ridgepoint/graph/plan_builder.hpp>
#include <ridgepoint/ops/fold_batch_norm.hpp>

/// \file
/// Passes over a graph: fusions of layers for inference, the exchange of an activation with the max pooling after it,
/// and the topological order of nodes.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Returns the layer with a bias, ready to fold the batch normalisation that follows: its filter has a column for every
/// channel of its output, and it applies no activation.
[[nodiscard]] std::optional<any_layer> ready_to_fold(const any_layer& layer, const any_layer& next);
/// Returns true if the layer can add the other input of the sum that follows to its output.
[[nodiscard]] bool takes_residual(const any_layer& layer, const any_layer& next);

/// Filter and bias of a layer with a folded batch normalisation.
struct folded_parameters {
  slot w, bias;
};
/// Emits the call that folds a batch normalisation with these parameters (gamma, beta, mean and variance) whenever they
/// change. `plain`: the filter, and the bias if there is one.
[[nodiscard]] folded_parameters fold_for_parameters(plan_builder& builder, const std::string& layer,
                                                    const any_layer& norm, index_t channels,
                                                    std::span<const slot> plain, std::span<const slot> of_norm);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// Exchanges an activation with the max pooling after it, so that the activation and its gradient run on the pooled
// map.
//
//   max(f(x₁), f(x₂), …) = f(max(x₁, x₂, …)) for every nondecreasing f.
//
// If two values are equal after f but not before, another one may be selected as the largest. Gradients are unchanged
// if f' is 0 there, as for relu and relu6.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// An equivalent pair of layers.
struct exchanged {
  std::optional<any_layer> first;  // none: second does all
  any_layer second;
};
/// Returns `layer` without its activation and the max pooling `next` with it; or none for other layers.
[[nodiscard]] std::optional<exchanged> pool_first(const any_layer& layer, const any_layer& next);

/// Nodes of a graph in topological order, and the number of reads of every node; each use as an output counts as one
/// read.
struct node_order {
  std::vector<int> sorted, uses;
};

/// Returns the order of the outputs and all that they depend on.
[[nodiscard]] node_order order_of(const graph& net, const std::vector<int>& outputs);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/graph_passes-inl.hpp>
#endif

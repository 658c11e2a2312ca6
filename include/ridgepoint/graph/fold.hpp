// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/add.hpp>
#include <ridgepoint/graph/layers/batch_norm.hpp>
#include <ridgepoint/graph/layers/conv2d.hpp>
#include <ridgepoint/graph/layers/dense.hpp>
#include <ridgepoint/graph/layers/depthwise_conv2d.hpp>
#include <ridgepoint/graph/plan_builder.hpp>
#include <ridgepoint/ops/fold_batch_norm.hpp>

/// \file
/// What layers that only answer can do beside their own work.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The layer with a bias, into which the batch normalisation that follows can be folded: its filter has a column for
/// every channel of its output, and it applies no activation.
[[nodiscard]] std::optional<any_layer> ready_to_fold(const any_layer& layer, const any_layer& next);
/// Whether the layer can add the other input of the sum that follows to its output.
[[nodiscard]] bool takes_residual(const any_layer& layer, const any_layer& next);

/// Filter and bias of a layer, with a batch normalisation in them.
struct folded_parameters {
  slot w, bias;
};
/// Emits what folds a batch normalisation of these parameters, gamma, beta, mean and variance, whenever they have been
/// changed. `plain`: the filter, and the bias if there is one.
[[nodiscard]] folded_parameters fold_for_parameters(plan_builder& builder, const std::string& layer,
                                                    const any_layer& norm, index_t channels,
                                                    std::span<const slot> plain, std::span<const slot> of_norm);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/fold-inl.hpp>
#endif

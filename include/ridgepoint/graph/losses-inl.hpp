// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/ops/detection.hpp>
#include <ridgepoint/ops/softmax_cross_entropy.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace nn {

RIDGEPOINT_DEFINITION index_t softmax_cross_entropy::targets(const shape& sample) const {
  require<shape_error>(sample.rank() >= 1, "softmax_cross_entropy: output is ", sample,
                       "; must have an extent, the classes");
  return sample.size() / sample[-1];
}
RIDGEPOINT_DEFINITION void softmax_cross_entropy::check_labels(std::span<const std::int32_t> labels,
                                                               const shape& sample) const {
  ridgepoint::check_labels(labels.data(), static_cast<index_t>(labels.size()), sample[-1], ignored.value_or(no_label));
}
RIDGEPOINT_DEFINITION void softmax_cross_entropy::lower(const loss_slots& to) const {
  const index_t classes = to.output_shape[-1], rows = to.output_shape.size() / classes;
  to.builder->add_call({.layer = std::string(name), .shape = to_string(to.output_shape)},
                       [=, logits = to.output, labels = to.target, gradient = to.gradient, state = to.state,
                        weight = to.weight, skipped = ignored.value_or(no_label)](const addresses& at) {
                         return softmax_cross_entropy_args<stored>{.logits = {at(logits), rows, classes},
                                                                   .labels = at(labels),
                                                                   .dlogits = {at(gradient), rows, classes},
                                                                   .state = at(state),
                                                                   .weight = weight,
                                                                   .ignored = skipped};
                       });
}

RIDGEPOINT_DEFINITION void mse::lower(const loss_slots& to) const { lower_named(name, to); }

RIDGEPOINT_DEFINITION void binary_cross_entropy::lower(const loss_slots& to) const { lower_named(name, to); }

RIDGEPOINT_DEFINITION index_t detection::targets(const shape& sample) const {
  require<shape_error>(classes >= 1 && sample.size() % checked_add(classes, 4) == 0, "detection: output is ", sample,
                       " for ", classes, " classes; must have a logit for each and 4 numbers for every anchor");
  return sample.size();
}
RIDGEPOINT_DEFINITION void detection::lower(const loss_slots& to) const {
  const index_t samples = to.output_shape[0], anchors = to.output_shape.size() / samples / (classes + 4);
  const detection_options options{.alpha = alpha, .delta = delta, .box_weight = box_weight};
  to.builder->add_call({.layer = std::string(name), .shape = to_string(to.output_shape)},
                       [=, logits = anchors * classes, y = to.output, t = to.target, dy = to.gradient, state = to.state,
                        weight = to.weight](const addresses& at) {
                         return detection_args<stored>{.options = options,
                                                       .samples = samples,
                                                       .logits = logits,
                                                       .boxes = 4 * anchors,
                                                       .y = at(y),
                                                       .target = at(t),
                                                       .dy = at(dy),
                                                       .state = at(state),
                                                       .weight = weight};
                       });
}

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

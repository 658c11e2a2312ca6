// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/lowering.hpp>
#include <ridgepoint/ops/binary_cross_entropy.hpp>
#include <ridgepoint/ops/mse.hpp>
#include <ridgepoint/ops/softmax_cross_entropy.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The slots a loss is lowered over: it reads `output` and `target`, writes the state's loss and, while training,
/// `gradient` (which does not exist otherwise).
template <scalar T, class Target>
struct loss_slots {
  plan_builder* builder;
  shape output_shape;  // with the batch
  slot<T> output, gradient;
  slot<Target> target;
  slot<step_state> state;
};

/// A loss is plain data with a name, the type and number of its targets, a check of targets in host memory, and a
/// lowering.
template <class L, class T>
concept loss_for = requires(const L& l, const shape& sample, std::span<const typename L::template target<T>> targets,
                            const loss_slots<T, typename L::template target<T>>& slots) {
  { L::name } -> std::convertible_to<std::string_view>;
  { l.targets(sample) } -> std::same_as<index_t>;  // per sample; throws shape_error for an output it can not judge
  l.check_targets(targets, sample);                // throws value_error
  l.lower(slots);
};

namespace nn {

/// −ln softmax(logits)[label] along the innermost extent, mean over all others; one class number each as label.
struct softmax_cross_entropy {
  static constexpr std::string_view name = "softmax_cross_entropy";
  template <scalar T>
  using target = std::int32_t;

  [[nodiscard]] index_t targets(const shape& sample) const {
    require<shape_error>(sample.rank() >= 1, "softmax_cross_entropy: output is ", sample,
                         "; must have an extent, the classes");
    return sample.size() / sample[-1];
  }
  void check_targets(std::span<const std::int32_t> labels, const shape& sample) const {
    check_labels(labels.data(), static_cast<index_t>(labels.size()), sample[-1]);
  }
  template <scalar T>
  void lower(const loss_slots<T, std::int32_t>& to) const {
    const index_t classes = to.output_shape[-1], rows = to.output_shape.size() / classes;
    to.builder->emit(
        {.layer = std::string(name), .shape = to_string(to.output_shape)},
        [=, logits = to.output, labels = to.target, gradient = to.gradient, state = to.state](const addresses& at) {
          return softmax_cross_entropy_args<T>{.logits = {at(logits), rows, classes},
                                               .labels = at(labels),
                                               .dlogits = {at(gradient), rows, classes},
                                               .state = at(state)};
        });
  }
};

/// What the losses that compare every output with a target share.
template <template <class> class Args>
struct pointwise_loss {
  template <scalar T>
  using target = T;

  [[nodiscard]] index_t targets(const shape& sample) const { return sample.size(); }
  template <scalar T>
  void check_targets(std::span<const T>, const shape&) const {}

 protected:
  template <scalar T>
  static void lower_named(std::string_view name, const loss_slots<T, T>& to) {
    to.builder->emit({.layer = std::string(name), .shape = to_string(to.output_shape)},
                     [size = to.output_shape.size(), y = to.output, t = to.target, dy = to.gradient,
                      state = to.state](const addresses& at) {
                       return Args<T>{.y = at(y), .target = at(t), .dy = at(dy), .size = size, .state = at(state)};
                     });
  }
};

/// Mean of (y − target)² over batch and elements.
struct mse : pointwise_loss<mse_args> {
  static constexpr std::string_view name = "mse";
  template <scalar T>
  void lower(const loss_slots<T, T>& to) const {
    lower_named(name, to);
  }
};

/// Mean cross-entropy of logits and targets in [0, 1].
struct binary_cross_entropy : pointwise_loss<binary_cross_entropy_args> {
  static constexpr std::string_view name = "binary_cross_entropy";
  template <scalar T>
  void lower(const loss_slots<T, T>& to) const {
    lower_named(name, to);
  }
};

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

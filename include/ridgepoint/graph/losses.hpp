// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <memory>
#include <optional>

#include <ridgepoint/graph/lowering.hpp>
#include <ridgepoint/ops/binary_cross_entropy.hpp>
#include <ridgepoint/ops/mse.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The slots a loss is lowered over: it reads `output` and `target`, writes the state's loss and, in training,
/// `gradient` (which does not exist otherwise).
struct loss_slots {
  plan_builder* builder;
  shape output_shape;  // with the batch
  slot output, gradient, target, state;
  double weight = 1;  // of the gradient
};

/// A loss is plain copyable data with a name, the type of its targets (element::i32: labels; element::stored: numbers)
/// and their count, and a lowering. A loss of labels also checks them in host memory: check_labels(labels, sample). A
/// loss of numbers that counts correct outputs sets counts_correct.
template <class L>
concept loss = std::copyable<L> && requires(const L& l, const shape& sample, const loss_slots& at) {
  { L::name } -> std::convertible_to<std::string_view>;
  { L::target } -> std::convertible_to<element>;
  { l.targets(sample) } -> std::same_as<index_t>;  // per sample; throws shape_error for an unsupported output
  l.lower(at);
};

/// Any loss, held by value.
class any_loss {
 public:
  template <class L>
    requires(!std::same_as<L, any_loss>)
  &&loss<L> any_loss(L l) : self_(std::make_shared<const model<L>>(std::move(l))) {}

  [[nodiscard]] std::string_view name() const { return self_->name(); }
  [[nodiscard]] element target() const { return self_->target(); }
  [[nodiscard]] index_t targets(const shape& sample) const { return self_->targets(sample); }
  /// Returns true if each target is judged right or wrong, as labels are.
  [[nodiscard]] bool counts_correct() const { return self_->counts_correct(); }
  /// Throws: value_error for a label out of range.
  void check_labels(std::span<const std::int32_t> labels, const shape& sample) const {
    self_->check_labels(labels, sample);
  }
  void lower(const loss_slots& to) const { self_->lower(to); }

 private:
  struct erased {
    virtual ~erased() = default;
    virtual std::string_view name() const = 0;
    virtual element target() const = 0;
    virtual index_t targets(const shape&) const = 0;
    virtual bool counts_correct() const = 0;
    virtual void check_labels(std::span<const std::int32_t>, const shape&) const = 0;
    virtual void lower(const loss_slots&) const = 0;
  };
  template <class L>
  struct model final : erased {
    explicit model(L l) : held(std::move(l)) {}
    std::string_view name() const override { return L::name; }
    element target() const override { return L::target; }
    index_t targets(const shape& sample) const override { return held.targets(sample); }
    bool counts_correct() const override {
      if constexpr (requires { L::counts_correct; }) return L::counts_correct;
      else return L::target == element::i32;
    }
    void check_labels(std::span<const std::int32_t> labels, const shape& sample) const override {
      if constexpr (requires { held.check_labels(labels, sample); }) held.check_labels(labels, sample);
    }
    void lower(const loss_slots& to) const override { held.lower(to); }
    L held;
  };
  std::shared_ptr<const erased> self_;
};

namespace nn {

/// −ln softmax(logits)[label] along the innermost extent, mean over all others; each label is one class number. Rows
/// with label `ignored` (padding of sequences) count neither in the mean nor in the accuracy, and have no gradient:
/// PyTorch's ignore_index, a Keras mask. Each micro-batch has its own mean.
/// Example: nn::softmax_cross_entropy{.ignored = -1}
struct softmax_cross_entropy {
  static constexpr std::string_view name = "softmax_cross_entropy";
  static constexpr element target = element::i32;
  std::optional<std::int32_t> ignored = {};

  [[nodiscard]] index_t targets(const shape& sample) const;
  void check_labels(std::span<const std::int32_t> labels, const shape& sample) const;
  void lower(const loss_slots& to) const;
};

/// Common part of the losses that compare every output with a target.
template <class Args>
struct pointwise_loss {
  static constexpr element target = element::stored;

  [[nodiscard]] index_t targets(const shape& sample) const { return sample.size(); }

 protected:
  static void lower_named(std::string_view name, const loss_slots& to) {
    to.builder->add_call(
        {.layer = std::string(name), .shape = to_string(to.output_shape)},
        [size = to.output_shape.size(), y = to.output, t = to.target, dy = to.gradient, state = to.state,
         weight = to.weight](const addresses& at) {
          return Args{.y = at(y), .target = at(t), .dy = at(dy), .size = size, .state = at(state), .weight = weight};
        });
  }
};

/// Mean of (y − target)² over batch and elements.
struct mse : pointwise_loss<mse_args<stored>> {
  static constexpr std::string_view name = "mse";
  void lower(const loss_slots& to) const;
};

/// Mean cross-entropy of logits and targets in [0, 1]. A logit y counts as
/// correct for a target t if (y > 0) = (t > 1/2).
struct binary_cross_entropy : pointwise_loss<binary_cross_entropy_args<stored>> {
  static constexpr std::string_view name = "binary_cross_entropy";
  static constexpr bool counts_correct = true;
  void lower(const loss_slots& to) const;
};

/// Detection loss over anchors: the focal loss of `classes` logits per anchor, then the Huber loss of four box numbers
/// per anchor, mean over the batch. The logits of all anchors come first. Targets are 1 for a present class, else 0,
/// and NaN for no box.
/// Example: nn::detection{.classes = 91, .box_weight = 50}
struct detection {
  static constexpr std::string_view name = "detection";
  static constexpr element target = element::stored;
  index_t classes = 1;
  double alpha = 0.25, delta = 0.1, box_weight = 1;  // as in detection_options

  [[nodiscard]] index_t targets(const shape& sample) const;
  void lower(const loss_slots& to) const;
};

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_loss::model<nn::softmax_cross_entropy>;
RIDGEPOINT_EXTERN template struct any_loss::model<nn::mse>;
RIDGEPOINT_EXTERN template struct any_loss::model<nn::binary_cross_entropy>;
RIDGEPOINT_EXTERN template struct any_loss::model<nn::detection>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/losses-inl.hpp>
#endif

// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <concepts>
#include <memory>
#include <optional>
#include <span>

#include <ridgepoint/graph/lowering.hpp>
#include <ridgepoint/graph/schedules.hpp>
#include <ridgepoint/ops/adadelta.hpp>
#include <ridgepoint/ops/adam.hpp>
#include <ridgepoint/ops/momentum.hpp>
#include <ridgepoint/ops/rmsprop_keras.hpp>
#include <ridgepoint/ops/rmsprop_tf1.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What an optimiser remembers per weight: a vector's name and what it is filled with at first.
struct moment {
  std::string_view name;
  double initial = 0;
  bool is_square = false;  // a mean of squares, of which the root is taken: a checkpoint where it is < 0 is refused
};

/// What one update works on, in backend memory: `size` weights of one layer, their gradient and the moments. An
/// optimiser hands the rule, and which rows have a gradient, on to its op.
struct update_operands {
  index_t size;
  address w, g;
  std::array<address, 2> moments;
  address state;
  update_rule rule;
  listed_rows listed;
};

/// The same as slots.
struct update_slots {
  plan_builder* builder;
  std::string layer;
  index_t size;
  slot weights, gradient;
  std::array<slot, 2> moments;
  slot state;
  update_rule rule;
  slot rows = {};                   // which have a gradient, where not all have
  index_t listed = 0, columns = 0;  // how many are listed, and how long they are

  /// Appends the op whose arguments make(update_operands) returns.
  template <class Make>
  void add_call(Make make) const {
    const std::string shape = rows.exists() ? concat(listed, " of ", size / columns, 'x', columns) : concat(size);
    builder->add_call({.layer = layer, .pass = pass::update, .shape = shape},
                      [make, n = size, w = weights, g = gradient, m = moments, s = state, r = rule, i = rows,
                       count = listed, width = columns](const addresses& at) {
                        return make(update_operands{.size = n,
                                                    .w = at(w),
                                                    .g = at(g),
                                                    .moments = {at(m[0]), at(m[1])},
                                                    .state = at(s),
                                                    .rule = r,
                                                    .listed = {.rows = at(i), .count = count, .width = width}});
                      });
  }
};

/// An optimiser is plain copyable data with a name, a learning rate, up to two moments, and a lowering; and, where it
/// has them, a schedule of the rate and a weight decay, which is part of the gradient unless it says `decoupled`.
template <class O>
concept optimiser = std::copyable<O> && requires(const O& o, const update_slots& at) {
  { O::name } -> std::convertible_to<std::string_view>;
  { o.learning_rate } -> std::convertible_to<double>;
  requires O::moments.size() <= 2;
  o.lower(at);
};

/// Any optimiser, held by value.
class any_optimiser {
 public:
  template <class O>
    requires(!std::same_as<O, any_optimiser>)
  &&optimiser<O> any_optimiser(O o) : self_(std::make_shared<const model<O>>(std::move(o))) {}

  [[nodiscard]] std::string_view name() const { return self_->name(); }
  [[nodiscard]] double learning_rate() const { return self_->learning_rate(); }
  [[nodiscard]] std::span<const moment> moments() const { return self_->moments(); }
  /// Constant if it has none.
  [[nodiscard]] rate_schedule schedule() const { return self_->schedule(); }
  /// With its weight decay, or with another one.
  [[nodiscard]] update_rule rule(std::optional<double> weight_decay = {}) const { return self_->rule(weight_decay); }
  void lower(const update_slots& to) const { self_->lower(to); }

 private:
  struct erased {
    virtual ~erased() = default;
    virtual std::string_view name() const = 0;
    virtual double learning_rate() const = 0;
    virtual std::span<const moment> moments() const = 0;
    virtual rate_schedule schedule() const = 0;
    virtual update_rule rule(std::optional<double>) const = 0;
    virtual void lower(const update_slots&) const = 0;
  };
  template <class O>
  struct model final : erased {
    explicit model(O o) : held(std::move(o)) {}
    std::string_view name() const override { return O::name; }
    double learning_rate() const override { return held.learning_rate; }
    std::span<const moment> moments() const override { return O::moments; }
    rate_schedule schedule() const override {
      if constexpr (requires { rate_schedule(held.schedule); }) return held.schedule;
      else return {};
    }
    update_rule rule(std::optional<double> weight_decay) const override {
      if constexpr (requires { held.weight_decay; })
        if (!weight_decay) weight_decay = held.weight_decay;
      const double decay = weight_decay.value_or(0);
      if constexpr (requires { O::decoupled; }) return {.decoupled_weight_decay = decay};
      else return {.weight_decay = decay};
    }
    void lower(const update_slots& to) const override { held.lower(to); }
    O held;
  };
  std::shared_ptr<const erased> self_;
};

namespace nn {

/// w ← w − rate·g
struct sgd {
  static constexpr std::string_view name = "sgd";
  static constexpr std::array<moment, 0> moments{};
  double learning_rate = 0.01;
  rate_schedule schedule = {};
  double weight_decay = 0;

  void lower(const update_slots& to) const;
};

/// a ← momentum·a + g, w ← w − rate·a
struct momentum {
  static constexpr std::string_view name = "momentum";
  static constexpr std::array<moment, 1> moments{{{"a"}}};
  double learning_rate = 0.01;
  momentum_options options = {};
  rate_schedule schedule = {};
  double weight_decay = 0;

  void lower(const update_slots& to) const;
};

/// RMSProp as Keras has it: ε outside the root.
struct rmsprop_keras {
  static constexpr std::string_view name = "rmsprop_keras";
  static constexpr std::array<moment, 1> moments{{{.name = "a", .is_square = true}}};
  double learning_rate = 0.001;
  rmsprop_keras_options options = {};
  rate_schedule schedule = {};
  double weight_decay = 0;

  void lower(const update_slots& to) const;
};

/// RMSProp as TensorFlow 1 has it: ε inside the root, the mean square starts at one.
struct rmsprop_tf1 {
  static constexpr std::string_view name = "rmsprop_tf1";
  static constexpr std::array<moment, 2> moments{{{.name = "ms", .initial = 1, .is_square = true}, {"mom"}}};
  double learning_rate = 0.001;
  rmsprop_tf1_options options = {};
  rate_schedule schedule = {};
  double weight_decay = 0;

  void lower(const update_slots& to) const;
};

/// Adam as Keras has it.
struct adam {
  static constexpr std::string_view name = "adam";
  static constexpr std::array<moment, 2> moments{{{"m"}, {.name = "v", .is_square = true}}};
  double learning_rate = 0.001;
  adam_options options = {};
  rate_schedule schedule = {};
  double weight_decay = 0;

  void lower(const update_slots& to) const;
};

/// Adam with weight decay beside the gradient: w ← w − rate·weight_decay·w, which the moments do not see.
struct adamw {
  static constexpr std::string_view name = "adamw";
  static constexpr std::array<moment, 2> moments = adam::moments;
  static constexpr bool decoupled = true;
  double learning_rate = 0.001;
  adam_options options = {};
  rate_schedule schedule = {};
  double weight_decay = 0.01;

  void lower(const update_slots& to) const;
};

/// Adadelta as Keras has it.
struct adadelta {
  static constexpr std::string_view name = "adadelta";
  static constexpr std::array<moment, 2> moments{{{.name = "a", .is_square = true}, {.name = "d", .is_square = true}}};
  double learning_rate = 1.0;
  adadelta_options options = {};
  rate_schedule schedule = {};
  double weight_decay = 0;

  void lower(const update_slots& to) const;
};

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_optimiser::model<nn::sgd>;
RIDGEPOINT_EXTERN template struct any_optimiser::model<nn::momentum>;
RIDGEPOINT_EXTERN template struct any_optimiser::model<nn::rmsprop_keras>;
RIDGEPOINT_EXTERN template struct any_optimiser::model<nn::rmsprop_tf1>;
RIDGEPOINT_EXTERN template struct any_optimiser::model<nn::adam>;
RIDGEPOINT_EXTERN template struct any_optimiser::model<nn::adamw>;
RIDGEPOINT_EXTERN template struct any_optimiser::model<nn::adadelta>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/optimisers-inl.hpp>
#endif

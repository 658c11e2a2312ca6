// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <concepts>
#include <memory>
#include <optional>
#include <span>

#include <ridgepoint/graph/lowering.hpp>
#include <ridgepoint/ops/adadelta.hpp>
#include <ridgepoint/ops/adam.hpp>
#include <ridgepoint/ops/momentum.hpp>
#include <ridgepoint/ops/rate_schedule.hpp>
#include <ridgepoint/ops/rmsprop_keras.hpp>
#include <ridgepoint/ops/rmsprop_tf1.hpp>

/// \file
/// Optimisers, and learning-rate schedules by name for their `schedule`. One update is one step; every schedule may
/// begin with a linear warm-up, after which its own steps count from 0. Formulas: ops/rate_schedule.hpp.
/// Example:
///   nn::adam{.learning_rate = 1e-3, .schedule = nn::cosine_decay{.steps = 10'000, .warm_up_steps = 500}}
namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Linear from learning_rate / steps to learning_rate, then constant.
struct warm_up {
  index_t steps = 0;
  constexpr operator rate_schedule() const noexcept { return {.warm_up_steps = steps}; }
};

/// Multiplies the rate by `factor` every `every_steps` steps.
struct step_decay {
  index_t every_steps = 1;
  double factor = 0.1;
  index_t warm_up_steps = 0;
  constexpr operator rate_schedule() const noexcept {
    return {.decay = rate_schedule::form::step, .warm_up_steps = warm_up_steps, .steps = every_steps, .factor = factor};
  }
};

/// Multiplies the rate by `factor` at each of up to four steps.
/// Example: nn::piecewise_decay{.boundaries = {40'000, 60'000, 80'000}}
struct piecewise_decay {
  std::array<index_t, 4> boundaries = {};  // 0: none
  double factor = 0.1;
  index_t warm_up_steps = 0;
  constexpr operator rate_schedule() const noexcept {
    return {.decay = rate_schedule::form::piecewise,
            .warm_up_steps = warm_up_steps,
            .factor = factor,
            .boundaries = boundaries};
  }
};

/// Continuous form of step_decay: by `factor` over `every_steps` steps.
struct exponential_decay {
  index_t every_steps = 1;
  double factor = 0.96;
  index_t warm_up_steps = 0;
  constexpr operator rate_schedule() const noexcept {
    return {.decay = rate_schedule::form::exponential,
            .warm_up_steps = warm_up_steps,
            .steps = every_steps,
            .factor = factor};
  }
};

/// Half a cosine from learning_rate to `end`·learning_rate over `steps` steps, then constant.
struct cosine_decay {
  index_t steps = 1;
  double end = 0;
  index_t warm_up_steps = 0;
  constexpr operator rate_schedule() const noexcept {
    return {.decay = rate_schedule::form::cosine, .warm_up_steps = warm_up_steps, .steps = steps, .factor = end};
  }
};

/// learning_rate / (1 + decay·step)
struct inverse_time_decay {
  double decay = 0;
  index_t warm_up_steps = 0;
  constexpr operator rate_schedule() const noexcept {
    return {.decay = rate_schedule::form::inverse_time, .warm_up_steps = warm_up_steps, .factor = decay};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A moment vector of an optimiser, one value per weight: its name and initial value.
struct moment {
  std::string_view name;
  double initial = 0;
  bool is_square = false;  // a mean of squares, whose root is taken: a checkpoint with a value < 0 is refused
};

/// Operands of one update, in backend memory: `size` weights of one layer, their gradient and the moments. An optimiser
/// passes the rule, and the list of rows with a gradient, to its op.
struct update_operands {
  index_t size;
  address w, g;
  std::array<address, 2> moments;
  address state;
  update_rule rule;
  listed_rows listed;
};

/// Operands of an update, as slots.
struct update_slots {
  plan_builder* builder;
  std::string layer;
  index_t size;
  slot weights, gradient;
  std::array<slot, 2> moments;
  slot state;
  update_rule rule;
  slot rows = {};                   // rows with a gradient, unless all have one
  index_t listed = 0, columns = 0;  // number of listed rows, and their length

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

/// An optimiser is plain copyable data with a name, a learning rate, up to two moments, and a lowering. Optional: a
/// schedule of the rate, and a weight decay, which is part of the gradient unless `decoupled` is set.
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
  /// Constant if the optimiser has none.
  [[nodiscard]] rate_schedule schedule() const { return self_->schedule(); }
  /// Returns the rule with the optimiser's weight decay, or with another one.
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

/// RMSProp as in Keras: ε outside the root.
struct rmsprop_keras {
  static constexpr std::string_view name = "rmsprop_keras";
  static constexpr std::array<moment, 1> moments{{{.name = "a", .is_square = true}}};
  double learning_rate = 0.001;
  rmsprop_keras_options options = {};
  rate_schedule schedule = {};
  double weight_decay = 0;

  void lower(const update_slots& to) const;
};

/// RMSProp as in TensorFlow 1: ε inside the root, the mean square starts at one.
struct rmsprop_tf1 {
  static constexpr std::string_view name = "rmsprop_tf1";
  static constexpr std::array<moment, 2> moments{{{.name = "ms", .initial = 1, .is_square = true}, {"mom"}}};
  double learning_rate = 0.001;
  rmsprop_tf1_options options = {};
  rate_schedule schedule = {};
  double weight_decay = 0;

  void lower(const update_slots& to) const;
};

/// Adam as in Keras.
struct adam {
  static constexpr std::string_view name = "adam";
  static constexpr std::array<moment, 2> moments{{{"m"}, {.name = "v", .is_square = true}}};
  double learning_rate = 0.001;
  adam_options options = {};
  rate_schedule schedule = {};
  double weight_decay = 0;

  void lower(const update_slots& to) const;
};

/// Adam with decoupled weight decay: w ← w − rate·weight_decay·w, which does not enter the moments.
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

/// Adadelta as in Keras.
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

// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/graph/lowering.hpp>
#include <ridgepoint/graph/schedules.hpp>
#include <ridgepoint/ops/adadelta.hpp>
#include <ridgepoint/ops/adam.hpp>
#include <ridgepoint/ops/momentum.hpp>
#include <ridgepoint/ops/rmsprop_keras.hpp>
#include <ridgepoint/ops/rmsprop_tf1.hpp>
#include <ridgepoint/ops/sgd.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What an optimiser remembers per weight: a vector's name and what it is filled with at first.
struct moment {
  std::string_view name;
  double initial = 0;
};

/// What one update works on, in backend memory: `size` weights of one layer, their gradient and the moments.
template <scalar T>
struct update_operands {
  index_t size;
  T* w;
  const T* g;
  std::array<T*, 2> moments;
  const step_state* state;
};

/// The same as slots.
template <scalar T>
struct update_slots {
  plan_builder* builder;
  std::string layer;
  index_t size;
  slot<T> weights, gradient;
  std::array<slot<T>, 2> moments;
  slot<step_state> state;

  /// Appends the op whose arguments make(update_operands) returns.
  template <class Make>
  void emit(Make make) const {
    builder->emit({.layer = layer, .pass = pass::update, .shape = concat(size)},
                  [make, n = size, w = weights, g = gradient, m = moments, s = state](const addresses& at) {
                    return make(update_operands<T>{
                        .size = n, .w = at(w), .g = at(g), .moments = {at(m[0]), at(m[1])}, .state = at(s)});
                  });
  }
};

/// An optimiser is plain data with a name, a learning rate, up to two moments, and a lowering; and, where it has one, a
/// schedule of the rate.
template <class O, class T>
concept optimiser_for = requires(const O& o, const update_slots<T>& slots) {
  { O::name } -> std::convertible_to<std::string_view>;
  { o.learning_rate } -> std::convertible_to<double>;
  requires O::moments.size() <= 2;
  o.lower(slots);
};

/// The optimiser's schedule; constant if it has none.
template <class Optimiser>
[[nodiscard]] rate_schedule schedule_of(const Optimiser& o) {
  if constexpr (requires { rate_schedule(o.schedule); }) return o.schedule;
  else return {};
}

namespace nn {

/// w ← w − rate·g
struct sgd {
  static constexpr std::string_view name = "sgd";
  static constexpr std::array<moment, 0> moments{};
  double learning_rate = 0.01;
  rate_schedule schedule = {};

  template <scalar T>
  void lower(const update_slots<T>& to) const {
    to.emit([](const update_operands<T>& u) {
      return sgd_update_args<T>{.size = u.size, .w = u.w, .g = u.g, .state = u.state};
    });
  }
};

/// a ← momentum·a + g, w ← w − rate·a
struct momentum {
  static constexpr std::string_view name = "momentum";
  static constexpr std::array<moment, 1> moments{{{"a"}}};
  double learning_rate = 0.01;
  momentum_options options = {};
  rate_schedule schedule = {};

  template <scalar T>
  void lower(const update_slots<T>& to) const {
    to.emit([o = options](const update_operands<T>& u) {
      return momentum_update_args<T>{
          .options = o, .size = u.size, .w = u.w, .g = u.g, .a = u.moments[0], .state = u.state};
    });
  }
};

/// RMSProp as Keras has it: ε outside the root.
struct rmsprop_keras {
  static constexpr std::string_view name = "rmsprop_keras";
  static constexpr std::array<moment, 1> moments{{{"a"}}};
  double learning_rate = 0.001;
  rmsprop_keras_options options = {};
  rate_schedule schedule = {};

  template <scalar T>
  void lower(const update_slots<T>& to) const {
    to.emit([o = options](const update_operands<T>& u) {
      return rmsprop_keras_update_args<T>{
          .options = o, .size = u.size, .w = u.w, .g = u.g, .a = u.moments[0], .state = u.state};
    });
  }
};

/// RMSProp as TensorFlow 1 has it: ε inside the root, the mean square starts at one.
struct rmsprop_tf1 {
  static constexpr std::string_view name = "rmsprop_tf1";
  static constexpr std::array<moment, 2> moments{{{"ms", 1}, {"mom"}}};
  double learning_rate = 0.001;
  rmsprop_tf1_options options = {};
  rate_schedule schedule = {};

  template <scalar T>
  void lower(const update_slots<T>& to) const {
    to.emit([o = options](const update_operands<T>& u) {
      return rmsprop_tf1_update_args<T>{
          .options = o, .size = u.size, .w = u.w, .g = u.g, .ms = u.moments[0], .mom = u.moments[1], .state = u.state};
    });
  }
};

/// Adam as Keras has it.
struct adam {
  static constexpr std::string_view name = "adam";
  static constexpr std::array<moment, 2> moments{{{"m"}, {"v"}}};
  double learning_rate = 0.001;
  adam_options options = {};
  rate_schedule schedule = {};

  template <scalar T>
  void lower(const update_slots<T>& to) const {
    to.emit([o = options](const update_operands<T>& u) {
      return adam_update_args<T>{
          .options = o, .size = u.size, .w = u.w, .g = u.g, .m = u.moments[0], .v = u.moments[1], .state = u.state};
    });
  }
};

/// Adadelta as Keras has it.
struct adadelta {
  static constexpr std::string_view name = "adadelta";
  static constexpr std::array<moment, 2> moments{{{"a"}, {"d"}}};
  double learning_rate = 1.0;
  adadelta_options options = {};
  rate_schedule schedule = {};

  template <scalar T>
  void lower(const update_slots<T>& to) const {
    to.emit([o = options](const update_operands<T>& u) {
      return adadelta_update_args<T>{
          .options = o, .size = u.size, .w = u.w, .g = u.g, .a = u.moments[0], .d = u.moments[1], .state = u.state};
    });
  }
};

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

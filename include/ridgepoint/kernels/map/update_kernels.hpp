// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/optimiser.hpp>

/// \file
/// Kernels of the optimisers: one step on some of the weights. `numbers` are the parameters of the formulas in ops/.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Weights [begin, end), or the rows listed by entries [begin, end).
template <class T>
struct update_part {
  T* w;
  const T* g;
  std::array<T*, 2> own;  // state vectors of the optimiser
  listed_rows listed;
  index_t rows;  // of the weights, if rows are listed
  index_t begin, end;
};

/// Changes that an update_rule applies before an optimiser's step, as values of T. Gradients are scaled by unit·scale:
/// for large values, T would hold the product with fewer digits, or as 0.
template <class T>
struct update_changes {
  update_rule rule;
  T unit, scale, limit, decay, shrinkage;

  update_changes(const update_rule& rule_, const step_state& state) noexcept
      : rule(rule_),
        unit(clip_factor(rule, state) < 0x1p-60 ? T(0x1p-60) : T(1)),
        scale(static_cast<T>(clip_factor(rule, state) / static_cast<double>(unit))),
        limit(static_cast<T>(rule.clip_value)),
        decay(static_cast<T>(rule.weight_decay)),
        shrinkage(static_cast<T>(ruled_rate(rule, state) * rule.decoupled_weight_decay)) {}
};

template <class T>
struct sgd_update {
  static constexpr auto id = kernel_id<T>("sgd_update");
  struct numbers {
    T rate;
  };
  static void run(const numbers& step, const update_changes<T>& changes, const update_part<T>& part) noexcept;
};

template <class T>
struct momentum_update {
  static constexpr auto id = kernel_id<T>("momentum_update");
  struct numbers {
    T rate, momentum;
  };
  static void run(const numbers& step, const update_changes<T>& changes, const update_part<T>& part) noexcept;
};

template <class T>
struct rmsprop_keras_update {
  static constexpr auto id = kernel_id<T>("rmsprop_keras_update");
  struct numbers {
    T rate, rho, rest, epsilon;
  };
  static void run(const numbers& step, const update_changes<T>& changes, const update_part<T>& part) noexcept;
};

template <class T>
struct rmsprop_tf1_update {
  static constexpr auto id = kernel_id<T>("rmsprop_tf1_update");
  struct numbers {
    T rate, rest, momentum, epsilon;
  };
  static void run(const numbers& step, const update_changes<T>& changes, const update_part<T>& part) noexcept;
};

template <class T>
struct adam_update {
  static constexpr auto id = kernel_id<T>("adam_update");
  struct numbers {
    T rate, rest1, rest2, epsilon;
  };
  static void run(const numbers& step, const update_changes<T>& changes, const update_part<T>& part) noexcept;
};

template <class T>
struct adadelta_update {
  static constexpr auto id = kernel_id<T>("adadelta_update");
  struct numbers {
    T rate, rho, rest, epsilon;
  };
  static void run(const numbers& step, const update_changes<T>& changes, const update_part<T>& part) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/map/update.hpp>
#endif

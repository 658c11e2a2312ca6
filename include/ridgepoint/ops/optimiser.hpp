// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/step_state.hpp>

/// \file
/// Common parts of the optimisers. Each updates the weights w from the gradient g and its own state vectors in one
/// pass. In their formulas g, w and `rate` are the results of their update_rule from the gradient, the previous
/// weights, and the learning rate in the step_state. In float, a mean of squares beyond the largest number is stored as
/// that number: infinity would make the weights NaN a step later, or stop their updates for ever.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Throws: value_error unless 0 ≤ value < 1.
inline void check_decay(std::string_view op, std::string_view name, double value) {
  require<value_error>(value >= 0 && value < 1, op, ": ", name, " is ", value, "; must be >= 0 and < 1");
}
/// Throws: value_error unless epsilon is finite and still positive as an element: it keeps a divisor from being 0.
template <scalar T>
void check_epsilon(std::string_view op, double epsilon) {
  using precise = std::conditional_t<scalar_traits<T>::bytes == 4, float, double>;
  constexpr auto smallest = static_cast<double>((std::numeric_limits<precise>::min)());
  require<value_error>(std::isfinite(epsilon) && epsilon >= smallest, op, ": epsilon is ", epsilon,
                       "; must be at least ", smallest, " and finite");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Rule that every optimiser applies before its own formula:
///   g ← min(max(s·g, −clip_value), clip_value) + weight_decay·w,  s = min(1, clip_norm / √(Σ g²))
///   w ← w − rate·decoupled_weight_decay·w
///   rate = rate_factor·state->learning_rate
/// Σ g², over all gradients of the step, is state->gradient_squares, computed by sum_of_squares(). Defaults change
/// nothing, and terms with default values are not computed. With skips_non_finite nothing is updated if Σ g² is not
/// finite.
/// Work: per weight 1 FLOP for clip_norm, 2 each for clip_value, weight_decay and decoupled_weight_decay.
struct update_rule {
  double rate_factor = 1;
  double weight_decay = 0;            // as in SGD: the gradient of weight_decay/2·‖w‖²
  double decoupled_weight_decay = 0;  // as in AdamW
  double clip_value = 0;              // limit of each element; 0: no limit
  double clip_norm = 0;               // limit of all gradients together; 0: no limit
  bool skips_non_finite = false;      // for loss_scaling

  [[nodiscard]] constexpr bool clips_value() const noexcept { return !exactly(clip_value, 0); }
  [[nodiscard]] constexpr bool clips_norm() const noexcept { return !exactly(clip_norm, 0); }
  [[nodiscard]] constexpr bool decays() const noexcept { return !exactly(weight_decay, 0); }
  [[nodiscard]] constexpr bool decays_decoupled() const noexcept { return !exactly(decoupled_weight_decay, 0); }
  /// Returns true if the rule changes gradient or weights.
  [[nodiscard]] constexpr bool changes() const noexcept {
    return clips_value() || clips_norm() || decays() || decays_decoupled();
  }
  /// Returns the FLOP per weight.
  [[nodiscard]] constexpr unsigned flop() const noexcept {
    return (clips_norm() ? 1U : 0U) + (clips_value() ? 2U : 0U) + (decays() ? 2U : 0U) + (decays_decoupled() ? 2U : 0U);
  }
  friend constexpr bool operator==(const update_rule&, const update_rule&) = default;
};

/// Throws: value_error, naming `op`, unless all are finite and ≥ 0.
inline void check(const update_rule& r, std::string_view op = "update_rule") {
  const auto check_one = [&](std::string_view name, double value) {
    require<value_error>(std::isfinite(value) && value >= 0, op, ": ", name, " is ", value,
                         "; must be finite and >= 0");
  };
  check_one("rate_factor", r.rate_factor);
  check_one("weight_decay", r.weight_decay);
  check_one("decoupled_weight_decay", r.decoupled_weight_decay);
  check_one("clip_value", r.clip_value);
  check_one("clip_norm", r.clip_norm);
}

/// Returns the learning rate of weights under this rule.
[[nodiscard]] inline double ruled_rate(const update_rule& r, const step_state& s) noexcept {
  return r.rate_factor * s.learning_rate;
}
/// Returns true if this step has no update.
[[nodiscard]] inline bool skips(const update_rule& r, const step_state& s) noexcept {
  return r.skips_non_finite && !std::isfinite(s.gradient_squares);
}
/// Returns s of update_rule if it clips the norm. NaN for an infinite norm: a factor of 0 would hide the error.
[[nodiscard]] inline double clip_factor(const update_rule& r, const step_state& s) noexcept {
  const double norm = std::sqrt(s.gradient_squares);
  if (std::isinf(norm)) return std::numeric_limits<double>::quiet_NaN();
  return norm > r.clip_norm ? r.clip_norm / norm : 1;
}

/// The weights that an optimiser updates: all, or the rows of a matrix in a list, as from embedding_rows(). Then g is
/// (count, width), row k of it for row rows[k] of the weights, and everything else stays unchanged: the moments of
/// other rows do not decay, as in PyTorch's SparseAdam and TensorFlow's LazyAdam, nor do their weights. An update of
/// all weights with zeros for the other rows would change them by their momentum.
///
/// Requires: no row is listed twice. An invalid row, such as −1, is skipped. The receipt assumes the maximum number of
/// listed rows: the smaller of count and the number of rows.
struct listed_rows {
  const std::int32_t* rows = nullptr;
  index_t count = 0;  // entries of the list
  index_t width = 0;  // weights of a row; 0: all weights

  [[nodiscard]] constexpr bool all() const noexcept { return width == 0; }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Returns the number of weights an update touches; for a list, the maximum.
template <class Args>
[[nodiscard]] constexpr std::uint64_t touched_weights(const Args& u) noexcept {
  const auto all = static_cast<std::uint64_t>(u.size);
  if (u.listed.all()) return all;
  return (std::min)(all, static_cast<std::uint64_t>(u.listed.count) * static_cast<std::uint64_t>(u.listed.width));
}
/// Returns the operand of the weights, or of an optimiser's state vector.
template <class Args, class T>
[[nodiscard]] constexpr operand updated(const Args& u, std::string_view name, T* data) noexcept {
  return operand::update(name, data, u.size).counting(static_cast<index_t>(touched_weights(u)));
}
template <class Args>
[[nodiscard]] constexpr operand gradient_of(const Args& u) noexcept {
  if (u.listed.all()) return operand::input("g", u.g, u.size);
  return operand::input("g", u.g, u.listed.count, u.listed.width).counting(static_cast<index_t>(touched_weights(u)));
}
template <class Args>
[[nodiscard]] constexpr operand row_list_of(const Args& u) noexcept {
  const operand rows = operand::input("rows", u.listed.rows, u.listed.count);
  return u.listed.all() ? rows.optional() : rows;
}

/// Receipt of an optimiser: reads g (inputs), w and its own vectors (weights), and writes these. `flop` and `special`
/// count its formula. With listed rows it also reads the list, 4 bytes an entry (inputs).
template <class Args>
[[nodiscard]] constexpr work update_receipt(const Args& u, unsigned flop, unsigned special) noexcept {
  const std::uint64_t n = touched_weights(u);
  return {.flop = (flop + u.rule.flop()) * n, .special = special * n, .bytes = traffic_of(operands(u))};
}

/// Throws: value_error for a rule out of its domain; shape_error if the operands do not fit.
template <class Args>
void check_update(const Args& u) {
  check(u.rule, Args::name);
  const listed_rows& l = u.listed;
  require<shape_error>(l.all() ? l.rows == nullptr : l.width > 0 && u.size % l.width == 0, Args::name, ": size is ",
                       u.size, "; must be a multiple of the listed width, ", l.width);
  check_operands(u);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

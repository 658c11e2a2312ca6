// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <ridgepoint/ops/check_operands.hpp>
#include <ridgepoint/ops/hyper_parameters.hpp>
#include <ridgepoint/ops/step_state.hpp>
#include <ridgepoint/ops/update_rule.hpp>

/// \file
/// Common parts of the optimisers. Each updates the weights w from the gradient g and its own state vectors in one
/// pass. In their formulas g, w and `rate` are the results of their update_rule from the gradient, the previous
/// weights, and the learning rate in the step_state. In float, a mean of squares beyond the largest number is stored as
/// that number: infinity would make the weights NaN a step later, or stop their updates for ever.
namespace ridgepoint::inline RIDGEPOINT_ABI {

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
void check_update(std::string_view op, const Args& u) {
  check(u.rule, op);
  const listed_rows& l = u.listed;
  require<shape_error>(l.all() ? l.rows == nullptr : l.width > 0 && u.size % l.width == 0, op, ": size is ", u.size,
                       "; must be a multiple of the listed width, ", l.width);
  check_operands(op, u);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

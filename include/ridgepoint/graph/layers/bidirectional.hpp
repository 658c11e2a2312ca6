// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/graph/layers/gru.hpp>
#include <ridgepoint/graph/layers/lstm.hpp>
#include <ridgepoint/graph/layers/rnn.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/pool2d_geometry.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What becomes of the outputs of a recurrent layer in both directions: side by side, their sum, or their mean.
enum class merge_rule : std::uint8_t { concat, sum, average };

namespace detail {

/// Two results of `rows` rows of `units` values each, behind each other in one slot, and what they are merged to.
struct merged_slots {
  slot both = {};
  index_t rows = 0, units = 0;

  [[nodiscard]] values_of half(const lowering& to, std::size_t i) const {
    return values_of::slot_from(to, both, static_cast<index_t>(i) * rows * units);
  }
  /// Writes the layer's output.
  void merge(lowering& to, merge_rule rule) const;
  /// Writes the gradients of both from that of the output. Not of a sum, of which each has the gradient as it is.
  void take_apart(lowering& to, merge_rule rule) const;

 private:
  /// Both as two rows of an image, whose mean over columns of two they are.
  [[nodiscard]] pool2d_geometry column() const noexcept {
    return {.n = 1, .h = 2, .w = rows, .c = units, .kh = 2, .kw = 1};
  }
};

}  // namespace detail

namespace nn {

/// A recurrent layer once from the first step to the last and once, with parameters of its own, from the last to the
/// first: (t, in) → (t, 2·units), or (2·units) of the two last states, with `concat`; half as wide with `sum` and
/// `average`. Parameters are called "forward.wx" and "backward.wx".
///
/// The second reads the sequence backwards where it lies. Side by side, sequences are written straight to their
/// columns.
/// Example: x | nn::bidirectional<nn::lstm>{.cell = {.units = 64, .sequences = true}, .merge = rp::merge_rule::sum}
template <class Cell>
struct bidirectional {
  static constexpr std::string_view name = "bidirectional";
  Cell cell = {};  // nn::rnn, nn::lstm or nn::gru
  merge_rule merge = merge_rule::concat;

  /// Throws: as the cell's output(); value_error for an unknown rule or a stateful cell.
  [[nodiscard]] shape output(const shape& in) const {
    require<value_error>(merge <= merge_rule::average, name, ": merge is number ", static_cast<int>(merge),
                         "; must be concat, sum or average");
    require<value_error>(!cell.stateful, name,
                         ": its cell is stateful; must not be: a sequence that is read from its end",
                         " begins where the next one has not been");
    const shape one = cell.output(in);
    const index_t units = merge == merge_rule::concat ? checked_mul(2, one[-1]) : one[-1];
    return one.rank() == 2 ? shape{one[0], units} : shape{units};
  }
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const {
    std::vector<parameter> both;
    for (const char* const direction : {"forward.", "backward."})
      for (parameter& p : cell.parameters(in)) {
        p.name = direction + p.name;
        both.push_back(std::move(p));
      }
    return both;
  }
  void forward(lowering& to) const {
    std::array<detail::recurrent_slots, 2> each = directions(to);
    detail::merged_slots results = merged(each[0].g);
    if (cell.sequences && !side_by_side()) results.both = each[0].y.in;
    if (!cell.sequences) results.both = to.scratch(2 * results.rows * results.units);
    for (const std::size_t i : {0U, 1U}) {
      if (!cell.sequences) each[i].last = results.half(to, i);
      cell.forward(to, each[i]);
    }
    if (results.both.exists()) results.merge(to, merge);
  }
  void backward(lowering& to) const {
    std::array<detail::recurrent_slots, 2> each = directions(to);
    detail::merged_slots results = merged(each[0].g);
    if (!side_by_side() && merge != merge_rule::sum) {
      results.both = to.scratch(2 * results.rows * results.units);
      results.take_apart(to, merge);
    }
    const bool wants_dx = to.needs_input_gradient();
    for (const std::size_t i : {0U, 1U}) {
      detail::recurrent_slots& s = each[i];
      const index_t column = side_by_side() ? static_cast<index_t>(i) * s.g.width() : 0;
      const auto dy =
          results.both.exists() ? results.half(to, i) : detail::values_of::slot_from(to, to.output_gradient(), column);
      (cell.sequences ? s.dy : s.dlast) = dy;
      if (wants_dx)
        s.dx = detail::values_of::slot_from(to, i == 0 ? to.input_gradient() : to.scratch(to.input_shape().size()));
      s.learn(to);
      cell.backward(to, s);
    }
    if (!wants_dx) return;
    to.add_call({.shape = to_string(to.input_shape())},
                [=, size = to.input_shape().size(), dx = each[0].dx.in, more = each[1].dx.in](const addresses& at) {
                  return add_args<stored>{.size = size, .a = at(dx), .b = at(more), .y = at(dx)};
                });
  }

 private:
  /// Whether each direction writes its own columns of the output.
  [[nodiscard]] bool side_by_side() const noexcept { return cell.sequences && merge == merge_rule::concat; }
  /// Input, parameters and outputs of every step. The outputs of both are kept behind what each cell keeps.
  [[nodiscard]] std::array<detail::recurrent_slots, 2> directions(lowering& to) const {
    const shape& in = to.input_shape();
    const std::size_t each = cell.parameters({in[1], in[2]}).size();
    constexpr std::size_t kept = detail::recurrent_slots::kept_by_a_cell;
    std::array both{detail::recurrent_slots::part(to, cell), detail::recurrent_slots::part(to, cell, each, kept)};
    both[1].backwards = true;
    const index_t states = both[0].g.states(), width = both[0].g.width();
    slot sequences;
    if (side_by_side()) sequences = to.output();
    else if (cell.sequences) sequences = to.training() ? to.saved(2 * kept, 2 * states) : to.scratch(2 * states);
    for (const std::size_t i : {0U, 1U}) {
      detail::recurrent_slots& s = both[i];
      if (cell.sequences)
        s.y = detail::values_of::slot_from(to, sequences, static_cast<index_t>(i) * (side_by_side() ? width : states));
      else if (to.training()) s.y = detail::values_of::slot_from(to, to.saved(s.first_saved, states));
      if (side_by_side()) s.y_row = 2 * width;
    }
    return both;
  }
  /// Of what is merged: all steps, or the last ones.
  [[nodiscard]] detail::merged_slots merged(const recurrent_geometry& g) const {
    return {.rows = cell.sequences ? g.n * g.steps : g.n, .units = g.width()};
  }
};

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::bidirectional<nn::rnn>>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::bidirectional<nn::lstm>>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::bidirectional<nn::gru>>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/bidirectional-inl.hpp>
#endif

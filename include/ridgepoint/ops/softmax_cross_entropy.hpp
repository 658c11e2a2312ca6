// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <string_view>

#include <ridgepoint/ops/pointwise_loss.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Default of `ignored`, a number that is never a class: no row is ignored.
inline constexpr std::int32_t no_label = (std::numeric_limits<std::int32_t>::min)();

/// With p = softmax(row i): loss ← mean_i −ln p(label_i), dlogits(i, j) ← weight·(p(j) − [j = label_i]) / rows. Rows
/// with label `ignored` do not count: the mean, and the number of rows in it, are of the others; their dlogits are 0,
/// and so is the loss if all rows are ignored.
template <scalar T>
struct softmax_cross_entropy_args {
  static constexpr std::string_view name = "softmax_cross_entropy";
  matrix_view<const T> logits;           // rows × classes, rows contiguous
  const std::int32_t* labels = nullptr;  // rows class numbers, 0 ≤ label < classes, or ignored
  matrix_view<T> dlogits;                // data null: loss only; may be logits
  step_state* state = nullptr;           // loss, correct and ignored are written
  double weight = 1;                     // of this loss among several: a factor of dlogits
  std::int32_t ignored = no_label;       // label of rows that do not count, a class or any other number

  [[nodiscard]] constexpr bool ignores(std::int32_t label) const noexcept {
    return label == ignored && ignored != no_label;
  }
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const softmax_cross_entropy_args<T>& a) noexcept {
  return std::array{operand::input("logits", a.logits).overwritable(),
                    operand::input("labels", a.labels, a.logits.rows), operand::output("dlogits", a.dlogits).optional(),
                    operand::output("state", a.state)};
}

/// Receipt: per row 3·classes + 3 FLOP, classes exponentials and one logarithm; with the gradient classes + 1 FLOP and
/// one division more. Reads logits and labels (inputs), writes dlogits if requested; the state is not counted. Ignored
/// rows count as well: the receipt does not depend on the labels.
template <scalar T>
[[nodiscard]] constexpr work receipt(const softmax_cross_entropy_args<T>& a) noexcept {
  const auto rows = static_cast<std::uint64_t>(a.logits.rows), classes = static_cast<std::uint64_t>(a.logits.cols);
  const bool gradient = a.dlogits.data != nullptr;
  return {.flop = rows * (3 * classes + 3 + (gradient ? classes + 1 : 0)),
          .special = rows * (classes + 1 + (gradient ? 1 : 0)),
          .bytes = traffic_of(operands(a))};
}

/// Throws: shape_error and value_error as softmax_cross_entropy(), except for the labels, which it cannot read.
template <scalar T>
void check(const softmax_cross_entropy_args<T>& a) {
  constexpr std::string_view op = softmax_cross_entropy_args<T>::name;
  require<value_error>(a.logits.rows > 0 && a.logits.cols > 0, op, ": logits is ", a.logits,
                       "; must have a row and a class");
  require<shape_error>(
      a.dlogits.data == nullptr || (a.dlogits.rows == a.logits.rows && a.dlogits.cols == a.logits.cols), op,
      ": dlogits is ", a.dlogits, "; must be ", a.logits.rows, 'x', a.logits.cols);
  detail::check_weight(op, a.weight);
  check_operands(op, a);
}

/// Throws: value_error for the first label (host memory) that is neither in [0, classes) nor ignored.
inline void check_labels(const std::int32_t* labels, index_t rows, index_t classes, std::int32_t ignored = no_label) {
  for (index_t i = 0; i < rows; ++i) {
    const bool known = labels[i] >= 0 && labels[i] < classes;
    if (known || (labels[i] == ignored && ignored != no_label)) [[likely]]
      continue;
    throw value_error(concat("softmax_cross_entropy: label ", i, " is ", labels[i], "; must be >= 0 and < ", classes,
                             ignored == no_label ? "" : concat(", or ", ignored, ", which is ignored")));
  }
}

/// Computes softmax and cross-entropy in one pass, numerically safe: the mean loss, the number of rows whose first
/// largest logit is the label's, and (if dlogits has data) the gradient. dlogits may be logits. Rows with label
/// `ignored`, such as padding, count only in state->ignored; their dlogits are 0.
///
/// Labels in host memory are checked; on another backend a label out of range makes the loss and its row of dlogits NaN
/// and is never used as an index.
/// Next: reference/losses.hpp is the definition, cpu/losses.hpp the fast one.
/// Work: receipt(softmax_cross_entropy_args).
/// Throws: shape_error if extents disagree, the size of labels is not the number of rows, rows are not contiguous, a
/// pointer is null or dlogits overlaps labels, or logits in part; value_error without a row or a class, or for a label
/// out of range.
/// Example:
///   rp::softmax_cross_entropy(on, logits, labels, dlogits, &state);
///   rp::softmax_cross_entropy<float>(on, logits, labels, {}, &state);         // loss and accuracy only
///   rp::softmax_cross_entropy(on, logits, labels, dlogits, &state, -1);       // of rows with a label
template <class T = deduced, class Backend, class C = matrix_view<T>, class E = matrix_element<C, T>>
work softmax_cross_entropy(const Backend& on, const matrix_in<E>& logits, const elements<const std::int32_t>& labels,
                           C&& dlogits, step_state* state, std::int32_t ignored = no_label) {
  static_assert(runs<Backend, softmax_cross_entropy_args<E>, E>,
                "softmax_cross_entropy: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(
      has_output<Backend, E>,
      "softmax_cross_entropy: dlogits must be a mutable matrix of float or double: a tensor or a matrix_view");
  if constexpr (runs<Backend, softmax_cross_entropy_args<E>> && !std::same_as<E, refused>) {
    const softmax_cross_entropy_args<E> args{.logits = logits,
                                             .labels = labels.first_of(logits.rows, "softmax_cross_entropy", "labels"),
                                             .dlogits = matrix_output<E>(dlogits),
                                             .state = state,
                                             .ignored = ignored};
    check(args);
    if constexpr (in_host_memory<Backend>) check_labels(args.labels, logits.rows, logits.cols, ignored);
    execute(on, args);
    return receipt(args);
  } else {
    return {};
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/pointwise_loss.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Options of the detection loss.
struct detection_options {
  double alpha = 0.25;    // weight of a logit whose class is present; 1 − alpha otherwise
  double delta = 0.1;     // of a box: beyond it the loss grows linearly
  double box_weight = 1;  // of all boxes relative to all classes
};

/// Each sample has `logits` values y with p = sigmoid(y), then `boxes` values b:
/// loss ← (Σ a·(1 − q)²·(−ln q) + box_weight·Σ h(b − t)) / samples, where q is p and a is alpha where t > 0.5, else
/// 1 − p and 1 − alpha; h(e) = e²/2 up to |e| = delta and delta·(|e| − delta/2) beyond, 0 where t is NaN.
template <scalar T>
struct detection_args {
  static constexpr std::string_view name = "detection";
  detection_options options = {};
  index_t samples = 0, logits = 0, boxes = 0;
  const T* y = nullptr;         // (samples, logits + boxes)
  const T* target = nullptr;    // likewise: 1 for a class that is present, else 0; numbers of boxes, NaN for no box
  T* dy = nullptr;              // null: loss only; may be y or target
  step_state* state = nullptr;  // loss and correct ((y > 0) = (t > 0.5) of logits) are written
  double weight = 1;            // of this loss among several: a factor of dy
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const detection_args<T>& a) noexcept {
  const index_t each = a.logits + a.boxes;
  return std::array{operand::input("y", a.y, a.samples, each).overwritable(),
                    operand::input("target", a.target, a.samples, each).overwritable(),
                    operand::output("dy", a.dy, a.samples, each).optional(), operand::output("state", a.state)};
}

/// Receipt: per logit 8 FLOP and three specials, 6 FLOP more with the gradient; per number of a box 8 FLOP, 2 more with
/// the gradient. Reads y and target, writes dy if requested.
template <scalar T>
[[nodiscard]] constexpr work receipt(const detection_args<T>& a) noexcept {
  const auto logits = static_cast<std::uint64_t>(a.samples * a.logits);
  const auto boxes = static_cast<std::uint64_t>(a.samples * a.boxes);
  const bool gradient = a.dy != nullptr;
  return {.flop = (gradient ? 14 : 8) * logits + (gradient ? 10 : 8) * boxes,
          .special = 3 * logits,
          .bytes = traffic_of(operands(a))};
}

namespace detail {
/// Throws: value_error unless 0 <= alpha <= 1, delta > 0 and box_weight >= 0.
inline void check_detection(std::string_view op, const detection_options& o) {
  require<value_error>(o.alpha >= 0 && o.alpha <= 1, op, ": alpha is ", o.alpha, "; must be from 0 to 1");
  require<value_error>(std::isfinite(o.delta) && o.delta > 0, op, ": delta is ", o.delta, "; must be > 0");
  require<value_error>(std::isfinite(o.box_weight) && o.box_weight >= 0, op, ": box_weight is ", o.box_weight,
                       "; must be >= 0");
}
}  // namespace detail

/// Throws: as detection().
template <scalar T>
void check(const detection_args<T>& a) {
  detail::check_detection("detection", a.options);
  detail::check_weight("detection", a.weight);
  require<shape_error>(a.samples > 0 && a.logits >= 0 && a.boxes >= 0, "detection: samples is ", a.samples,
                       ", logits is ", a.logits, ", boxes is ", a.boxes, "; must be > 0, >= 0 and >= 0");
  static_cast<void>(checked_mul(a.samples, checked_mul(checked_add(a.logits, a.boxes), 8)));
  check_operands(a);
}

/// Computes the focal loss of logits and the Huber loss of boxes, averaged over the samples, and, if dy is not null,
/// its gradient times weight; safe for any finite value.
/// Next: reference/losses.hpp is the definition, cpu/losses.hpp the fast one.
/// Work: receipt(args).
/// Throws: shape_error without samples, for a negative number, a null pointer or a dy that overlaps in part;
/// value_error for an option out of its domain or a weight that is not finite.
/// Example:
///   rp::detection(on, rp::detection_args<float>{.samples = 8, .logits = anchors * 91, .boxes = anchors * 4, .y = y,
///       .target = t, .dy = dy, .state = &state});
template <scalar T, class Backend>
work detection(const Backend& on, const detection_args<T>& args) {
  static_assert(runs<Backend, detection_args<T>>,
                "detection: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

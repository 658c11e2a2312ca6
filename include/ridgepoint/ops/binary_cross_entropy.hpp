// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/pointwise_loss.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// On logits y with p = sigmoid(y): loss ← mean_i −t·ln p − (1 − t)·ln(1 − p), dy(i) ← weight·(p(i) − t(i)) / size.
template <scalar T>
struct binary_cross_entropy_args {
  static constexpr std::string_view name = "binary_cross_entropy";
  const T* y = nullptr;       // logits, before any sigmoid
  const T* target = nullptr;  // t in [0, 1]
  T* dy = nullptr;            // null: loss only; may be y or target
  index_t size = 0;
  step_state* state = nullptr;  // loss and correct ((y > 0) = (t > 0.5)) are written
  double weight = 1;            // of this loss among several: a factor of dy
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const binary_cross_entropy_args<T>& a) noexcept {
  return detail::pointwise_loss_operands(a);
}

/// Receipt: per element 7 FLOP and two specials for max(y, 0) − y·t + ln(1 + e^−|y|), its sum and the two comparisons
/// of `correct`; 2 FLOP and a special more with the gradient. Reads 2·size, writes size elements if requested.
template <scalar T>
[[nodiscard]] constexpr work receipt(const binary_cross_entropy_args<T>& a) noexcept {
  const auto n = static_cast<std::uint64_t>(a.size);
  const bool gradient = a.dy != nullptr;
  return {.flop = (gradient ? 9 : 7) * n, .special = (gradient ? 3 : 2) * n, .bytes = traffic_of(operands(a))};
}

/// Throws: as binary_cross_entropy().
template <scalar T>
void check(const binary_cross_entropy_args<T>& a) {
  detail::check_pointwise_loss(a);
}

/// Computes the mean binary cross-entropy of logits over all elements and, if dy is not null, its gradient times
/// weight; safe for any finite logit.
/// Next: reference/losses.hpp is the definition, cpu/losses.hpp the fast one.
/// Work: receipt(args).
/// Throws: shape_error for a null pointer or a dy that overlaps in part; value_error if size is 0 or the weight
/// not finite.
/// Example:
///   rp::binary_cross_entropy(on, rp::binary_cross_entropy_args<float>{.y = z, .target = t, .dy = dz, .size = n,
///       .state = &state});
template <scalar T, class Backend>
work binary_cross_entropy(const Backend& on, const binary_cross_entropy_args<T>& args) {
  static_assert(runs<Backend, binary_cross_entropy_args<T>>,
                "binary_cross_entropy: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

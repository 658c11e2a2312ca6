// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/pointwise_loss.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// loss ← mean_i (y(i) − target(i))², dy(i) ← weight·2·(y(i) − target(i)) / size.
template <scalar T>
struct mse_args {
  static constexpr std::string_view name = "mse";
  const T* y = nullptr;
  const T* target = nullptr;
  T* dy = nullptr;  // null: loss only; may be y or target
  index_t size = 0;
  step_state* state = nullptr;  // loss is written, correct becomes 0
  double weight = 1;            // of this loss among several: a factor of dy
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const mse_args<T>& a) noexcept {
  return detail::pointwise_loss_operands(a);
}

/// Receipt of mse(): 3 FLOP per element, one more with the gradient; reads 2·size, writes size elements if requested.
template <scalar T>
[[nodiscard]] constexpr work receipt(const mse_args<T>& a) noexcept {
  const auto n = static_cast<std::uint64_t>(a.size);
  const bool gradient = a.dy != nullptr;
  return {.flop = (gradient ? 4 : 3) * n, .bytes = traffic_of(operands(a))};
}

/// Throws: as mse().
template <scalar T>
void check(const mse_args<T>& a) {
  detail::check_pointwise_loss(a);
}

/// Computes the mean squared error over all elements and, if dy is not null, its gradient, times weight.
/// Next: reference/losses.hpp is the definition, cpu/losses.hpp the fast one.
/// Work: receipt(args).
/// Throws: shape_error for a null pointer or a dy that overlaps in part; value_error if size is 0 or the weight not
/// finite.
/// Example:
///   rp::mse(on, rp::mse_args<float>{.y = y, .target = t, .dy = dy, .size = n, .state = &state});
template <scalar T, class Backend>
work mse(const Backend& on, const mse_args<T>& args) {
  static_assert(runs<Backend, mse_args<T>>, "mse: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

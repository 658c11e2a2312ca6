// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/optimiser.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// One SGD step over `size` weights:
///   w ← w − rate·g
template <scalar T>
struct sgd_update_args {
  index_t size = 0;
  T* w = nullptr;        // weights
  const T* g = nullptr;  // gradient of the loss for w
  const step_state* state = nullptr;
};

/// Receipt of sgd_update(): 2 FLOP per weight; 12 bytes per weight in f32.
template <scalar T>
[[nodiscard]] constexpr work sgd_update_work(index_t size) noexcept {
  return detail::update_work<T>(size, 0, 2, 0);
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const sgd_update_args<T>& u) noexcept {
  return sgd_update_work<T>(u.size);
}

/// Throws: where sgd_update() does.
template <scalar T>
void check(const sgd_update_args<T>& u) {
  detail::check_update<T, 2>("sgd_update", u.size, u.state, {{{"w", u.w}, {"g", u.g}}});
}

/// SGD, plain stochastic gradient descent, in one fused pass over the weights:
///   w ← w − rate·g
/// rate is state->learning_rate.
/// Next: reference/sgd.hpp is the definition, cpu/sgd.hpp the fast one.
/// Work: sgd_update_work(size).
/// Throws: shape_error if a pointer is null or two vectors overlap.
/// Example:
///   rp::sgd_update(on, rp::sgd_update_args<float>{.size = n, .w = w, .g = g, .state = state});
template <scalar T, backend Backend>
  requires(executes<Backend, sgd_update_args<T>>)
work sgd_update(const Backend& on, const sgd_update_args<T>& args) { return run(on, args); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/ops/check_operands.hpp>
#include <ridgepoint/ops/rate_schedule.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The scalars that change every training step. They live in backend memory, so that a step is a fixed list of calls a
/// device can record once and replay; the host uploads the rates and downloads loss and correct when it wants to.
struct step_state {
  std::uint64_t step = 0;         // updates finished so far; Adam's t is step + 1
  double learning_rate = 0;       // of the next update
  double loss = 0;                // mean over the batch, written by the loss op
  std::uint32_t correct = 0;      // rows of the batch the loss op found classified right
  std::uint32_t ignored = 0;      // and rows that it left out, because of their label
  double base_learning_rate = 0;  // what a schedule makes learning_rate from
  double gradient_squares = 0;    // Σ g² of a step's gradients, where a limit of their norm asks for it
};

/// Throws: value_error unless the learning rates are finite and ≥ 0. Call it before uploading a state.
inline void check(const step_state& s) {
  const auto check_rate = [](std::string_view name, double rate) {
    require<value_error>(std::isfinite(rate) && rate >= 0, "step_state: ", name, " is ", rate,
                         "; must be finite and >= 0");
  };
  check_rate("learning_rate", s.learning_rate);
  check_rate("base_learning_rate", s.base_learning_rate);
}

/// Ends a step: state->step += 1, and the learning rate becomes that of the next one.
struct advance_args {
  step_state* state = nullptr;
  rate_schedule schedule = {};
};

[[nodiscard]] constexpr auto operands(const advance_args& a) noexcept {
  return std::array{operand::update("state", a.state)};
}

/// Nothing: the scalars of a step are not counted.
[[nodiscard]] constexpr work advance_work() noexcept { return {}; }
[[nodiscard]] constexpr work receipt(const advance_args&) noexcept { return advance_work(); }

/// Throws: shape_error if there is no state; value_error for a schedule out of its domain.
inline void check(const advance_args& a) {
  check_operands("advance", a);
  check(a.schedule);
}

/// step ← step + 1; unless the schedule leaves the rate alone, learning_rate ← rate(step), of base_learning_rate.
/// Throws: shape_error if state is null; value_error for a schedule out of its domain.
template <class Backend>
work advance(const Backend& on, step_state* state, const rate_schedule& schedule = {}) {
  static_assert(runs<Backend, advance_args>,
                "advance: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, advance_args{.state = state, .schedule = schedule});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

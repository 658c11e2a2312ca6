// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/ops/check_operands.hpp>
#include <ridgepoint/ops/loss_scaling.hpp>
#include <ridgepoint/ops/rate_schedule.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The scalars that change every training step. They live in backend memory, so that a step is a fixed list of calls a
/// device can record once and replay; the host uploads the rates and downloads loss and correct when it wants to.
struct step_state {
  std::uint64_t step = 0;         // finished so far
  double learning_rate = 0;       // of the next update
  double loss = 0;                // mean over the batch, written by the loss op
  std::uint32_t correct = 0;      // rows of the batch the loss op found classified right
  std::uint32_t ignored = 0;      // and rows that it left out, because of their label
  double base_learning_rate = 0;  // what a schedule makes learning_rate from
  double gradient_squares = 0;  // Σ g² of a step's gradients, where a limit of their norm or loss_scaling asks for it
  double loss_scale = 1;        // of gradients in float16: see loss_scaling
  std::uint32_t finite_steps = 0;   // since it is this
  std::uint32_t skipped_steps = 0;  // that updated nothing, since not all of their gradients were finite
};

/// Steps that were not skipped: Adam's t is one more.
[[nodiscard]] constexpr std::uint64_t updates_done(const step_state& s) noexcept { return s.step - s.skipped_steps; }
/// The loss_scale that the gradients of the last step were made with.
[[nodiscard]] inline double last_loss_scale(const step_state& s) noexcept {
  if (s.step == 0 || s.finite_steps > 0) return s.loss_scale;
  return std::isfinite(s.gradient_squares) ? s.loss_scale / 2 : s.loss_scale * 2;
}

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
  index_t steps_to_grow = 0;  // loss_scaling::steps_to_grow; 0: the loss scale stays as it is
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

/// What advance() does, where the state is in the host's memory.
inline void end_step(const advance_args& a) noexcept {
  step_state& s = *a.state;
  ++s.step;
  if (a.schedule.changes()) s.learning_rate = scheduled_rate(a.schedule, s.base_learning_rate, s.step);
  if (a.steps_to_grow == 0) return;
  if (!std::isfinite(s.gradient_squares)) {
    s.loss_scale /= 2;
    s.finite_steps = 0;
    ++s.skipped_steps;
  } else if (static_cast<index_t>(++s.finite_steps) >= a.steps_to_grow) {
    s.loss_scale *= 2;
    s.finite_steps = 0;
  }
}

/// step ← step + 1; unless the schedule leaves the rate alone, learning_rate ← rate(step), of base_learning_rate. With
/// advance_args::steps_to_grow, loss_scale ← loss_scale/2 where gradient_squares is not finite, and 2·loss_scale after
/// so many steps where it is: see loss_scaling.
/// Throws: shape_error if state is null; value_error for a schedule out of its domain.
template <class Backend>
work advance(const Backend& on, step_state* state, const rate_schedule& schedule = {}) {
  static_assert(runs<Backend, advance_args>,
                "advance: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, advance_args{.state = state, .schedule = schedule});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

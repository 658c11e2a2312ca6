// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/rate_schedule.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The scalars that change every training step. They are in backend memory, so that a step is a fixed list of calls
/// that a device can record once and replay; the host uploads the rates and downloads loss and correct when needed.
struct step_state {
  std::uint64_t step = 0;           // steps finished
  double learning_rate = 0;         // of the next update
  double loss = 0;                  // mean over the batch, written by the loss op
  std::uint32_t correct = 0;        // rows of the batch that the loss op found classified correctly
  std::uint32_t ignored = 0;        // rows that it ignored because of their label
  double base_learning_rate = 0;    // input of the schedule for learning_rate
  double gradient_squares = 0;      // Σ g² of a step's gradients, if clip_norm or loss_scaling needs it
  double loss_scale = 1;            // of gradients in float16: see loss_scaling
  std::uint32_t finite_steps = 0;   // since loss_scale changed
  std::uint32_t skipped_steps = 0;  // without an update, because a gradient was not finite
};

/// Returns the number of steps that were not skipped: Adam's t is one more.
[[nodiscard]] constexpr std::uint64_t updates_done(const step_state& s) noexcept { return s.step - s.skipped_steps; }
/// Returns the loss_scale of the gradients of the last step.
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

/// Ends a step: state->step += 1, and updates the learning rate for the next one.
struct advance_args {
  static constexpr std::string_view name = "advance";
  step_state* state = nullptr;
  rate_schedule schedule = {};
  index_t steps_to_grow = 0;  // loss_scaling::steps_to_grow; 0: the loss scale is constant
};

[[nodiscard]] constexpr auto operands(const advance_args& a) noexcept {
  return std::array{operand::update("state", a.state)};
}

/// Returns no work: the scalars of a step are not counted.
[[nodiscard]] constexpr work receipt(const advance_args&) noexcept { return {}; }

/// Throws: shape_error for a null state; value_error for a schedule out of its domain.
inline void check(const advance_args& a) {
  check_operands(a);
  check(a.schedule);
}

/// Implements advance() for a state in host memory.
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

/// step ← step + 1; unless the schedule is constant, learning_rate ← rate(step), from base_learning_rate. With
/// advance_args::steps_to_grow, loss_scale ← loss_scale/2 if gradient_squares is not finite, and 2·loss_scale after
/// steps_to_grow finite steps: see loss_scaling.
/// Throws: shape_error if state is null; value_error for a schedule out of its domain.
template <class Backend>
work advance(const Backend& on, step_state* state, const rate_schedule& schedule = {}) {
  static_assert(runs<Backend, advance_args>,
                "advance: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, advance_args{.state = state, .schedule = schedule});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

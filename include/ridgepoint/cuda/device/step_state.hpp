// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// Must match ridgepoint::step_state, member by member.
struct step_state {
  unsigned long step;
  double learning_rate;
  double loss;
  unsigned correct;
  unsigned ignored;
  double base_learning_rate;
  double gradient_squares;
  double loss_scale;
  unsigned finite_steps;
  unsigned skipped_steps;
};

/// Must match ridgepoint::rate_schedule, member by member.
struct rate_schedule {
  enum class form : int { constant, step, exponential, cosine, inverse_time, piecewise };
  form decay;
  index_t warm_up_steps;
  index_t steps;
  double factor;
  index_t boundaries[4];
};

/// Returns rate(t): see ridgepoint::rate_schedule.
__device__ inline double scheduled_rate(const rate_schedule& r, double base, unsigned long t) {
  const auto warm_up = static_cast<unsigned long>(r.warm_up_steps);
  if (t < warm_up) return base * static_cast<double>(t + 1) / static_cast<double>(warm_up);
  const auto s = static_cast<double>(t - warm_up), steps = static_cast<double>(r.steps);
  switch (r.decay) {
    case rate_schedule::form::constant:
      return base;
    case rate_schedule::form::step:
      return base * pow(r.factor, floor(s / steps));
    case rate_schedule::form::exponential:
      return base * pow(r.factor, s / steps);
    case rate_schedule::form::cosine: {
      constexpr double pi = 3.14159265358979324;
      return base * (r.factor + (1 - r.factor) * (1 + cos(pi * fmin(s / steps, 1.0))) / 2);
    }
    case rate_schedule::form::inverse_time:
      return base / (1 + r.factor * s);
    case rate_schedule::form::piecewise: {
      int passed = 0;
      for (const index_t b : r.boundaries) passed += b > 0 && static_cast<double>(b) <= s ? 1 : 0;
      return base * pow(r.factor, static_cast<double>(passed));
    }
  }
  return base;
}

/// Returns the factor that undoes the loss scale of a gradient; 1 without a state.
template <class T>
__device__ T unscaling(const step_state* scale_state) {
  return scale_state == nullptr ? T(1) : 1 / static_cast<T>(scale_state->loss_scale);
}

/// Returns whether all gradients of a step are finite.
__device__ inline bool is_finite(const step_state& state) {
  return state.gradient_squares - state.gradient_squares == 0;
}

/// Ends a step, in one thread: see ridgepoint::end_step.
__global__ void advance(step_state* state, rate_schedule schedule, index_t steps_to_grow) {
  ++state->step;
  if (schedule.decay != rate_schedule::form::constant || schedule.warm_up_steps > 0)
    state->learning_rate = scheduled_rate(schedule, state->base_learning_rate, state->step);
  if (steps_to_grow == 0) return;
  if (!is_finite(*state)) {
    state->loss_scale /= 2;
    state->finite_steps = 0;
    ++state->skipped_steps;
  } else if (static_cast<index_t>(++state->finite_steps) >= steps_to_grow) {
    state->loss_scale *= 2;
    state->finite_steps = 0;
  }
}

}  // namespace ridgepoint_device

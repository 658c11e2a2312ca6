// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// ridgepoint::step_state, member by member.
struct step_state {
  unsigned long step;
  double learning_rate;
  double loss;
  unsigned correct;
  unsigned ignored;
  double base_learning_rate;
  double gradient_squares;
};

/// ridgepoint::rate_schedule, member by member.
struct rate_schedule {
  enum class form : int { constant, step, exponential, cosine, inverse_time, piecewise };
  form decay;
  index_t warm_up_steps;
  index_t steps;
  double factor;
  index_t boundaries[4];
};

/// rate(t): see ridgepoint::rate_schedule.
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

/// Ends a step, by one thread.
__global__ void advance(step_state* state, rate_schedule schedule) {
  ++state->step;
  if (schedule.decay != rate_schedule::form::constant || schedule.warm_up_steps > 0)
    state->learning_rate = scheduled_rate(schedule, state->base_learning_rate, state->step);
}

}  // namespace ridgepoint_device

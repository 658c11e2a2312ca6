// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/rate_schedule.hpp>

/// \file
/// Learning-rate schedules by name, as the `schedule` of an optimiser. An update is a step; every schedule may begin
/// with a linear warm-up, after which its own steps count from 0. Formulas: ops/rate_schedule.hpp.
/// Example:
///   nn::adam{.learning_rate = 1e-3, .schedule = nn::cosine_decay{.steps = 10'000, .warm_up_steps = 500}}
namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Linear from learning_rate / steps to learning_rate, which stays.
struct warm_up {
  index_t steps = 0;
  constexpr operator rate_schedule() const noexcept { return {.warm_up_steps = steps}; }
};

/// Every so many steps the rate is multiplied by `factor`.
struct step_decay {
  index_t every_steps = 1;
  double factor = 0.1;
  index_t warm_up_steps = 0;
  constexpr operator rate_schedule() const noexcept {
    return {.decay = rate_schedule::form::step, .warm_up_steps = warm_up_steps, .steps = every_steps, .factor = factor};
  }
};

/// At each of up to four steps the rate is multiplied by `factor`.
/// Example: nn::piecewise_decay{.boundaries = {40'000, 60'000, 80'000}}
struct piecewise_decay {
  std::array<index_t, 4> boundaries = {};  // 0: none
  double factor = 0.1;
  index_t warm_up_steps = 0;
  constexpr operator rate_schedule() const noexcept {
    return {.decay = rate_schedule::form::piecewise,
            .warm_up_steps = warm_up_steps,
            .factor = factor,
            .boundaries = boundaries};
  }
};

/// As step_decay in small steps: by `factor` over so many.
struct exponential_decay {
  index_t every_steps = 1;
  double factor = 0.96;
  index_t warm_up_steps = 0;
  constexpr operator rate_schedule() const noexcept {
    return {.decay = rate_schedule::form::exponential,
            .warm_up_steps = warm_up_steps,
            .steps = every_steps,
            .factor = factor};
  }
};

/// Half a cosine from learning_rate to `end`·learning_rate over `steps` steps, which stays.
struct cosine_decay {
  index_t steps = 1;
  double end = 0;
  index_t warm_up_steps = 0;
  constexpr operator rate_schedule() const noexcept {
    return {.decay = rate_schedule::form::cosine, .warm_up_steps = warm_up_steps, .steps = steps, .factor = end};
  }
};

/// learning_rate / (1 + decay·step)
struct inverse_time_decay {
  double decay = 0;
  index_t warm_up_steps = 0;
  constexpr operator rate_schedule() const noexcept {
    return {.decay = rate_schedule::form::inverse_time, .warm_up_steps = warm_up_steps, .factor = decay};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

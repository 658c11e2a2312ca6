// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The learning rate as a function of t, the number of finished steps: plain data, evaluated by the backend that holds
/// the rate. graph/optimisers.hpp has a name for each form.
///
///   rate(t) = base · (t + 1) / warm_up_steps                                  while t < warm_up_steps, then
///   rate(t) = base · f(s), s = t − warm_up_steps:
///     constant       f(s) = 1
///     step           f(s) = factor^⌊s / steps⌋
///     exponential    f(s) = factor^(s / steps)
///     cosine         f(s) = factor + (1 − factor)·(1 + cos(π·min(s, steps) / steps)) / 2
///     inverse_time   f(s) = 1 / (1 + factor·s)
///     piecewise      f(s) = factor^(number of boundaries b, 0 < b ≤ s)
struct rate_schedule {
  enum class form : std::int32_t { constant, step, exponential, cosine, inverse_time, piecewise };
  form decay = form::constant;
  index_t warm_up_steps = 0;
  index_t steps = 1;
  double factor = 1;
  std::array<index_t, 4> boundaries = {};  // in any order; 0: none
  /// Returns true unless the rate is always the base rate.
  [[nodiscard]] constexpr bool changes() const noexcept { return decay != form::constant || warm_up_steps > 0; }
  friend constexpr bool operator==(const rate_schedule&, const rate_schedule&) = default;
};

/// Throws: value_error for negative warm_up_steps or a negative boundary, steps < 1, or a factor that is not finite
/// and ≥ 0.
inline void check(const rate_schedule& r) {
  require<value_error>(r.warm_up_steps >= 0, "rate_schedule: warm_up_steps is ", r.warm_up_steps, "; must be >= 0");
  require<value_error>(r.steps >= 1, "rate_schedule: steps is ", r.steps, "; must be >= 1");
  require<value_error>(std::isfinite(r.factor) && r.factor >= 0, "rate_schedule: factor is ", r.factor,
                       "; must be finite and >= 0");
  for (const index_t b : r.boundaries)
    require<value_error>(b >= 0, "rate_schedule: a boundary is ", b, "; must be >= 0");
}

/// Returns rate(t) of rate_schedule. Requires: a checked schedule.
[[nodiscard]] inline double scheduled_rate(const rate_schedule& r, double base, std::uint64_t t) noexcept {
  const auto warm_up = static_cast<std::uint64_t>(r.warm_up_steps);
  if (t < warm_up) return base * static_cast<double>(t + 1) / static_cast<double>(warm_up);
  const auto s = static_cast<double>(t - warm_up), steps = static_cast<double>(r.steps);
  switch (r.decay) {
    case rate_schedule::form::constant:
      return base;
    case rate_schedule::form::step:
      return base * std::pow(r.factor, std::floor(s / steps));
    case rate_schedule::form::exponential:
      return base * std::pow(r.factor, s / steps);
    case rate_schedule::form::cosine:
      return base * (r.factor + (1 - r.factor) * (1 + std::cos(std::numbers::pi * std::fmin(s / steps, 1))) / 2);
    case rate_schedule::form::inverse_time:
      return base / (1 + r.factor * s);
    case rate_schedule::form::piecewise:
      return base * std::pow(r.factor, static_cast<double>(std::count_if(
                                           r.boundaries.begin(), r.boundaries.end(),
                                           [=](index_t b) { return b > 0 && static_cast<double>(b) <= s; })));
  }
  return base;
}

/// Loss scaling for networks that store float16: keeps small gradients from vanishing. Gradients stored in float16 are
/// of a loss multiplied by step_state::loss_scale; gradients in float are unscaled. A step with a non-finite gradient
/// updates nothing, and halves the scale; after steps_to_grow finite steps it doubles. It starts high, so that the
/// first steps may be skipped until it fits.
///
/// Source: Micikevicius et al., Mixed Precision Training, ICLR 2018, §3.2; the defaults are from PyTorch's
/// GradScaler.
struct loss_scaling {
  double first = 65536;          // scale of the first step; a power of two, ≥ 1
  index_t steps_to_grow = 2000;  // finite steps after which it doubles; ≥ 1
};

/// Returns true if gradients multiplied and divided by the scale keep their bits, in float.
[[nodiscard]] inline bool is_loss_scale(double scale) noexcept {
  int exponent = 0;
  return scale >= 0x1p-126 && scale <= 0x1p126 && exactly(std::frexp(scale, &exponent), 0.5);
}

/// Throws: value_error for a scale that is not a power of two or too small, or steps_to_grow < 1.
inline void check(const loss_scaling& s) {
  require<value_error>(s.first >= 1 && is_loss_scale(s.first), "loss_scaling: first is ", s.first,
                       "; must be a power of two >= 1");
  require<value_error>(s.steps_to_grow >= 1, "loss_scaling: steps_to_grow is ", s.steps_to_grow, "; must be >= 1");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

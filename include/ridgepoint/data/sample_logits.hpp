// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/random.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Class i with probability softmax(logits / temperature)(i), of one number drawn from `random`.
///
/// Below 1, likely classes become likelier: towards 0 it is the greatest logit's (of equal ones each as often), far
/// above 1 every class is as likely. Computed in double.
/// Throws: value_error unless there are logits, of which none is NaN or +∞ and one is finite (−∞ is never drawn), and
/// the temperature is finite and > 0; nothing is drawn then.
/// Example: const std::int32_t next = rp::sample_logits<float>(logits, 0.5, random);
template <std::floating_point T>
[[nodiscard]] std::int32_t sample_logits(std::span<const T> logits, double temperature, random_stream& random) {
  require<value_error>(std::isfinite(temperature) && temperature > 0, "sample_logits: temperature is ", temperature,
                       "; must be finite and > 0");
  require<value_error>(!logits.empty(), "sample_logits: there are no logits; must be some");
  double greatest = -HUGE_VAL;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double logit{logits[i]};
    require<value_error>(logit < HUGE_VAL, "sample_logits: logit ", i, " is ", logit, "; must be a number");
    greatest = logit > greatest ? logit : greatest;
  }
  require<value_error>(greatest > -HUGE_VAL, "sample_logits: every logit is ", greatest, "; one must be finite");
  const auto weight = [&](T logit) { return std::exp((double{logit} - greatest) / temperature); };
  double all = 0;
  for (const T logit : logits) all += weight(logit);
  double left = random.uniform() * all;  // uniform() is below 1 − 2⁻²⁵: rounding leaves nothing behind the last
  std::size_t drawn = 0;
  for (; drawn + 1 < logits.size(); ++drawn) {
    const double own = weight(logits[drawn]);
    if (left < own) break;
    left -= own;
  }
  return static_cast<std::int32_t>(drawn);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

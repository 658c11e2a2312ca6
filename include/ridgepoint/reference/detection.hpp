// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/ops/detection.hpp>
#include <ridgepoint/reference/activation.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// With z = ±y, plus where the class is there, and r = 1 − q = σ(−z): loss a·r²·l for l = max(−z, 0) + ln(1 + e^−|z|),
/// dy ← ∓weight·a·r²·(2·(1 − r)·l + r) / samples. Of a box h(b − t) and its slope. Summed in double.
template <scalar T>
void execute(const reference_backend&, const detection_args<T>& d) {
  using std::abs, std::exp, std::log1p;
  using wide = accumulator_t<T>;
  const double scale = d.weight / static_cast<double>(d.samples);
  wide loss(0);
  std::uint32_t correct = 0;
  for (index_t i = 0; i < d.samples; ++i) {
    const index_t first = i * (d.logits + d.boxes);
    for (index_t j = first; j < first + d.logits; ++j) {
      const wide y(d.y[j]);
      const bool positive = y > wide(0), there = wide(d.target[j]) > wide(0.5);
      const wide z = there ? y : -y, r = sigmoid(-z), squared = r * r;
      const double a = there ? d.options.alpha : 1 - d.options.alpha;
      const wide l = (z < wide(0) ? -z : wide(0)) + log1p(exp(-abs(z)));
      loss = loss + wide(a) * squared * l;
      correct += positive == there ? 1 : 0;
      if (d.dy == nullptr) continue;
      const wide slope = squared * (wide(2) * (wide(1) - r) * l + r);
      d.dy[j] = T(wide(there ? -scale * a : scale * a) * slope);
    }
    for (index_t j = first + d.logits; j < first + d.logits + d.boxes; ++j) {
      const wide t(d.target[j]), delta = wide(d.options.delta), half_delta = wide(d.options.delta / 2);
      const bool wanted = exactly(t, t);
      const wide e = wanted ? wide(d.y[j]) - t : wide(d.y[j]) - wide(d.y[j]), size = abs(e);
      const wide square = wide(0.5) * e * e, line = delta * (size - half_delta);
      const bool beyond = size > delta;
      loss = loss + wide(d.options.box_weight) * (beyond ? line : square);
      if (d.dy == nullptr) continue;
      const bool below = e < wide(0);
      d.dy[j] = T(wide(scale * d.options.box_weight) * (!beyond ? e : below ? -delta : delta));
    }
  }
  d.state->loss = static_cast<double>(loss) / static_cast<double>(d.samples);
  d.state->correct = correct;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

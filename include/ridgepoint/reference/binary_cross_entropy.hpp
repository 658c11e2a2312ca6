// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/ops/binary_cross_entropy.hpp>
#include <ridgepoint/reference/activation.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// loss ← mean_i max(y, 0) − y·t + ln(1 + e^−|y|), dy(i) ← weight·(σ(y) − t) / size, summed in double.
template <scalar T>
void execute(const reference_backend&, const binary_cross_entropy_args<T>& b) {
  using std::exp, std::log1p, std::abs;
  using wide = accumulator_t<T>;
  const auto scale = static_cast<wide>(b.weight / static_cast<double>(b.size));
  wide loss(0);
  std::uint32_t correct = 0;
  for (index_t i = 0; i < b.size; ++i) {
    const wide y(b.y[i]), t(b.target[i]);
    const bool positive = y > wide(0), is_one = t > wide(0.5);
    loss = loss + ((y < wide(0) ? wide(0) : y) - y * t + log1p(exp(-abs(y))));
    correct += positive == is_one ? 1 : 0;
    if (b.dy != nullptr) b.dy[i] = T(scale * (sigmoid(y) - t));
  }
  b.state->loss = static_cast<double>(loss) / static_cast<double>(b.size);
  b.state->correct = correct;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

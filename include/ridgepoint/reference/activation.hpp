// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/ops/activation.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// σ(x) = 1 / (1 + e^(−x)); one special.
inline double sigmoid(double x) noexcept { return 1.0 / (1.0 + std::exp(-x)); }

/// f(x); relu(NaN) is NaN. Any scalar with comparison and sigmoid(), tanh() beside it.
template <class A>
[[nodiscard]] A apply(activation f, A x) {
  using std::tanh;
  switch (f) {
    case activation::relu: return x < A(0) ? A(0) : x;
    case activation::sigmoid: return sigmoid(x);
    case activation::tanh: return tanh(x);
    case activation::none: break;
  }
  return x;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

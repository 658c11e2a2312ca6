// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/ops/activation.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// σ(x) = 1 / (1 + e^(−x)); one special.
inline double sigmoid(double x) noexcept { return 1.0 / (1.0 + std::exp(-x)); }
inline float sigmoid(float x) noexcept { return 1.0F / (1.0F + std::exp(-x)); }

/// f(x); NaN stays NaN. Any scalar with comparison and sigmoid(), tanh(), erf() beside it.
template <class A>
[[nodiscard]] A apply(activation f, A x, A slope = A(0.01)) {
  using std::erf, std::tanh;
  switch (f) {
    case activation::relu:
      return x < A(0) ? A(0) : x;
    case activation::leaky_relu: {
      const A leaked = slope * x;
      return x > A(0) ? x : leaked;
    }
    case activation::sigmoid:
      return sigmoid(x);
    case activation::tanh:
      return tanh(x);
    case activation::hard_sigmoid: {
      const A line = A(0.2) * x + A(0.5), above = line < A(0) ? A(0) : line;
      return A(1) < above ? A(1) : above;
    }
    case activation::relu6: {
      const A above = x < A(0) ? A(0) : x;
      return A(6) < above ? A(6) : above;
    }
    case activation::gelu: {
      if (exactly(x, A(-std::numeric_limits<double>::infinity()))) return A(0);  // its half times erfc, which is 0
      const A half = A(0.5) * x;
      return half + half * erf(x * A(std::numbers::sqrt2 / 2));
    }
    case activation::none:
      break;
  }
  return x;
}

/// f'(x)·dy from y = f(x), or from x itself where derives_from_input(f): gelu's is Φ(x) + x·e^(−x²/2)/√(2π).
template <class A>
[[nodiscard]] A apply_backward(activation f, A y, A dy, A slope = A(0.01)) {
  using std::erf, std::exp;
  switch (f) {
    case activation::relu:
      return y <= A(0) ? A(0) : dy;
    case activation::leaky_relu: {
      const A leaked = slope * dy;
      return y <= A(0) ? leaked : dy;
    }
    case activation::sigmoid:
      return dy * (y * (A(1) - y));
    case activation::tanh:
      return dy * (A(1) - y * y);
    case activation::hard_sigmoid: {
      const A inside = A(0.2) * dy;
      const bool low = y <= A(0), high = y >= A(1);
      return low || high ? A(0) : inside;
    }
    case activation::relu6: {
      const bool low = y <= A(0), high = y >= A(6);
      return low || high ? A(0) : dy;
    }
    case activation::gelu: {
      const A& x = y;
      const A below = A(0.5) + A(0.5) * erf(x * A(std::numbers::sqrt2 / 2)), square = x * x;
      if (exactly(square, A(std::numeric_limits<double>::infinity()))) return dy * below;  // no density is left
      const A density = exp(A(-0.5) * square) * (A(std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2) * x);
      return dy * (below + density);
    }
    case activation::none:
      break;
  }
  return dy;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

namespace ridgepoint_device {

/// Must match the numbers of ridgepoint::activation.
enum class activation : int { none, relu, leaky_relu, sigmoid, tanh, hard_sigmoid, relu6, gelu };

/// Returns f(x); NaN stays NaN.
template <class T>
__device__ T activated(activation f, T x, T slope) {
  switch (f) {
    case activation::relu:
      return x < T(0) ? T(0) : x;
    case activation::leaky_relu:
      return x > T(0) ? x : slope * x;
    case activation::sigmoid:
      return T(1) / (T(1) + exp(-x));
    case activation::tanh:
      return ::tanh(x);
    case activation::hard_sigmoid: {
      const T line = T(0.2) * x + T(0.5), above = line < T(0) ? T(0) : line;
      return T(1) < above ? T(1) : above;
    }
    case activation::relu6: {
      const T above = x < T(0) ? T(0) : x;
      return T(6) < above ? T(6) : above;
    }
    case activation::gelu: {
      const T half = T(0.5) * (x < T(-40) ? T(-40) : x);  // erfc is 0 below that; -infinity gives NaN
      return half + half * erf(x * T(0.70710678118654752));
    }
    case activation::none:
      break;
  }
  return x;
}

/// Returns f'(x)·dy from y = f(x); for gelu from x itself.
template <class T>
__device__ T activated_backward(activation f, T y, T dy, T slope) {
  switch (f) {
    case activation::relu:
      return y <= T(0) ? T(0) : dy;
    case activation::leaky_relu:
      return y <= T(0) ? slope * dy : dy;
    case activation::sigmoid:
      return dy * (y * (T(1) - y));
    case activation::tanh:
      return dy * (T(1) - y * y);
    case activation::hard_sigmoid:
      return y <= T(0) || y >= T(1) ? T(0) : T(0.2) * dy;
    case activation::relu6:
      return y <= T(0) || y >= T(6) ? T(0) : dy;
    case activation::gelu: {
      const T x = y < T(-40) ? T(-40) : y > T(40) ? T(40) : y;  // the density is 0 beyond that; ±infinity gives NaN
      const T below = T(0.5) + T(0.5) * erf(x * T(0.70710678118654752));
      return dy * (below + exp(T(-0.5) * (x * x)) * (T(0.39894228040143268) * x));
    }
    case activation::none:
      break;
  }
  return dy;
}

}  // namespace ridgepoint_device

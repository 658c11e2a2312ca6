// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/ops/geometry.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Definition of every op: naive loops, double accumulation, one file per family of ops in this folder. It is slow on
/// purpose.
///
/// Kernels are templates on the scalar: a scalar that counts its own arithmetic executes them and proves the receipts.
struct reference_backend : host_memory {
  [[nodiscard]] static std::string name() { return "reference"; }
};
inline constexpr reference_backend reference{};

/// sum + x·y: one term of a matrix product or convolution. A scalar that counts its own arithmetic overloads it to
/// separate matrix FLOP from the rest.
template <class A>
[[nodiscard]] constexpr A multiply_add(A sum, A x, A y) {
  return sum + x * y;
}

/// σ(x) = 1 / (1 + e^(−x)); one special.
inline double sigmoid(double x) noexcept { return 1.0 / (1.0 + std::exp(-x)); }
inline float sigmoid(float x) noexcept { return 1.0F / (1.0F + std::exp(-x)); }

/// f(x); NaN stays NaN. Accepts any scalar with comparison and sigmoid(), tanh(), erf() found by ADL.
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
      if (exactly(x, A(-std::numeric_limits<double>::infinity()))) return A(0);  // half · erfc, which is 0
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
      if (exactly(square, A(std::numeric_limits<double>::infinity()))) return dy * below;  // the density is 0
      const A density = exp(A(-0.5) * square) * (A(std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2) * x);
      return dy * (below + density);
    }
    case activation::none:
      break;
  }
  return dy;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Calls at(n, output, taps) for every output pixel of every image, `output` counting over all of them; taps(use) calls
/// use(tap, pixel) for every tap of its window, pixel = row·width + column within the image, or −1 outside it.
/// Geometry: rows() and columns() are the window's axes, n the number of images.
template <class Geometry, class At>
void for_each_output(const Geometry& g, At&& at) {
  const window_axis rows = g.rows(), columns = g.columns();
  index_t output = 0;
  for (index_t n = 0; n < g.n; ++n)
    for (index_t oh = 0; oh < rows.outputs(); ++oh)
      for (index_t ow = 0; ow < columns.outputs(); ++ow)
        at(n, output++, [&](auto&& use) {
          for (index_t kh = 0; kh < rows.taps; ++kh)
            for (index_t kw = 0; kw < columns.taps; ++kw) {
              const index_t h = rows.input(oh, kh), w = columns.input(ow, kw);
              use(kh * columns.taps + kw, rows.inside(h) && columns.inside(w) ? h * columns.extent + w : index_t{-1});
            }
        });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

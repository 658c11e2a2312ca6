// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/simd/math.hpp>

/// \file
/// Activations on a register, for map() and for code that already has the value in a register. Each is a pair: y from
/// x, and dx from dy and y, or x if derives_from_input().
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class T>
struct identity {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept { return {x}; }
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch, batch dy) const noexcept { return {dy}; }
};

template <class T>
struct relu {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept { return {(simd::max)(x, batch(T(0)))}; }
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch y, batch dy) const noexcept {
    return {simd::select(y <= batch(T(0)), batch(T(0)), dy)};
  }
};

template <class T>
struct leaky_relu {
  using batch = simd::batch<T>;
  T slope;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept {
    return {simd::select(x > batch(T(0)), x, batch(slope) * x)};
  }
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch y, batch dy) const noexcept {
    return {simd::select(y <= batch(T(0)), batch(slope) * dy, dy)};
  }
};

template <class T>
struct sigmoid {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept { return {simd::sigmoid(x)}; }
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch y, batch dy) const noexcept {
    return {dy * (y * (batch(T(1)) - y))};
  }
};

template <class T>
struct tanh {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept { return {simd::tanh(x)}; }
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch y, batch dy) const noexcept {
    return {dy * (batch(T(1)) - y * y)};
  }
};

template <class T>
struct hard_sigmoid {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept {
    return {(simd::min)((simd::max)(simd::fma(x, batch(T(0.2)), batch(T(0.5))), batch(T(0))), batch(T(1)))};
  }
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch y, batch dy) const noexcept {
    const batch inside = simd::select(y <= batch(T(0)), batch(T(0)), batch(T(0.2)) * dy);
    return {simd::select(y >= batch(T(1)), batch(T(0)), inside)};
  }
};

template <class T>
struct relu6 {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept {
    return {(simd::min)((simd::max)(x, batch(T(0))), batch(T(6)))};
  }
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch y, batch dy) const noexcept {
    const batch below = simd::select(y >= batch(T(6)), batch(T(0)), dy);
    return {simd::select(y <= batch(T(0)), batch(T(0)), below)};
  }
};

/// The backward pass uses x. Beyond ±40 erfc and the density are zero: infinities are clamped to that range.
template <class T>
struct gelu {
  using batch = simd::batch<T>;
  static constexpr bool is_long = true;
  static constexpr T root = T(0.70710678118654752440), density = T(0.39894228040143267794);  // √½, 1/√(2π)
  static constexpr T limit = T(40);
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept {
    x = (simd::max)(x, batch(-limit));
    const batch half = batch(T(0.5)) * x;
    return {simd::fma(half, simd::erf(x * batch(root)), half)};
  }
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x, batch dy) const noexcept {
    x = (simd::min)((simd::max)(x, batch(-limit)), batch(limit));
    const batch half(T(0.5)), below = simd::fma(half, simd::erf(x * batch(root)), half);
    return {dy * simd::fma(simd::exp(-half * (x * x)), batch(density) * x, below)};
  }
};

/// Calls body(formula) with the formula of f.
template <class T, class Body>
RIDGEPOINT_INLINE void with_activation(activation f, T slope, const Body& body) noexcept {
  switch (f) {
    case activation::none:
      return body(identity<T>{});
    case activation::relu:
      return body(relu<T>{});
    case activation::leaky_relu:
      return body(leaky_relu<T>{slope});
    case activation::sigmoid:
      return body(sigmoid<T>{});
    case activation::tanh:
      return body(tanh<T>{});
    case activation::hard_sigmoid:
      return body(hard_sigmoid<T>{});
    case activation::relu6:
      return body(relu6<T>{});
    case activation::gelu:
      return body(gelu<T>{});
  }
}

/// Calls body(formula) with the formula of f, for the activations that a recurrent layer's gates support.
template <class T, class Body>
RIDGEPOINT_INLINE void with_gate(activation f, const Body& body) noexcept {
  if (f == activation::hard_sigmoid) body(hard_sigmoid<T>{});
  else body(sigmoid<T>{});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

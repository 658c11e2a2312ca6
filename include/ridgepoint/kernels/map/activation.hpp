// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/simd/math.hpp>

/// \file
/// Activations on a register, for map(), and for whoever has the value in a register already. Each is a pair: y from x,
/// and dx from y and dy.
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
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept { return {simd::max(x, batch(T(0)))}; }
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
    return {simd::min(simd::max(simd::fma(x, batch(T(0.2)), batch(T(0.5))), batch(T(0))), batch(T(1)))};
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
    return {simd::min(simd::max(x, batch(T(0))), batch(T(6)))};
  }
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch y, batch dy) const noexcept {
    const batch below = simd::select(y >= batch(T(6)), batch(T(0)), dy);
    return {simd::select(y <= batch(T(0)), batch(T(0)), below)};
  }
};

/// body(formula) with the formula of f.
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
  }
}

/// The same of what a recurrent layer's gates can be.
template <class T, class Body>
RIDGEPOINT_INLINE void with_gate(activation f, const Body& body) noexcept {
  if (f == activation::hard_sigmoid) body(hard_sigmoid<T>{});
  else body(sigmoid<T>{});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

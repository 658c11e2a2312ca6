// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/map.hpp>

#include "docs/toy/ops/softsign.hpp"

namespace toy {

/// Computes the formula one register at a time, on every instruction set.
template <class T>
struct softsign_formula {
  using batch = rp::simd::batch<T>;
  static batch magnitude(batch x) noexcept { return rp::simd::max(x, -x); }  // NaN stays NaN
  std::array<batch, 1> operator()(batch x) const noexcept { return {x / (batch(T(1)) + magnitude(x))}; }
  std::array<batch, 1> operator()(batch y, batch dy) const noexcept {
    const batch slope = batch(T(1)) - magnitude(y);
    return {dy * (slope * slope)};
  }
};

template <std::floating_point T>
void execute(const rp::native_cpu& on, const softsign_args<T>& a) {
  rp::for_parts(on, a.size, [&](rp::index_t begin, rp::index_t end) {
    rp::kernels::map<T, 1, 1>({a.x + begin}, {a.y + begin}, end - begin, softsign_formula<T>{});
  });
}
template <std::floating_point T>
void execute(const rp::native_cpu& on, const softsign_backward_args<T>& a) {
  rp::for_parts(on, a.size, [&](rp::index_t begin, rp::index_t end) {
    rp::kernels::map<T, 2, 1>({a.y + begin, a.dy + begin}, {a.dx + begin}, end - begin, softsign_formula<T>{});
  });
}

}  // namespace toy

// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include <ridgepoint/kernels/map/convert_kernels.hpp>
#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// y(i) ← f(x(i)), where one of x, y is float and the other bfloat16; f takes a batch of floats.
template <class To, class From, class F = std::identity>
void convert(const From* x, To* y, index_t size, const F& f = {}) noexcept {
  constexpr index_t lanes = simd::lanes<float>, unroll = 4;
  index_t i = 0;
  for (; i + unroll * lanes <= size; i += unroll * lanes) {
    RIDGEPOINT_UNROLL
    for (index_t u = 0; u < unroll; ++u) simd::store(y + i + u * lanes, f(simd::load(x + i + u * lanes)));
  }
  for (; i < size; i += lanes) {
    const index_t n = size - i < lanes ? size - i : lanes;
    simd::store_partial(y + i, f(simd::load_partial(x + i, n)), n);
  }
}

template <class To, class From>
void convert_chunk<To, From>::run(const convert_args<To, From>& a, index_t begin, index_t end) noexcept {
  using batch = simd::batch<float>;
  const From* const x = a.x + begin;
  To* const y = a.y + begin;
  if (a.scale_state == nullptr) return kernels::convert(x, y, end - begin);
  const float factor = ridgepoint::detail::conversion_factor(a);
  kernels::convert(x, y, end - begin, [factor](const batch& value) { return value * batch(factor); });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

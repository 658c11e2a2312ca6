// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/kernels/map/elementwise_kernels.hpp>
#include <ridgepoint/kernels/map/in_floats.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/kernels/map/softmax.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {

/// out(i) ← formula(in(i)…) for elements [begin, end), in float if they are bfloat16.
template <class T, std::size_t Ins, class Formula>
RIDGEPOINT_INLINE void map_chunk(std::array<const T*, Ins> in, T* out, index_t begin, index_t end, stores how,
                                 const Formula& formula) noexcept {
  if constexpr (std::same_as<T, bfloat16>) {
    for_stretches<Ins>(in, out, begin, end, [&](auto& x, index_t n) RIDGEPOINT_INLINE_LAMBDA {
      std::array<const float*, Ins> from;
      for (std::size_t k = 0; k < Ins; ++k) from[k] = x[k];
      map<float, Ins, 1>(from, {x[Ins - 1]}, n, formula);
    });
  } else {
    for (const T*& p : in) p += begin;
    map_to(in, out + begin, end - begin, how, formula);
  }
}

template <class T>
struct sum_of_two {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch a, batch b) const noexcept { return {a + b}; }
};
template <class T>
struct square {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept { return {x * x}; }
};

template <class T>
struct magnitude {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept { return {simd::abs(x)}; }
};

}  // namespace detail

template <class T>
void activate_chunk<T>::run(const activate_args<T>& a, stores how, index_t begin, index_t end) noexcept {
  using number = compute_t<T>;
  with_activation(a.f, static_cast<number>(a.slope), [&](const auto& formula) RIDGEPOINT_INLINE_LAMBDA {
    detail::map_chunk<T, 1>({a.x}, a.y, begin, end, how, formula);
  });
}
template <class T>
void activate_backward_chunk<T>::run(const activate_backward_args<T>& a, stores how, index_t begin,
                                     index_t end) noexcept {
  using number = compute_t<T>;
  const T* y = a.f == activation::none ? a.dy : a.y;  // the identity does not read y
  with_activation(a.f, static_cast<number>(a.slope), [&](const auto& formula) RIDGEPOINT_INLINE_LAMBDA {
    detail::map_chunk<T, 2>({y, a.dy}, a.dx, begin, end, how, formula);
  });
}
template <class T>
void add_chunk<T>::run(const add_args<T>& a, stores how, index_t begin, index_t end) noexcept {
  detail::map_chunk<T, 2>({a.a, a.b}, a.y, begin, end, how, detail::sum_of_two<compute_t<T>>{});
}
template <class T>
void positions_backward_chunk<T>::run(const positions_backward_args<T>& a, stores how, index_t begin,
                                      index_t end) noexcept {
  detail::map_chunk<T, 1>({a.dy}, a.dx, begin, end, how, scaled<T>{static_cast<T>(a.scale)});
}
template <class T>
double sum_of_squares_chunk<T>::run(const sum_of_squares_args<T>& a, index_t begin, index_t end) noexcept {
  const T* const x = a.x + begin;
  const index_t n = end - begin;
  const double sum = map<T, 1, 0>({x}, {}, n, detail::square<T>{})[0];
  // Outside this range, squares may have overflowed or underflowed T.
  if (sizeof(T) == sizeof(double) || (sum >= 0x1p-80 && sum < std::numeric_limits<double>::infinity())) return sum;
  if (exactly(sum, 0) && exactly(map<T, 1, 0>({x}, {}, n, detail::magnitude<T>{})[0], 0)) return sum;
  return sum_in_double(n, [&](index_t i) { return static_cast<double>(x[i]) * static_cast<double>(x[i]); });
}
inline void advance_step::run(const advance_args& a) noexcept { end_step(a); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

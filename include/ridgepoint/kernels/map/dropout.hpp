// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <concepts>
#include <cstring>

#include <ridgepoint/kernels/map/convert.hpp>
#include <ridgepoint/kernels/map/dropout_kernels.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/ops/dropout.hpp>
#include <ridgepoint/simd/exponent.hpp>
#include <ridgepoint/simd/philox.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {

/// Random numbers are generated as 2^fraction_bits + bits, so that a comparison of T decides which elements are kept.
template <class T>
inline constexpr T dropout_lift = static_cast<T>(std::uint64_t{1} << simd::detail::fraction_bits<T>);

/// Returns first, first + step, … in the lanes.
RIDGEPOINT_INLINE simd::counters counter_sequence(std::uint64_t first, std::uint64_t step) noexcept {
  std::array<std::uint64_t, static_cast<std::size_t>(simd::counter_lanes)> lane;
  for (std::size_t l = 0; l < lane.size(); ++l) lane[l] = first + l * step;
  return __builtin_bit_cast(simd::counters, lane);
}

/// The random numbers of elements [128·block, 128·(block + 1)): see dropout_mask.
template <class T>
RIDGEPOINT_INLINE void dropout_block(const dropout_mask& mask, index_t block, T* random) noexcept {
  using simd::counters;
  constexpr bool packed = sizeof(T) == 4;  // two counters share a 64-bit lane: even low, odd high
  constexpr std::uint64_t stride = packed ? 2 : 1, per_pass = stride * simd::counter_lanes;
  constexpr std::uint64_t low16 = packed ? 0x0000FFFF0000FFFFU : 0xFFFFU;
  constexpr std::uint64_t lift = packed ? 0x4B0000004B000000U : 0x4330000000000000U;
  const std::uint64_t first = static_cast<std::uint64_t>(block) * 16;
  const counters zero{}, high = zero + (first >> 32), step = zero + std::uint64_t{mask.step},
                         stream = zero + std::uint64_t{mask.stream};
  for (std::uint64_t c = 0; c < 16; c += per_pass) {
    std::array<counters, 4> words = simd::philox({counter_sequence(first + c, stride), high, step, stream}, mask.seed);
    if constexpr (packed) {
      const std::array<counters, 4> odd =
          simd::philox({counter_sequence(first + c + 1, stride), high, step, stream}, mask.seed);
      for (std::size_t w = 0; w < 4; ++w) words[w] = (words[w] & 0xFFFFFFFFU) | (odd[w] << 32);
    }
    for (std::size_t w = 0; w < 4; ++w) {
      const counters low = (words[w] & low16) | lift, top = ((words[w] >> 16) & low16) | lift;
      std::memcpy(random + 32 * w + c, &low, sizeof low);
      std::memcpy(random + 32 * w + 16 + c, &top, sizeof top);
    }
  }
}

template <class T>
struct dropped {
  using batch = simd::batch<T>;
  T scale, threshold;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x, batch random) const noexcept {
    return {simd::select(random >= batch(threshold), x * batch(scale), batch(T(0)))};
  }
};

/// y(i) ← x(i) scaled or dropped, as decided by random(i); at most one block.
template <class T, class Number>
RIDGEPOINT_INLINE void drop(const dropped<Number>& formula, const Number* random, const T* x, T* y,
                            index_t n) noexcept {
  if constexpr (std::same_as<T, Number>) {
    map<T, 2, 1>({x, random}, {y}, n, formula);
  } else {
    alignas(alignment_bytes) std::array<Number, dropout_mask::block> values;
    kernels::convert(x, values.data(), n);
    map<Number, 2, 1>({values.data(), random}, {values.data()}, n, formula);
    kernels::convert(values.data(), y, n);
  }
}
/// Calls f(block, its random numbers, its elements) for the blocks of elements [begin, end), begin a multiple of a
/// block.
template <class T, class F>
RIDGEPOINT_INLINE void for_dropout_blocks(const dropout_mask& mask, index_t begin, index_t end, const F& f) noexcept {
  using number = compute_t<T>;
  alignas(alignment_bytes) std::array<number, dropout_mask::block> random;
  const dropped<number> formula{.scale = static_cast<number>(mask.scale()),
                                .threshold = dropout_lift<number> + static_cast<number>(mask.threshold)};
  for (index_t i = begin; i < end; i += dropout_mask::block) {
    dropout_block(mask, i / dropout_mask::block, random.data());
    f(formula, random.data(), i, end - i < dropout_mask::block ? end - i : dropout_mask::block);
  }
}

}  // namespace detail

/// y(i) ← kept(i) ? x(i)·scale : 0 for elements [begin, end), begin a multiple of dropout_mask::block.
template <class T>
void dropout(const dropout_mask& mask, const T* x, T* y, index_t begin, index_t end) noexcept {
  detail::for_dropout_blocks<T>(mask, begin, end, [&](const auto& formula, const auto* random, index_t i, index_t n) {
    detail::drop(formula, random, x + i, y + i, n);
  });
}

/// Dropout of sequences (samples, steps, width) whose steps share a mask (samples, width), for elements [begin, end) of
/// the mask: random numbers are generated once for all steps.
template <class T>
void dropout_of_steps(const dropout_mask& mask, const T* x, T* y, index_t steps, index_t width, index_t begin,
                      index_t end) noexcept {
  detail::for_dropout_blocks<T>(mask, begin, end, [&](const auto& formula, const auto* random, index_t i, index_t n) {
    for (index_t done = 0; done < n;) {
      const index_t sample = (i + done) / width, column = (i + done) % width;
      const index_t together = width - column < n - done ? width - column : n - done;
      for (index_t t = 0; t < steps; ++t) {
        const index_t at = (sample * steps + t) * width + column;
        detail::drop(formula, random + done, x + at, y + at, together);
      }
      done += together;
    }
  });
}

template <class T>
void dropout_chunk<T>::run(const dropout_args<T>& d, index_t begin, index_t end) noexcept {
  const dropout_mask mask(d.rate, d.seed, d.state->step, d.stream);
  if (d.steps == 1) kernels::dropout(mask, d.x, d.y, begin, end);
  else kernels::dropout_of_steps(mask, d.x, d.y, d.steps, d.width, begin, end);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

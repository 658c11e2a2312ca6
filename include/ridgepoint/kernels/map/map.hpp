// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/simd/lanes.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {

/// Registers of `in` starting at element i; the first n lanes only if Partial.
template <bool Partial, class T, std::size_t Ins, std::size_t... Input>
RIDGEPOINT_INLINE auto apply_at(const std::array<const T*, Ins>& in, index_t i, [[maybe_unused]] index_t n,
                                const auto& formula, std::index_sequence<Input...>) noexcept {
  if constexpr (Partial) return formula(simd::load_partial(in[Input] + i, n)...);
  else return formula(simd::load(in[Input] + i)...);
}

}  // namespace detail

/// out(i)… ← formula(in(i)…), element by element, a register at a time.
///
/// formula takes one simd::batch per input and returns an array: first one batch per output, then any number of
/// summands.
/// The tail runs the same formula on a partly filled register. An output may be an input; formula sees the old value.
/// Returns the sum of each summand over all elements; T is summed in four registers for at most 256 of them, then in
/// double, always in the same order.
/// The loop over four registers is unrolled. A formula with a member is_long = true is compiled for one register
/// instead, for half the code: a CPU overlaps the work of successive registers without unrolling.
/// Requires for stores::streaming: register-aligned outputs.
template <class T, std::size_t Ins, std::size_t Outs, class Formula>
RIDGEPOINT_INLINE auto map(const std::array<const T*, Ins>& in, const std::array<T*, Outs>& out, index_t size,
                           const Formula& formula, stores how = stores::cached) noexcept {
  using simd::batch;
  constexpr std::make_index_sequence<Ins> inputs{};
  constexpr index_t lanes = simd::lanes<T>, unroll = 4, flush = 64 * unroll * lanes;
  constexpr std::size_t sums =
      std::tuple_size_v<decltype(detail::apply_at<false, T>(in, 0, 0, formula, inputs))> - Outs;
  std::array<double, sums> total{};

  index_t i = 0;
  while (i + unroll * lanes <= size) {
    const index_t blocks_end = size - i > flush ? i + flush : size - (size - i) % (unroll * lanes);
    std::array<std::array<batch<T>, sums>, unroll> partial;
    for (auto& registers : partial) registers.fill(batch<T>(T(0)));
    const auto add = [&](index_t at, std::array<batch<T>, sums>& sum) RIDGEPOINT_INLINE_LAMBDA {
      const auto result = detail::apply_at<false, T>(in, at, 0, formula, inputs);
      RIDGEPOINT_UNROLL
      for (std::size_t o = 0; o < Outs; ++o)
        how == stores::streaming ? simd::stream(out[o] + at, result[o]) : simd::store(out[o] + at, result[o]);
      RIDGEPOINT_UNROLL
      for (std::size_t s = 0; s < sums; ++s) sum[s] = sum[s] + result[Outs + s];
    };
    if constexpr (requires { requires Formula::is_long; }) {
      RIDGEPOINT_ROLLED
      for (std::size_t u = 0; i < blocks_end; i += lanes, u = (u + 1) % unroll) add(i, partial[u]);
    } else {
      for (; i < blocks_end; i += unroll * lanes) {
        RIDGEPOINT_UNROLL
        for (index_t u = 0; u < unroll; ++u) add(i + u * lanes, partial[static_cast<std::size_t>(u)]);
      }
    }
    for (std::size_t s = 0; s < sums; ++s)
      total[s] += static_cast<double>(simd::sum<T>((partial[0][s] + partial[1][s]) + (partial[2][s] + partial[3][s])));
  }
  for (; i < size; i += lanes) {
    const index_t n = size - i < lanes ? size - i : lanes;
    const auto result = detail::apply_at<true, T>(in, i, n, formula, inputs);
    for (std::size_t o = 0; o < Outs; ++o) simd::store_partial(out[o] + i, result[o], n);
    for (std::size_t s = 0; s < sums; ++s)
      total[s] += static_cast<double>(simd::sum<T>(simd::first(result[Outs + s], n, batch<T>(T(0)))));
  }
  if (how == stores::streaming) simd::end_stream();
  return total;
}

/// map() to one output, written as `how` specifies if it is register-aligned.
template <class T, std::size_t Ins, class Formula>
RIDGEPOINT_INLINE void map_to(const std::array<const T*, Ins>& in, T* out, index_t size, stores how,
                              const Formula& formula) noexcept {
  const bool aligned = reinterpret_cast<std::uintptr_t>(out) % sizeof(simd::batch<T>) == 0;
  map<T, Ins, 1>(in, {out}, size, formula, aligned ? how : stores::cached);
}

/// Σ of(i) for i from 0 to n − 1 in double, in four independent sums to hide latency.
template <class Summand>
[[nodiscard]] RIDGEPOINT_NOINLINE double sum_in_double(index_t n, const Summand& of) noexcept {
  double sums[4] = {};
  for (index_t i = 0; i < n; ++i) sums[i % 4] += of(i);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/with_constant.hpp>
#include <ridgepoint/kernels/probe/args.hpp>
#include <ridgepoint/kernels/probe/keep.hpp>
#include <ridgepoint/kernels/probe/probe_kernels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Runs one pass over size elements (a multiple of 64): 64 elements a step, 256 bytes of every array.
///   load: read a      store: a ← 0      copy: a ← b      triad: a ← b + 3·c
template <stream_kind Kind, bool NonTemporal>
RIDGEPOINT_NOINLINE void stream_pass(float* a, const float* b, const float* c, index_t size) noexcept {
  constexpr int lanes = simd::lanes<float>, per_step = 64 / lanes;
  const simd::batch<float> three(3.0F);
  const auto put = [](float* p, simd::batch<float> x) {
    keep<float>(x);  // a loop of plain stores would become memset or memcpy
    NonTemporal ? simd::stream(p, x) : simd::store(p, x);
  };
  for (index_t i = 0; i < size; i += 64) {
    RIDGEPOINT_UNROLL
    for (int j = 0; j < per_step; ++j) {
      const index_t at = i + j * lanes;
      if constexpr (Kind == stream_kind::load) {
        simd::batch<float> x = simd::load<float>(a + at);
        keep<float>(x);
      } else if constexpr (Kind == stream_kind::store) {
        put(a + at, simd::batch<float>(0.0F));
      } else if constexpr (Kind == stream_kind::copy) {
        put(a + at, simd::load<float>(b + at));
      } else {
        put(a + at, simd::fma(three, simd::load<float>(c + at), simd::load<float>(b + at)));
      }
    }
  }
  if constexpr (NonTemporal) simd::end_stream();
}

/// Runs all passes of one thread over its part of the arrays, elements first … first + size − 1; returns the bytes
/// moved. pass<kind, non-temporal>(a, b, c, size) is one pass.
template <class Pass>
std::uint64_t run_passes(const stream_args& args, index_t first, index_t size, const Pass& pass) noexcept {
  with_constant<stream_kind::load, stream_kind::triad>(args.kind, [&](auto kind) {
    const auto offset = [&](float* p) { return p == nullptr ? p : p + first; };
    float *a = offset(args.a), *b = offset(args.b), *c = offset(args.c);
    for (std::int64_t done = 0; done < args.passes; ++done) {
      args.non_temporal ? pass.template operator()<kind, true>(a, b, c, size)
                        : pass.template operator()<kind, false>(a, b, c, size);
      asm volatile("" ::: "memory");
    }
  });
  return static_cast<std::uint64_t>(args.passes) * sizeof(float) * static_cast<std::uint64_t>(size) *
         static_cast<std::uint64_t>(stream_arrays(args.kind));
}
/// Runs run_passes() with stream_pass().
template <class T>
std::uint64_t stream_window<T>::run(const stream_args& args, index_t first, index_t size) noexcept {
  return run_passes(args, first, size,
                    []<stream_kind Kind, bool NonTemporal>(float* a, const float* b, const float* c, index_t n) {
                      stream_pass<Kind, NonTemporal>(a, b, c, n);
                    });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

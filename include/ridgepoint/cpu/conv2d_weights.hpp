// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/ops/conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// dw ← patchesᵀ · dy, cut into parts that threads compute: rows of dw tap by tap where there are many, else pixels, of
/// which each chunk has a sum of its own. The cut depends on the shape alone, and so do the bits.
template <class T>
struct weights_schedule {
  index_t chunks = 1, chunk = 0;  // of the pixels
  index_t taps = 1;               // parts that these are cut into: one each, or one
  index_t pixels = 0, ld = 0;     // of patches at once
  std::size_t sums_bytes = 0, patch_bytes = 0, worker_bytes = 0;

  weights_schedule(const kernels::patches<T>& p, index_t f) noexcept {
    constexpr index_t size = sizeof(T), most_sums_bytes = 8 << 20, most_chunks = 16, worth_a_chunk = 1 << 22;
    const index_t k = p.depth(), all = p.pixels(), filter = k * f;
    if (all == 0) return;
    const index_t room = std::clamp<index_t>(most_sums_bytes / (filter * size), 1, most_chunks);
    chunks = std::clamp<index_t>(all / std::max<index_t>(1, worth_a_chunk / filter), 1, std::min(room, all));
    if (chunks < 4) taps = p.rows.taps.count * p.columns.taps.count;
    const index_t depth = k / taps;
    ld = kernels::patch_ld<T>(depth);
    chunk = ceil_div(all, chunks);
    chunks = ceil_div(all, chunk);
    pixels = std::min(chunk, std::clamp<index_t>(gemm_host_caches().l2 / 2 / (ld * size), 64, 512));
    patch_bytes = piece_bytes<T>(pixels * ld);
    if (chunks > 1) sums_bytes = static_cast<std::size_t>(chunks) * piece_bytes<T>(filter);
    for (const index_t some : {pixels, chunk % pixels, (all - (chunks - 1) * chunk) % pixels})
      for (const T beta : {T(0), T(1)}) {
        if (some == 0) continue;
        const gemm_args<T> g = product(nullptr, some, depth, nullptr, f, nullptr, beta);
        worker_bytes = std::max(worker_bytes, patch_bytes + schedule(native_cpu(1), g).workspace_bytes());
      }
  }

  [[nodiscard]] index_t parts() const noexcept { return chunks * taps; }
  /// dw (depth × f) ← patchesᵀ · dy + β·dw for some pixels.
  [[nodiscard]] gemm_args<T> product(const T* patch, index_t count, index_t depth, const T* dy, index_t f, T* dw,
                                     T beta) const noexcept {
    return {.a = matrix_view<const T>(patch, count, depth, ld).transposed(),
            .b = {dy, count, f},
            .c = {dw, depth, f},
            .options = {.beta = beta}};
  }
};

/// The part of patches that one tap gathers.
template <class T>
[[nodiscard]] kernels::patches<T> of_tap(const kernels::patches<T>& p, index_t r, index_t c) noexcept {
  kernels::patches<T> one = p;
  one.rows = p.rows.of_tap(r), one.columns = p.columns.of_tap(c);
  return one;
}

/// dw ← the sum of the chunks' sums of `size` values, in their order.
template <class T>
void add_chunks(const native_cpu& on, const T* sums, index_t chunks, index_t size, T* dw) noexcept {
  const index_t step = static_cast<index_t>(piece_bytes<T>(size) / sizeof(T));
  for_parts(on, size, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) {
      T total = sums[i];
      for (index_t chunk = 1; chunk < chunks; ++chunk) total += sums[chunk * step + i];
      dw[i] = total;
    }
  });
}

/// Requires: s.sums_bytes at `sums`, s.worker_bytes for every thread at `workers`.
template <class T>
void run_weights(const native_cpu& on, const weights_schedule<T>& s, const kernels::patches<T>& p, const T* dy,
                 index_t f, T* dw, std::byte* sums, std::byte* workers) {
  const index_t all = p.pixels(), filter = p.depth() * f;
  if (all == 0) {
    for (index_t i = 0; i < filter; ++i) dw[i] = T(0);
    return;
  }
  const auto sum_of = [&](index_t chunk) {
    return s.chunks == 1 ? dw : reinterpret_cast<T*>(sums + static_cast<std::size_t>(chunk) * piece_bytes<T>(filter));
  };
  parallel_for(on.thread_count(), s.parts(), [&](index_t part, index_t worker) {
    const index_t chunk = part / s.taps, tap = part % s.taps;
    const kernels::patches<T> mine = s.taps == 1 ? p : of_tap(p, tap / p.columns.taps.count, tap % p.columns.taps.count);
    std::byte* const memory = workers + static_cast<std::size_t>(worker) * s.worker_bytes;
    T* const patch = reinterpret_cast<T*>(memory);
    T* const sum = sum_of(chunk) + tap * mine.depth() * f;
    const index_t first = chunk * s.chunk, last = std::min(all, first + s.chunk);
    for (index_t begin = first; begin < last; begin += s.pixels) {
      const index_t count = std::min(s.pixels, last - begin);
      kernels::gather(mine, begin, begin + count, patch, s.ld);
      const gemm_args<T> g = s.product(patch, count, mine.depth(), dy + begin * f, f, sum, T(begin == first ? 0 : 1));
      run(native_cpu(1), schedule(native_cpu(1), g), g, memory + s.patch_bytes);
    }
  });
  if (s.chunks > 1) add_chunks(on, reinterpret_cast<const T*>(sums), s.chunks, filter, dw);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

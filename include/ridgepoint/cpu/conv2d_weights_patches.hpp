// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/conv2d_chunks.hpp>
#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/ops/conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The part of patches that one tap gathers.
template <class T>
[[nodiscard]] kernels::patches<T> of_tap(const kernels::patches<T>& p, index_t r, index_t c) noexcept {
  kernels::patches<T> one = p;
  one.rows = p.rows.of_tap(r), one.columns = p.columns.of_tap(c);
  return one;
}

/// How dw ← patchesᵀ · dy is cut into parts that threads compute: rows of dw tap by tap where there are many, else
/// pixels, of which each chunk has a sum of its own. The cut depends on the shape alone, and so do the bits.
template <class T>
struct weights_patches {
  static constexpr const char* algorithm = "patches";
  index_t f = 0;
  index_t chunks = 1, chunk = 0;  // of the pixels
  index_t taps = 1;               // parts that these are cut into: one each, or one
  index_t pixels = 0, ld = 0;     // of patches at once
  std::size_t sums_bytes = 0, patch_bytes = 0, worker_bytes = 0;

  weights_patches(const kernels::patches<T>& p, index_t f_) noexcept : f(f_) {
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
        const gemm_args<T> g = product(nullptr, some, depth, nullptr, nullptr, beta);
        worker_bytes = std::max(worker_bytes, patch_bytes + schedule(native_cpu(1), g).workspace_bytes());
      }
  }

  [[nodiscard]] index_t parts() const noexcept { return chunks * taps; }
  /// dw (depth × f) ← patchesᵀ · dy + β·dw for some pixels.
  [[nodiscard]] gemm_args<T> product(const T* patch, index_t count, index_t depth, const T* dy, T* dw,
                                     T beta) const noexcept {
    return {.a = matrix_view<const T>(patch, count, depth, ld).transposed(),
            .b = {dy, count, f},
            .c = {dw, depth, f},
            .options = {.beta = beta}};
  }

  /// Requires: sums_bytes at `sums`, worker_bytes for every thread at `workers`.
  void run(const native_cpu& on, const kernels::patches<T>& p, const T* dy, T* dw, std::byte* sums,
           std::byte* workers) const {
    const index_t all = p.pixels(), filter = p.depth() * f;
    if (all == 0) return std::fill_n(dw, filter, T(0)), void();
    const auto sum_of = [&](index_t number) {
      return chunks == 1 ? dw : reinterpret_cast<T*>(sums + static_cast<std::size_t>(number) * piece_bytes<T>(filter));
    };
    parallel_for(on.thread_count(), parts(), [&](index_t part, index_t worker) {
      const index_t number = part / taps, tap = part % taps;
      const kernels::patches<T> mine =
          taps == 1 ? p : of_tap(p, tap / p.columns.taps.count, tap % p.columns.taps.count);
      std::byte* const memory = workers + static_cast<std::size_t>(worker) * worker_bytes;
      T* const patch = reinterpret_cast<T*>(memory);
      T* const sum = sum_of(number) + tap * mine.depth() * f;
      const index_t first = number * chunk, last = std::min(all, first + chunk);
      for (index_t begin = first; begin < last; begin += pixels) {
        const index_t count = std::min(pixels, last - begin);
        kernels::gather(mine, begin, begin + count, patch, ld);
        const gemm_args<T> g = product(patch, count, mine.depth(), dy + begin * f, sum, T(begin == first ? 0 : 1));
        detail::run(native_cpu(1), schedule(native_cpu(1), g), g, memory + patch_bytes);
      }
    });
    if (chunks > 1) add_chunks(on, reinterpret_cast<const T*>(sums), chunks, filter, dw);
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

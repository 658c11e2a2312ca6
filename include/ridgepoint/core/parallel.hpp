// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/types.hpp>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Cores this process may use: what `threads = 0` stands for. 1 where OpenMP is off.
[[nodiscard]] inline int available_threads() noexcept {
#if defined(_OPENMP)
  return omp_get_num_procs();
#else
  return 1;
#endif
}

/// body(part) for part = 0 … parts-1, on up to `threads` threads; part p runs on thread p mod threads.
///
/// Results must not depend on which thread runs a part: cut the work by its size, never by the thread count, and sums
/// come out bitwise equal for any number of threads. Nested calls run serially.
/// Requires: body does not throw.
template <class Body>
void parallel_for([[maybe_unused]] int threads, index_t parts, Body&& body) noexcept {
#if defined(_OPENMP)
  if (threads > 1 && parts > 1 && !omp_in_parallel()) {
    const int team = static_cast<int>(parts < threads ? parts : threads);
#pragma omp parallel for schedule(static, 1) num_threads(team)
    for (index_t part = 0; part < parts; ++part) body(part);
    return;
  }
#endif
  for (index_t part = 0; part < parts; ++part) body(part);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

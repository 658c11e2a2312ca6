// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <string_view>

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

/// Throws: value_error unless 0 <= threads <= 1024.
constexpr void check_thread_count(std::string_view who, int threads) {
  require<value_error>(threads >= 0 && threads <= 1024, who, ": threads is ", threads, "; must be 0 (all) to 1024");
}

/// body(part) for part = 0 … parts-1, on up to `threads` threads; part p runs on thread p mod threads.
///
/// Results must not depend on which thread runs a part: cut the work by its size, never by the thread count, and sums
/// come out bitwise equal for any number of threads. Nested calls run serially.
/// Throws: what body throws for the lowest part that throws, once no part runs any more; parts after it may have run.
template <class Body>
void parallel_for([[maybe_unused]] int threads, index_t parts, Body&& body) {
#if defined(_OPENMP)
  if (threads > 1 && parts > 1 && !omp_in_parallel()) {
    const int team = static_cast<int>(parts < threads ? parts : threads);
    std::exception_ptr failure;                                // no exception may leave the region
    index_t failed = parts;
#pragma omp parallel for schedule(static, 1) num_threads(team)
    for (index_t part = 0; part < parts; ++part) {
      try {
        body(part);
      } catch (...) {
#pragma omp critical(ridgepoint_parallel_for)
        if (part < failed) {
          failed = part;
          failure = std::current_exception();
        }
      }
    }
    if (failure) std::rethrow_exception(failure);
    return;
  }
#endif
  for (index_t part = 0; part < parts; ++part) body(part);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

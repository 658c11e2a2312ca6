// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/roofline/strict_json.hpp>
#include <ridgepoint/study/measured_set.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study::detail {

/// Keys of results, whoever wrote them, that must agree where two of them tell of it: which machine, how the program
/// was compiled, how many threads. Google Benchmark has the first three and `library_build_type`, and as many more as
/// its --benchmark_context says.
inline constexpr const char* telling_keys[] = {"host_name",
                                               "num_cpus",
                                               "cpu_model",
                                               "cores_allowed",
                                               "library_build_type",
                                               "compiler",
                                               "flags",
                                               "compiler_flags",
                                               "isa",
                                               "debug_build",
                                               "fast_math",
                                               "flush_to_zero",
                                               "denormals_are_zero",
                                               "backend",
                                               "dtype",
                                               "threads",
                                               "variable.OMP_NUM_THREADS",
                                               "variable.RIDGEPOINT_CACHES",
                                               "variable.RIDGEPOINT_ISA"};

inline void add_circumstances(measured_set& to, const json_reader& from) {
  for (const char* key : telling_keys)
    if (from.has(key)) to.circumstances[key] = from.scalar(key);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study::detail

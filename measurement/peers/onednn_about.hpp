// SPDX-License-Identifier: MIT
#pragma once

#include <dnnl.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "cap.hpp"

namespace peer {

/// Returns "oneDNN 2.6.3 / cpu_isa_avx2".
inline std::string onednn_about() {
  const dnnl_version_t* v = dnnl_version();
  return "oneDNN " + std::to_string(v->major) + '.' + std::to_string(v->minor) + '.' + std::to_string(v->patch) +
         " / " + dnnl_cpu_isa2str(dnnl_get_effective_cpu_isa());
}
/// Returns the variables that keep oneDNN within the cap.
inline std::vector<std::string> onednn_limit() {
  return capping("DNNL_MAX_CPU_ISA",
                 {{"scalar", "SSE41"}, {"avx", "AVX"}, {"avx2", "AVX2"}, {"avx512", "AVX512_CORE"}});
}
/// Returns OMP_NUM_THREADS; 0: oneDNN's default.
inline int onednn_threads() {
  const char* n = std::getenv("OMP_NUM_THREADS");
  return n == nullptr ? 0 : std::atoi(n);
}

}  // namespace peer

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/simd/variants.hpp>

struct peer_exp_table {
  void (*run)(int threads, long size, const float* x, float* y);
};
extern "C" const ridgepoint_isa_variant peer_exp_variants[];

namespace peer {

/// Computes y ← eˣ with this library's kernel for an instruction set.
[[nodiscard]] inline auto exp_kernel(std::string_view isa) {
  return static_cast<const peer_exp_table*>(ridgepoint::simd::pick_variant(peer_exp_variants, isa).table())->run;
}

}  // namespace peer

// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/simd/variants.hpp>

struct peer_gemm_cycles_table {
  double (*f32)(const void* args);  // ridgepoint::gemm_args<float>, <double>
  double (*f64)(const void* args);
};
extern "C" const ridgepoint_isa_variant peer_gemm_cycles_variants[];

namespace peer {

/// Returns the cycles that gemm() with an instruction set predicts for its plan of a product on one thread; 0 without
/// a prediction: small products, and vectors times a matrix in the other storage order, which gemm() transposes.
template <class T>
[[nodiscard]] double gemm_cycles(std::string_view isa, const ridgepoint::gemm_args<T>& args) {
  const void* const table = ridgepoint::simd::pick_variant(peer_gemm_cycles_variants, isa).table();
  const auto& cycles = *static_cast<const peer_gemm_cycles_table*>(table);
  return (std::is_same_v<T, float> ? cycles.f32 : cycles.f64)(&args);
}

}  // namespace peer

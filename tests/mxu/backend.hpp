// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/mxu/all.hpp>
#include <ridgepoint/mxu/chips.hpp>

#include "support/agreement.hpp"

/// Small arrays for the tests of the backend. Their host is rp::cpu, whose kernels are already compiled.
namespace mxu_backend {

namespace rp = ridgepoint;
namespace sys = ridgepoint::systolic;
using rp::index_t;

/// Returns TPU v2 with another array.
inline rp::tpu::chip chip_with(index_t rows, index_t cols) {
  rp::tpu::chip c = rp::tpu::find_chip("v2");
  c.array = {rows, cols};
  return c;
}
inline rp::mxu<rp::cpu> small_mxu(sys::number_format f, index_t rows = 4, index_t cols = 4, int threads = 1) {
  return {rp::cpu(threads), chip_with(rows, cols), f};
}
/// Returns a function from a thread count to a backend, for agreement::agree().
inline constexpr auto on_fp32 = [](int threads) { return small_mxu(sys::number_format::fp32, 4, 4, threads); };
inline constexpr auto on_bf16 = [](int threads) { return small_mxu(sys::number_format::bf16, 4, 4, threads); };

/// Random values exact in bf16: the array rounds nothing, so the bounds of fp32 arithmetic hold.
inline agreement::operand bf16_values(index_t size, std::uint64_t seed) {
  agreement::operand o = agreement::random_values<float>(size, seed);
  for (double& v : o.values) v = static_cast<double>(static_cast<float>(rp::bfloat16(static_cast<float>(v))));
  return o;
}

}  // namespace mxu_backend

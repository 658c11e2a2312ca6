// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ridgepoint/core/float16.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Work and time of one window of a microbenchmark, from the first thread's start to the last thread's end.
struct probe_result {
  std::uint64_t count = 0;  // FLOP, bytes or instructions, over all threads
  double elapsed_s = 0;
};

enum class peak_kind {
  fma,          // acc ← m·b + acc, one instruction if the ISA has it
  mul_add,      // t ← m·b; acc ← acc + t, two instructions on every ISA
  integer_add,  // one chain of dependent additions: one per clock cycle
};
[[nodiscard]] constexpr std::string_view to_string(peak_kind k) noexcept {
  constexpr std::string_view names[] = {"fma", "mul+add", "integer add"};
  return names[static_cast<int>(k)];
}

/// Window of arithmetic in registers: on each of `threads` threads, `iterations` steps of `chains` independent
/// chains. Of bfloat16: four chains of products on tiles (AMX), or 12 of vdpbf16ps; requires a CPU with either.
///
/// Each step of a chain waits for the previous result (4 or 5 cycles), so two FMA pipes need 8 to 10 chains; the
/// maximum depends on the registers. chains must be one of peak_chains; integer_add has one chain and ignores it.
template <class T>
struct peak_args {
  static constexpr std::string_view name = "peak";
  peak_kind kind = peak_kind::fma;
  int chains = 8;
  int threads = 1;
  std::int64_t iterations = 0;
  probe_result* result = nullptr;  // host memory
};
inline constexpr int peak_chains[] = {4, 6, 8, 10, 12, 16, 24};

enum class stream_kind { load, store, copy, triad };  // read a; a ← 0; a ← b; a ← b + 3·c
[[nodiscard]] constexpr std::string_view to_string(stream_kind k) noexcept {
  constexpr std::string_view names[] = {"load", "store", "copy", "triad"};
  return names[static_cast<int>(k)];
}
/// Number of arrays a stream_kind moves; a ← b counts two, like STREAM: reading the line to be written is not counted.
[[nodiscard]] constexpr int stream_arrays(stream_kind k) noexcept {
  return k == stream_kind::triad ? 3 : k == stream_kind::copy ? 2 : 1;
}

/// Window of memory traffic: each of `threads` threads makes `passes` passes over its own part of the arrays.
struct stream_args {
  static constexpr std::string_view name = "stream";
  stream_kind kind = stream_kind::load;
  bool non_temporal = false;  // use non-temporal stores
  int threads = 1;
  float *a = nullptr, *b = nullptr, *c = nullptr;  // backend memory, 64-byte aligned; null if unused
  index_t size = 0;                                // elements of each array, a multiple of 64·threads
  std::int64_t passes = 1;
  probe_result* result = nullptr;  // host memory
};

/// Ops that a backend must execute for probe() to measure its ceilings.
using probe_ops = type_list<peak_args<float>, peak_args<double>, peak_args<bfloat16>, stream_args>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

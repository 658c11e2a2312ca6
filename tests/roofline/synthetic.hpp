// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/roofline/machine.hpp>
#include <ridgepoint/roofline/profile.hpp>

namespace synthetic {

namespace rp = ridgepoint;

inline rp::ceiling compute(const char* dtype, const char* isa, int threads, double per_s) {
  return {.kind = rp::ceiling_kind::compute,
          .operation = "fma",
          .isa = isa,
          .dtype = dtype,
          .level = {},
          .capacity_bytes = 0,
          .threads = threads,
          .per_s = per_s,
          .measured = {},
          .source = "synthetic"};
}
inline rp::ceiling memory(const char* level, std::uint64_t capacity_bytes, int threads, double per_s) {
  return {.kind = rp::ceiling_kind::bandwidth,
          .operation = "load",
          .isa = {},
          .dtype = {},
          .level = level,
          .capacity_bytes = capacity_bytes,
          .threads = threads,
          .per_s = per_s,
          .measured = {},
          .source = "synthetic"};
}

/// 100 GFLOP/s f32 with AVX2 on one thread, 200 on two; ridges of one thread at 0.25, 0.5, 1 and 10 FLOP/B.
inline rp::machine machine() {
  rp::machine m{.name = "synthetic", .description = "round numbers", .ceilings = {}};
  for (const int threads : {1, 2}) {
    const auto n = static_cast<std::uint64_t>(threads);
    m.ceilings.push_back(compute("f32", "avx2", threads, 100e9 * threads));
    m.ceilings.push_back(compute("f32", "sse4_2", threads, 50e9 * threads));
    m.ceilings.push_back(compute("f64", "avx2", threads, 50e9 * threads));
    m.ceilings.push_back(memory("L1", n * 32'000, threads, 400e9 * threads));
    m.ceilings.push_back(memory("L2", n * 512'000, threads, 200e9 * threads));
    m.ceilings.push_back(memory("L3", 32'000'000, threads, 100e9 * threads));
    m.ceilings.push_back(memory("DRAM", 0, threads, threads == 1 ? 10e9 : 15e9));
  }
  m.ceilings[0].measured = rp::spread{.median = 99e9, .min = 95e9, .max = 100e9, .cv = 0.01, .samples = 100};
  return m;
}

inline rp::work work_of(std::uint64_t flop, std::uint64_t bytes) {
  return {.flop = flop, .matrix_flop = 0, .special = 0, .bytes = {.inputs = bytes, .weights = 0, .outputs = 0}};
}

/// A step of 10 ms, 1 ms of it in no row: compute bound at 80 %, DRAM bound at 50 %, and a copy without FLOP.
inline rp::profile profile() {
  rp::profile p{.title = "synthetic", .backend = "ridgepoint.avx2", .threads = 1, .rows = {}, .step_s = 10e-3};
  p.rows = {{"dense_1", rp::pass::forward, "128x512x784", work_of(400'000'000, 2'000'000), 5e-3, 2'000'000},
            {"adam", rp::pass::update, "1000000", work_of(12'000'000, 15'000'000), 3e-3, 100'000'000},
            {"data feed", rp::pass::feed, "128x784", work_of(0, 800'000), 1e-3, 800'000}};
  return p;
}

}  // namespace synthetic

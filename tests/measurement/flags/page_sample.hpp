// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "measurement/flags/page.hpp"

/// Made-up comparison of flags with every case of a page: each verdict, a failed set, worse numbers, lost guarantees,
/// roofs, a name that needs escaping in markup and shells, and a row that reports its time only and has no speed-up.
namespace page_sample {

struct sample_set {
  const char* name;
  double definition, kernels;  // speed-ups
  double width;                // of its vectors: sets its roof
};
inline const std::vector<sample_set> sets{
    {"x86-64", 1, 1, 1},       {"sse4.2", 1.004, 1.3, 1}, {"avx", 1.1, 2.1, 2},          {"avx+fma", 0.93, 3.8, 4},
    {"avx2+fma", 1.2, 4.1, 4}, {"fast", 1.9, 4.0, 4},     {"does-not-compile", 0, 0, 0}, {"native", 1.3, 7.9, 8}};

inline const std::string hostile = R"(f<std::map<int, "b">, 'c'>/8&</script><b>)";

/// Returns a row of 1 ms with the base and 1 ms ÷ speedup with a set; the interval extends by `reach` on either side.
inline measurement::flags_row row(const std::string& name, const std::string& set, double speedup,
                                  double reach = 0.01) {
  namespace study = ridgepoint::study;
  study::compared_row c{.name = name, .unit = "s", .samples_a = 12, .samples_b = 12};
  c.median_a = 1e-3;
  c.median_b = 1e-3 / speedup;
  c.speedup = speedup;
  c.range = {.low = speedup * (1 - reach), .high = speedup * (1 + reach)};
  c.wide = reach > 0.01;
  if (c.range.low > 1) c.verdict = study::verdict::faster;
  else if (c.range.high < 1) c.verdict = study::verdict::slower;
  else if (reach <= 0.015) c.verdict = study::verdict::same;
  else c.reason = "the interval contains 1 and exceeds the gate";
  return {.set = set, .compared = c, .samples = std::vector<double>(12, c.median_b)};
}

/// Returns accuracy equal to the base's.
inline measurement::accuracy good_numbers(double ulp, double flop, double bytes) {
  measurement::accuracy a{.found = {}, .same_bits = true, .loss_drift = {}};
  a.found.ulp_max = ulp;
  a.found.ulp_mean = ulp / 4;
  a.found.nan_kept = a.found.subnormals_kept = 1;
  a.found.flop = flop;
  a.found.bytes = bytes;
  return a;
}

inline void add_op(measurement::flags_page& p, const std::string& op, double intensity) {
  for (const char* kind : {"/definition", "/kernels"}) {
    const bool is_definition = kind == std::string("/definition");
    p.rows.push_back(row(op + kind, p.control, 1));
    p.rows.back().accuracy = good_numbers(is_definition ? 120 : 3.86, 1e6 * intensity, 1e6);
    for (const sample_set& s : sets) {
      if (s.name == p.base || s.width == 0) continue;
      p.rows.push_back(row(op + kind, s.name, is_definition ? s.definition : s.kernels, s.width == 2 ? 0.12 : 0.01));
      measurement::accuracy& a = p.rows.back().accuracy;
      a = good_numbers(is_definition ? 118 : 3.86, 1e6 * intensity, 1e6);
      a.same_bits = s.width < 4;
      if (s.name != std::string("fast")) continue;
      a.found.ulp_max = is_definition ? 12'345 : 4.2;
      a.found.nan_kept = a.found.subnormals_kept = 0;
      a.lost = {"NaN", "subnormals"};
    }
  }
}

inline measurement::flags_page page() {
  measurement::flags_page p{.title = "What flags buy: <kernels>.cpp", .base = "x86-64", .control = "x86-64 again"};
  for (const sample_set& s : sets) {
    measurement::page_set set{.set = {.name = s.name, .flags = {"-O3", "-march=x86-64", "-D'x'=<1>"}},
                              .compiler = "g++ (Debian 12.2.0-14) 12.2.0",
                              .command = "/usr/bin/g++ -O3 kernels.cpp -o program -lbenchmark && ./program"};
    if (s.width == 0) {
      set.failure = "kernels.cpp:3:1: error: <broken> & \"quoted\"";
    } else {
      set.has_program = true;
      set.flushes_denormals = s.name == std::string("fast");
      set.compile_s = 1.2;
      set.code_bytes = 20'000;
      set.roof = measurement::build_roof{.flop_per_s = 2e10 * s.width, .bytes_per_s = 1e10 + 1e8 * s.width};
    }
    p.sets.push_back(std::move(set));
  }
  add_op(p, "gemm/256x256x256", 12);
  add_op(p, "conv2d/32x32x32x3 3x3x32", 5);
  add_op(p, "tanh/65536", 0.4);
  for (const char* set : {"x86-64 again", "avx", "fast"}) {
    p.rows.push_back(row("training/mnist-mlp/kernels", set, set == std::string("avx") ? 3 : 1));
    p.rows.back().accuracy.same_bits = set != std::string("fast");
    p.rows.back().accuracy.loss_drift = set == std::string("fast") ? -2e-7 : 0;
  }
  p.rows.push_back(row(hostile, "x86-64 again", 1));
  p.rows.push_back(row(hostile, "avx", 1.5));
  p.rows.push_back(row("template<" + std::string(4096, 'a') + ">", "x86-64 again", 1));
  p.rows.push_back({.set = "avx", .compared = {.name = p.rows.back().compared.name, .unit = "s", .samples_a = 12}});
  p.rows.back().compared.median_a = 1e-3;
  p.rows.back().compared.reason = "B has 3 rounds; needs 6";
  p.summary = {"12 rounds: no interval is wide", "x86-64 against itself: 0 of 9 rows distinguished; expected 0"};
  p.doubts = {"load average is 3: <other> work is running"};
  p.circumstances = {{"CPU", "AMD EPYC <9B45>"}, {"host_name", "here"}};
  return p;
}

}  // namespace page_sample

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <ridgepoint/core/concat.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// How something measured came out over its repetitions, in its own unit. cv = standard deviation / mean.
struct spread {
  double median = 0, min = 0, max = 0, cv = 0;
  int samples = 0;
  double top_gap = 0;  // (largest − third largest) ÷ largest
  friend bool operator==(const spread&, const spread&) = default;
};

enum class ceiling_kind { compute, bandwidth };
[[nodiscard]] constexpr std::string_view to_string(ceiling_kind k) noexcept {
  return k == ceiling_kind::compute ? "compute" : "bandwidth";
}

/// One segment of the roof: FLOP/s for compute, bytes/s for bandwidth.
struct ceiling {
  ceiling_kind kind = ceiling_kind::compute;
  std::string operation;                // "fma", "mul+add"; "load", "copy", "triad"; free text
  std::string isa;                      // "avx2"; empty: any
  std::string dtype;                    // "f32"; empty: any (bandwidth)
  std::string level;                    // "L1" … "DRAM"; empty for compute
  std::uint64_t capacity_bytes = 0;     // of the level, over all `threads`; 0: unbounded
  int threads = 0;                      // 0: the whole machine
  double per_s = 0;                     // the ceiling: FLOP/s or bytes/s
  std::optional<spread> measured = {};  // absent: from a data sheet
  std::string source;                   // of a data sheet value, or the method of a probe
  std::uint64_t set_bytes = 0;          // of the memory that a probe moved through; 0: unknown
  friend bool operator==(const ceiling&, const ceiling&) = default;
};

/// A ceiling is the best of its samples, so it can only be too low. How much higher it may be, relative: as far as the
/// best one lies above its neighbours, but at most 10 %, so that one wild sample excuses nothing; as much as that if
/// there are less than three samples. 0: from a data sheet.
[[nodiscard]] inline double uncertainty(const ceiling& c) noexcept {
  constexpr double most = 0.10;
  if (!c.measured) return 0;
  return c.measured->samples < 3 ? most : (std::min)(c.measured->top_gap, most);
}

/// Which ceilings of a machine apply to a piece of work.
struct roof_query {
  std::string dtype = {};  // empty: the type of the work, f32 where it says none
  std::string isa = {};    // empty: the best one
  int threads = 0;         // 0: the whole machine
};

/// "f32 fma avx2, 1 thread", "L2 load, 2 threads", "HBM memory".
[[nodiscard]] inline std::string to_string(const ceiling& c) {
  std::string text = (c.kind == ceiling_kind::compute ? c.dtype : c.level) + ' ' + c.operation;
  if (!c.isa.empty()) text += ' ' + c.isa;
  if (c.threads > 0) text += concat(", ", c.threads, c.threads == 1 ? " thread" : " threads");
  return text;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

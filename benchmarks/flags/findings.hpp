// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <vector>

#include <ridgepoint/reference/convolution.hpp>
#include <ridgepoint/reference/elementwise.hpp>
#include <ridgepoint/reference/gemm.hpp>
#include <ridgepoint/reference/optimisers.hpp>
#include <ridgepoint/reference/pooling.hpp>
#include <ridgepoint/reference/recurrent.hpp>

#include "bits.hpp"
#include "fixed_point.hpp"
#include "ops.hpp"

/// \file
/// Accuracy of an op's results, computed in integers from their bits; see bits.hpp.
namespace flags {

struct findings {
  double ulp_max = 0, ulp_mean = 0;  // of float, from the definition in fixed_point
  double bits = 0;                   // 52-bit hash of all bits of the results
  bool nan_kept = false;             // NaN and infinities in x propagate as in the definition
  bool subnormals_kept = false;      // 2⁻¹³⁰ in x gives a different result than 0
};

template <class T>
[[nodiscard]] fixed_point exactly(T x) noexcept {
  return fixed_point(std::bit_cast<float>(x));
}

/// Returns a hash of all bits written.
template <class T>
[[nodiscard]] double digest_of(const arrays<T>& a) noexcept {
  digest all;
  all.add(a.y);
  all.add(a.state);
  return all.bits();
}

/// 1/1024 of a unit in the last place of a float, so that distances add up in integers.
inline constexpr int ulp_parts = 10;

/// Sets the distance of the first results from the exact ones, in ulp of the exact result; for sums, whose terms may
/// cancel, in ulp of the largest. A result that is not finite counts as 2³⁰ ulp.
template <class Op, class T>
void set_distance(findings& found, const std::vector<T>& got, const std::vector<fixed_point>& exact) {
  using size_type = fixed_point::size_type;
  constexpr std::uint64_t farthest = std::uint64_t{1} << (30 + ulp_parts);
  size_type largest = 0;
  for (const fixed_point& e : exact) largest = std::max(largest, e.size());
  std::uint64_t max = 0, sum = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const fixed_point e = exact[i], distance = exactly(got[i]) - e;
    std::uint64_t parts = farthest;
    if (is_finite(got[i])) {
      const size_type unit_of = Op::sums ? largest : e.size();
      const int shift = std::max(fixed_point::width(unit_of) - 24 - ulp_parts, 0);
      parts = static_cast<std::uint64_t>(std::min<size_type>(distance.size() >> shift, farthest));
    }
    max = std::max(max, parts), sum += parts;
  }
  constexpr double unit = 1.0 / (1 << ulp_parts);
  found.ulp_max = static_cast<double>(max) * unit;
  found.ulp_mean = static_cast<double>(sum) * unit / static_cast<double>(exact.size());
}

/// Returns the results of the definition in fixed_point for the same x.
template <class Op, class T>
[[nodiscard]] std::vector<fixed_point> defined(const Op& op, const std::vector<T>& x) {
  arrays<fixed_point> a = drawn_for<fixed_point>(op);
  for (std::size_t i = 0; i < a.x.size(); ++i) a.x[i] = exactly(x[i]);
  execute(ridgepoint::reference, op.args(a));
  return a.y;
}

/// Returns true if NaN is where the definition has it, and no result is finite where the definition's is not.
template <class T>
[[nodiscard]] bool reached(const std::vector<T>& got, const std::vector<fixed_point>& exact) {
  for (std::size_t i = 0; i < exact.size(); ++i)
    if (exact[i].is_nan() ? !is_nan(got[i]) : !exact[i].is_finite() && is_finite(got[i])) return false;
  return true;
}

/// Runs op by `run(op, arrays)` as it is timed, then with NaN, infinities and a subnormal in x. The definition checks
/// the first `checked` rows, which contain the planted values.
template <class T, class Op, class Run>
[[nodiscard]] findings find(const Op& op, index_t checked, Run&& run) {
  findings found;
  const Op part = op.part(checked);
  arrays<T> whole = drawn_for<T>(op);
  const std::vector<T> x(whole.x.begin(), whole.x.begin() + part.sizes().x);
  run(op, whole);
  set_distance<Op>(found, whole.y, defined(part, x));
  found.bits = digest_of(whole);

  found.nan_kept = true;
  for (const std::uint32_t planted : {0x7FC00000U, 0x7F800000U, 0xFF800000U}) {
    arrays<T> a = drawn_for<T>(part);
    a.x[5] = from_bits<T>(planted);
    const std::vector<T> with = a.x;
    run(part, a);
    found.nan_kept = found.nan_kept && reached(a.y, defined(part, with));
  }

  const auto faint = [&](std::uint32_t bits) {
    arrays<T> a = drawn_for<T>(part);
    std::fill(a.x.begin(), a.x.end(), T(0));
    std::fill(a.bias.begin(), a.bias.end(), T(0));
    a.x[0] = from_bits<T>(bits);
    run(part, a);
    return digest_of(a);
  };
  constexpr std::uint32_t subnormal = 1U << (149 - 130);
  found.subnormals_kept = faint(subnormal) != faint(0);
  return found;
}

}  // namespace flags

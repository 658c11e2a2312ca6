// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <vector>

#include <ridgepoint/reference/activate.hpp>
#include <ridgepoint/reference/adam.hpp>
#include <ridgepoint/reference/conv2d.hpp>
#include <ridgepoint/reference/dense.hpp>
#include <ridgepoint/reference/lstm.hpp>
#include <ridgepoint/reference/max_pool2d.hpp>

#include "bits.hpp"
#include "fixed_point.hpp"
#include "ops.hpp"

/// \file
/// What is known of an op's results beside the time it takes. Everything here is judged in integers, from the bits of
/// the results, see bits.hpp.
namespace flags {

struct findings {
  double ulp_max = 0, ulp_mean = 0;  // of float, from the definition in fixed_point
  double bits = 0;                   // 52 bits that all bits of the results go into
  bool nan_kept = false;             // a NaN and infinities in x come out where the definition has them
  bool subnormals_kept = false;      // 2⁻¹³⁰ in x makes another result than 0 does
};

template <class T>
[[nodiscard]] fixed_point exactly(T x) noexcept {
  return fixed_point(std::bit_cast<float>(x));
}

/// All bits of what was written.
template <class T>
[[nodiscard]] double digest_of(const arrays<T>& a) noexcept {
  digest all;
  all.add(a.y);
  all.add(a.state);
  return all.bits();
}

/// 1/1024 of a unit in the last place of a float, so that distances add up in integers.
inline constexpr int ulp_parts = 10;

/// How far the first results are from exact ones, in units in the last place of the exact one; of sums, whose terms may
/// cancel, of the largest one. What is no number is 2³⁰ units away.
template <class Op, class T>
void set_distance(findings& found, const std::vector<T>& got, const std::vector<fixed_point>& exact) {
  using size_type = fixed_point::size_type;
  constexpr std::uint64_t farthest = std::uint64_t{1} << (30 + ulp_parts);
  size_type largest = 0;
  for (const fixed_point& e : exact) largest = std::max(largest, e.size());
  std::uint64_t max = 0, sum = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const fixed_point e = exact[i], apart = exactly(got[i]) - e;
    std::uint64_t parts = farthest;
    if (is_finite(got[i])) {
      const size_type unit_of = Op::sums ? largest : e.size();
      const int shift = std::max(fixed_point::width(unit_of) - 24 - ulp_parts, 0);
      parts = static_cast<std::uint64_t>(std::min<size_type>(apart.size() >> shift, farthest));
    }
    max = std::max(max, parts), sum += parts;
  }
  constexpr double unit = 1.0 / (1 << ulp_parts);
  found.ulp_max = static_cast<double>(max) * unit;
  found.ulp_mean = static_cast<double>(sum) * unit / static_cast<double>(exact.size());
}

/// The definition in fixed_point, from the same x.
template <class Op, class T>
[[nodiscard]] std::vector<fixed_point> defined(const Op& op, const std::vector<T>& x) {
  arrays<fixed_point> a = drawn_for<fixed_point>(op);
  for (std::size_t i = 0; i < a.x.size(); ++i) a.x[i] = exactly(x[i]);
  execute(ridgepoint::reference, op.args(a));
  return a.y;
}

/// Whether NaN is where the definition has it, and no finite number where that has an infinity or NaN.
template <class T>
[[nodiscard]] bool reached(const std::vector<T>& got, const std::vector<fixed_point>& exact) {
  for (std::size_t i = 0; i < exact.size(); ++i)
    if (exact[i].is_nan() ? !is_nan(got[i]) : !exact[i].is_finite() && is_finite(got[i])) return false;
  return true;
}

/// Runs op by `run(op, arrays)` as it will be timed, then on what is not a number and on hardly one. The definition
/// judges the first `checked` rows; what is planted lies there.
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

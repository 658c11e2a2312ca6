// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include <ridgepoint/mxu/systolic_array.hpp>

/// Random products for the systolic array, and their required results.
namespace array_cases {

namespace rp = ridgepoint;
namespace sys = ridgepoint::systolic;

inline rp::index_t draw(std::mt19937& random, rp::index_t from, rp::index_t to) {
  return std::uniform_int_distribution<rp::index_t>(from, to)(random);
}

/// Values of very different magnitude and both signs, so that the order of a sum changes its rounding; some ±0.
template <class T>
std::vector<T> operands(std::mt19937& random, rp::index_t size) {
  std::vector<T> values(static_cast<std::size_t>(size));
  for (T& v : values) {
    if constexpr (std::is_integral_v<T>) v = static_cast<T>(draw(random, -128, 127));
    else
      v = std::ldexp(std::uniform_real_distribution<float>(-1, 1)(random), static_cast<int>(draw(random, -12, 12))) *
          static_cast<float>(draw(random, 0, 9) != 0);
  }
  return values;
}

/// The contract as three plain loops: folds of `depth`, each from 0 in the order of k, added in order.
template <class Format, class T, class Sum>
void contract(rp::matrix_view<const T> a, rp::matrix_view<const T> b, rp::index_t depth, rp::matrix_view<Sum> c) {
  for (rp::index_t i = 0; i < c.rows; ++i)
    for (rp::index_t j = 0; j < c.cols; ++j) {
      Sum total = 0;
      for (rp::index_t p0 = 0; p0 < a.cols; p0 += depth) {
        Sum partial = 0;
        for (rp::index_t p = p0; p < std::min(p0 + depth, a.cols); ++p) {
          if constexpr (std::is_integral_v<T>) {
            partial += int{a(i, p)} * int{b(p, j)};
          } else {
            const volatile float product = static_cast<float>(Format(a(i, p))) * static_cast<float>(Format(b(p, j)));
            partial += product;
          }
        }
        total = p0 == 0 ? partial : total + partial;
      }
      c(i, j) = total;
    }
}

/// Returns whether values are bitwise equal; a NaN equals a NaN.
inline bool same(std::int32_t x, std::int32_t y) { return x == y; }
inline bool same(float x, float y) {
  return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y) || (std::isnan(x) && std::isnan(y));
}

/// Returns a random product and random options that cover edge tiles, chunks, slow memory, several arrays.
struct random_case {
  sys::gemm_extent extent;
  sys::array_options options;

  random_case(std::mt19937& random, sys::array_shape array, sys::dataflow flow) {
    const auto side = [&](rp::index_t tile) { return draw(random, 1, draw(random, 0, 2) == 0 ? 4 : 3 * tile + 2); };
    extent = {side(array.rows), side(array.rows), side(array.cols)};
    options.flow = flow;
    options.mxus = draw(random, 0, 2) == 0 ? draw(random, 1, 5) : 1;
    options.accumulator_planes = static_cast<int>(draw(random, 1, 2));
    if (flow == sys::dataflow::output_stationary) return;
    if (draw(random, 0, 2) != 0) options.fetch_cycles = static_cast<std::uint64_t>(draw(random, 0, 90));
    options.fifo_depth = draw(random, 1, 5);
    if (draw(random, 0, 1) == 0) options.accumulator_rows = draw(random, 1, 60);
  }
};

/// Runs one product; returns whether result and counters match the contract and the closed form exactly.
template <class Format, int R, int C>
bool run_case(std::mt19937& random, const random_case& one) {
  using T = rp::array_operand_t<Format>;
  using Sum = rp::array_sum_t<Format>;
  const auto [m, k, n] = one.extent;
  const auto a = operands<T>(random, m * k), b = operands<T>(random, k * n);
  std::vector<Sum> c(static_cast<std::size_t>(m * n), Sum(-1)), expected(c);
  const rp::matrix_view<const T> av(a.data(), m, k), bv(b.data(), k, n);
  const sys::systolic_array<Format, R, C> array(one.options);
  const sys::array_counters counted = array.multiply(av, bv, {c.data(), m, n});
  const bool folds = one.options.flow != sys::dataflow::output_stationary;
  contract<Format, T, Sum>(av, bv, folds ? R : k, {expected.data(), m, n});
  return counted == sys::count_cycles({R, C}, one.extent, one.options) &&
         std::equal(c.begin(), c.end(), expected.begin(), [](Sum x, Sum y) { return same(x, y); });
}

/// Cycles through the three formats.
template <int R, int C>
bool run_case(std::mt19937& random, sys::dataflow flow, int format) {
  const random_case one(random, {R, C}, flow);
  if (format == 0) return run_case<rp::bfloat16, R, C>(random, one);
  if (format == 1) return run_case<std::int8_t, R, C>(random, one);
  return run_case<float, R, C>(random, one);
}

inline constexpr sys::dataflow dataflows[] = {sys::dataflow::weight_stationary, sys::dataflow::output_stationary,
                                              sys::dataflow::input_stationary};

}  // namespace array_cases

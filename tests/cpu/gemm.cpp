// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/cpu/gemm.hpp>

#include "support/agreement.hpp"
#include "support/cpu_sizes.hpp"
#include "support/gemm_operands.hpp"

namespace rp = ridgepoint;
using agreement::around;
using rp::index_t;

namespace {

constexpr index_t mr = rp::kernels::tile_rows(rp::kernels::native_unit);
template <class T>
constexpr index_t nr = rp::kernels::tile_vectors* rp::simd::lanes<T>;

/// Checks one problem on the CPU against the definition.
template <class T>
void check_case(const gemm_case& problem) {
  CAPTURE(problem.m);
  CAPTURE(problem.n);
  CAPTURE(problem.k);
  CAPTURE(problem.transposed_a);
  CAPTURE(problem.transposed_b);
  CAPTURE(problem.transposed_c);
  agreement::agree<T>(on_cpu, problem.operands<T>(),
                      [&](const auto& on, const auto& p, rp::step_state*) { execute(on, problem.args(p)); });
}

}  // namespace

TEST_CASE_TEMPLATE("gemm equals the exact product around every tile edge", T, float, double) {
  for (const index_t m : around(mr))
    for (const index_t n : around(nr<T>))
      for (const index_t k : {0, 1, 7, 64}) check_case<T>({.m = m, .n = n, .k = k});
}

TEST_CASE_TEMPLATE("gemm takes every transposition of A, B and C", T, float, double) {
  for (int which = 0; which < 8; ++which)
    for (const index_t m : {index_t{1}, mr + 1, 2 * mr + 3})
      for (const index_t n : {index_t{1}, index_t{5}, index_t{10}, nr<T>, 2 * nr<T> + 3})
        for (const index_t k : {1, 9, 40})
          check_case<T>({.m = m,
                         .n = n,
                         .k = k,
                         .transposed_a = (which & 1) != 0,
                         .transposed_b = (which & 2) != 0,
                         .transposed_c = (which & 4) != 0});
}

TEST_CASE_TEMPLATE("gemm with alpha, beta, bias and every fused activation", T, float, double) {
  using rp::activation;
  for (const auto act : {activation::none, activation::relu, activation::relu6, activation::sigmoid, activation::tanh})
    for (const bool bias : {false, true})
      for (const double beta : {0.0, 1.0, -0.5})
        for (const index_t m : {index_t{1}, mr + 1})
          for (const index_t n : {index_t{3}, nr<T> + 3})
            for (const index_t k : {0, 2, 33})
              for (const double alpha : {1.0, 0.75})
                check_case<T>({.m = m, .n = n, .k = k, .alpha = alpha, .beta = beta, .bias = bias, .act = act});
}

TEST_CASE_TEMPLATE("gemm reads and writes views inside larger matrices", T, float, double) {
  for (const index_t gap : {1, 64, 1000})
    for (const index_t m : {index_t{1}, mr, 3 * mr + 1})
      for (const index_t n : {index_t{2}, nr<T> - 1, 2 * nr<T>}) check_case<T>({.m = m, .n = n, .k = 50, .gap = gap});
}

TEST_CASE_TEMPLATE("gemm with an activation on C inside a larger matrix, including a single column", T, float, double) {
  for (const auto act : {rp::activation::relu, rp::activation::relu6, rp::activation::sigmoid, rp::activation::tanh})
    for (const index_t n : {index_t{1}, index_t{4}, nr<T> + 1})
      for (const bool turned : {false, true})
        check_case<T>({.m = 2 * rp::simd::lanes<T> + 1, .n = n, .k = 33, .transposed_c = turned, .act = act, .gap = 3});
}

TEST_CASE_TEMPLATE("gemm over several blocks of rows, columns and depth", T, float, double) {
  const auto plan = rp::kernels::plan_packed<T>(rp::kernels::native_unit, 2000, 3000, 5000, {5000, 1}, {3000, 1});
  check_case<T>({.m = 19, .n = 2 * nr<T> + 1, .k = 2 * plan.kc + 5});
  check_case<T>({.m = 700, .n = nr<T> + 3, .k = 300, .transposed_a = true});
  check_case<T>({.m = 33, .n = 700, .k = 200});
}

TEST_CASE_TEMPLATE("gemm whose rows of A start in one cache set, so tall tiles pack A", T, float, double) {
  for (const index_t m : {mr - 1, mr, 2 * mr + 3}) check_case<T>({.m = m, .n = 5 * nr<T> + 1, .k = 200, .gap = 824});
}

TEST_CASE_TEMPLATE("beta 0 never reads C, alpha 0 with k 0 still writes it", T, float, double) {
  for (const index_t n : {index_t{1}, index_t{4}, nr<T> + 1}) {  // C starts as NaN in agree()
    check_case<T>({.m = 5, .n = n, .k = 20});
    check_case<T>({.m = 5, .n = n, .k = 0});
  }
}

TEST_CASE_TEMPLATE("a NaN in any element of A or B reaches exactly its row or column", T, float, double) {
  const index_t m = mr + 1, k = rp::simd::lanes<T> + 3;
  for (const index_t n : {index_t{1}, index_t{5}, nr<T> + 3}) {
    for (index_t at = 0; at < m * k; ++at) {
      gemm_case problem{.m = m, .n = n, .k = k};
      problem.nan_in_a = at;
      check_case<T>(problem);
    }
    for (index_t at = 0; at < k * n; ++at) {
      gemm_case problem{.m = m, .n = n, .k = k};
      problem.nan_in_b = at;
      check_case<T>(problem);
    }
  }
}

TEST_CASE_TEMPLATE("gemm with a C without adjacent elements", T, float, double) {
  gemm_case problem{.m = 9, .n = 11, .k = 6, .beta = 1.0, .bias = true};
  problem.spread_c = 3;
  check_case<T>(problem);
}

TEST_CASE_TEMPLATE("alpha multiplies the sum of a deep product, not each partial sum", T, float, double) {
  struct extents {
    index_t m, n, k;
  };
  const T infinity = std::numeric_limits<T>::infinity();
  for (const extents e : {extents{70, 90, 2000}, {300, 300, 700}, {3, 400, 3000}, {400, 6, 3000}, {1, 500, 2000}})
    for (const bool turned : {false, true})
      for (const T alpha : {infinity, -infinity, std::numeric_limits<T>::max() / static_cast<T>(e.k) * T(1.5), T(4)}) {
        CAPTURE(e.m);
        CAPTURE(e.n);
        CAPTURE(e.k);
        CAPTURE(turned);
        const std::vector<T> ones(static_cast<std::size_t>(e.m * e.k), T(1));
        std::vector<T> b(static_cast<std::size_t>(e.k * e.n)), c(static_cast<std::size_t>(e.m * e.n), T(3));
        for (index_t p = 0; p < e.k; ++p)  // the first half of the depth sums up to k, the full depth to k/2
          for (index_t j = 0; j < e.n; ++j)
            b[static_cast<std::size_t>(turned ? j * e.k + p : p * e.n + j)] = 2 * p < e.k ? T(2) : T(-1);
        const rp::matrix_view<const T> rows{b.data(), e.k, e.n}, columns{b.data(), e.n, e.k};
        execute(on_cpu(2), rp::gemm_args<T>{.a = {ones.data(), e.m, e.k},
                                            .b = turned ? columns.transposed() : rows,
                                            .c = {c.data(), e.m, e.n},
                                            .options = {.alpha = alpha, .beta = T(2)}});
        const T want = alpha * static_cast<T>(e.k / 2) + T(6);
        const auto wrong = std::count_if(c.begin(), c.end(), [&](T got) { return got != want; });
        CHECK_MESSAGE(wrong == 0, wrong << " are not " << want << ", the first is " << c[0]);
      }
}

TEST_CASE("the inner loop of every tile uses fused multiply-add if the ISA has it") {
  if (!rp::simd::native::fma) return;
  // (1 + u)² − 1 − 2u = u² only if the product is not rounded first.
  const float u = 0x1p-20F, a[2] = {-1.0F - 2 * u, 1.0F + u}, b[2] = {1.0F, 1.0F + u};
  float c = 0;
  rp::gemm(on_cpu(1), {a, 1, 2}, {b, 2, 1}, rp::matrix_view<float>(&c, 1, 1));
  CHECK(c >= 0.0F);
  std::vector<float> tile(static_cast<std::size_t>(2 * nr<float>), 0.0F), row(static_cast<std::size_t>(nr<float>));
  for (index_t j = 0; j < nr<float>; ++j)
    tile[static_cast<std::size_t>(j)] = 1.0F, tile[static_cast<std::size_t>(nr<float> + j)] = 1.0F + u;
  std::vector<float> two(static_cast<std::size_t>(2 * nr<float>));
  const float aa[4] = {a[0], a[1], a[0], a[1]};
  rp::gemm(on_cpu(1), {aa, 2, 2}, {tile.data(), 2, nr<float>}, rp::matrix_view<float>(two.data(), 2, nr<float>));
  for (const float x : two) CHECK(x == u * u);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif
#if !defined(__SANITIZE_ADDRESS__)  // the sanitizer ends the program instead
TEST_CASE("a failed allocation in a thread's part throws std::bad_alloc") {
  const float x[128] = {};
  float c[128] = {};
  const index_t k = index_t{1} << 51;  // a row of A that is not contiguous is copied: 2^53 bytes, more than available
  for (const int threads : {1, 2})
    CHECK_THROWS_AS(rp::gemm(on_cpu(threads), {x, 1, k, 0, 0}, {x, k, 128, 0, 1}, rp::matrix_view<float>(c, 1, 128)),
                    std::bad_alloc);
}
#endif

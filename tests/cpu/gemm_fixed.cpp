// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include <ridgepoint/cpu/gemm_fixed.hpp>

#include "support/gemm_operands.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {

/// Backend for a product of compile-time extents, checked against the definition with guard pages and odd addresses.
/// One type for all extents, so the checking code is compiled once.
template <class T>
struct fixed {
  void (*run)(const rp::gemm_args<T>&);
  friend void execute(const fixed& on, const rp::gemm_args<T>& g) { on.run(g); }
};

template <class T>
void agree_on(const fixed<T>& on, const gemm_case& problem) {
  CAPTURE(problem.m);
  CAPTURE(problem.n);
  CAPTURE(problem.k);
  CAPTURE(problem.gap);
  CAPTURE(problem.beta);
  agreement::agree<T>([&](int) { return on; }, problem.operands<T>(),
                      [&](const auto& where, const auto& p, rp::step_state*) { execute(where, problem.args(p)); });
}

template <class T, index_t M, index_t N, index_t K, index_t Gap>
constexpr fixed<T> gemm_of{[](const rp::gemm_args<T>& g) {
  rp::gemm<M, N, K, K + Gap, N + Gap, N + Gap>(g.a.data, g.b.data, g.c.data, g.options.alpha, g.options.beta);
}};

/// Checks dense operands and windows of larger matrices, the plain product and one with α and C.
template <class T, index_t M, index_t N, index_t K>
void agree_everywhere() {
  const gemm_case dense{.m = M, .n = N, .k = K}, inside{.m = M, .n = N, .k = K, .gap = 3};
  const auto with = [](gemm_case problem, double alpha, double beta) {
    problem.alpha = alpha, problem.beta = beta;
    return problem;
  };
  agree_on(gemm_of<T, M, N, K, 0>, with(dense, 1, 0));
  agree_on(gemm_of<T, M, N, K, 0>, with(dense, 0.75, -0.5));
  agree_on(gemm_of<T, M, N, K, 3>, with(inside, 1, 0));
  agree_on(gemm_of<T, M, N, K, 3>, with(inside, 1, 1));
}

template <class T, index_t... N>
void agree_at_widths(std::integer_sequence<index_t, N...>) {
  (agree_everywhere<T, 3, N + 1, 5>(), ...);
}

}  // namespace

TEST_CASE_TEMPLATE("products of known extents: every width up to a few vectors", T, float, double) {
  agree_at_widths<T>(std::make_integer_sequence<index_t, 2 * rp::simd::lanes<T> + 2>{});
}

TEST_CASE_TEMPLATE("products of known extents: heights and depths around tiles and parts", T, float, double) {
  agree_everywhere<T, 1, 1, 1>();
  agree_everywhere<T, 1, 7, 8>();
  agree_everywhere<T, 2, 4, 9>();
  agree_everywhere<T, 7, 5, 23>();
  agree_everywhere<T, 8, 8, 8>();
  agree_everywhere<T, 13, 13, 13>();
  agree_everywhere<T, 15, 3, 2>();
  agree_everywhere<T, 29, 33, 12>();
  agree_everywhere<T, 5, 64, 24>();
  agree_everywhere<T, 64, 23, 4>();
}

TEST_CASE_TEMPLATE("products of known extents: narrow, depths around the register width", T, float, double) {
  agree_everywhere<T, 3, 2, 39>();
  agree_everywhere<T, 6, 1, 38>();
  agree_everywhere<T, 29, 2, 33>();
  agree_everywhere<T, 5, 4, 31>();
  agree_everywhere<T, 6, 8, 36>();
  agree_everywhere<T, 4, 20, 17>();
  agree_everywhere<T, 9, 21, 18>();
}

TEST_CASE_TEMPLATE("products of known extents: every element of A multiplies B once, at any depth", T, float, double) {
  const auto infinite_at = [](auto columns, auto depth) {
    constexpr index_t m = 5, n = columns, k = depth;
    for (index_t p = 0; p < k; ++p) {
      CAPTURE(n);
      CAPTURE(k);
      CAPTURE(p);
      T a[m * k], b[k * n], c[m * n];
      std::fill_n(a, m * k, T(1));
      std::fill_n(b, k * n, T(1));
      a[2 * k + p] = std::numeric_limits<T>::infinity();
      rp::gemm<m, n, k>(a, b, c);
      for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) CHECK(c[i * n + j] == (i == 2 ? a[2 * k + p] : T(k)));
    }
  };
  const auto at_depths = [&]<index_t... K>(auto columns, std::integer_sequence<index_t, K...>) {
    (infinite_at(columns, std::integral_constant<index_t, K + 4>{}), ...);
  };
  at_depths(std::integral_constant<index_t, 2>{}, std::make_integer_sequence<index_t, 6>{});
  at_depths(std::integral_constant<index_t, 3>{}, std::make_integer_sequence<index_t, 6>{});
  at_depths(std::integral_constant<index_t, 7>{}, std::make_integer_sequence<index_t, 6>{});
}

TEST_CASE_TEMPLATE("views and batches of known extents give the same product", T, float, double) {
  constexpr index_t m = 4, n = 5, k = 3, count = 3;
  const auto a = agreement::random_values<T>(count * m * k, 1).values, b = agreement::random_values<T>(k * n, 2).values;
  std::vector<T> as(a.begin(), a.end()), bs(b.begin(), b.end()), batched(count * m * n), one(m * n);
  rp::gemm_batched<m, n, k>(count, as.data(), m * k, bs.data(), 0, batched.data(), m * n);
  for (index_t q = 0; q < count; ++q) {
    rp::gemm(rp::static_view<T, m, k>(as.data() + q * m * k), rp::static_view<const T, k, n>(bs.data()),
             rp::static_view<T, m, n>(one.data()));
    for (index_t i = 0; i < m * n; ++i)
      CHECK(one[static_cast<std::size_t>(i)] == batched[static_cast<std::size_t>(q * m * n + i)]);
  }
}

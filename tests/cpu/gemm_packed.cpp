// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstring>

#include <ridgepoint/cpu/gemm.hpp>

#include "support/agreement.hpp"
#include "support/cpu_copies.hpp"
#include "support/gemm_operands.hpp"

namespace rp = ridgepoint;
using rp::index_t;

TEST_CASE_TEMPLATE("a packed B gives the bits of a plain B", T, float, double) {
  constexpr index_t mr = rp::kernels::tile_rows(rp::kernels::native_unit),
                    nr = rp::kernels::tile_vectors * rp::simd::lanes<T>;
  for (const index_t m : {index_t{2}, mr, 2 * mr + 3})
    for (const index_t n : {nr - 1, nr, 2 * nr + 3})
      for (const index_t k : {1, 40, 700})
        for (const bool turned : {false, true}) {
          const gemm_case problem{
              .m = m, .n = n, .k = k, .transposed_b = turned, .bias = true, .act = rp::activation::tanh};
          const auto operands = problem.operands<T>();
          std::vector<std::vector<T>> memory;
          std::vector<T*> p;
          for (const auto& o : operands) {
            memory.emplace_back(o.values.begin(), o.values.end());
            p.push_back(memory.back().data());
          }
          const auto args = problem.args(p);
          const auto on = on_cpu(2);
          const auto packed = rp::pack_b(on, args.b);
          std::vector<T> c(memory[2].size());
          rp::gemm(on, args.a, packed, rp::matrix_view<T>(c.data(), m, n), args.options);
          agreement::agree<T>(on_cpu, operands, [&](const auto& backend, const auto& q, rp::step_state*) {
            execute(backend, problem.args(q));
          });
          execute(on, args);
          const auto plan = rp::detail::plan(rp::kernels::native_unit, args);
          if (plan.family == rp::kernels::gemm_family::packed)
            CHECK(std::memcmp(c.data(), memory[2].data(), c.size() * sizeof(T)) == 0);
        }
}

TEST_CASE_TEMPLATE("threads share the rows or the columns of a product with packed B", T, float, double) {
  for (const gemm_case& problem : {gemm_case{.m = 40, .n = 301, .k = 120, .alpha = 0.75, .beta = -0.5, .bias = true},
                                   gemm_case{.m = 301, .n = 40, .k = 120, .transposed_a = true}})
    agreement::agree<T>(on_cpu, problem.operands<T>(), [&](const auto& on, const auto& p, rp::step_state*) {
      const auto args = problem.args(p);
      if constexpr (std::is_same_v<decltype(on), const rp::reference_backend&>) execute(on, args);
      else rp::gemm(on, args.a, rp::pack_b(on, args.b), args.c, args.options);
    });
}

TEST_CASE("alpha multiplies the sum of a deep product with packed B, not each partial sum") {
  const index_t m = 50, n = 70, k = 2000;
  const std::vector<float> ones(m * k, 1.0F);
  std::vector<float> b(k * n, 2.0F), c(m * n);
  std::fill(b.begin() + k * n / 2, b.end(), -1.0F);
  for (const float alpha : {std::numeric_limits<float>::infinity(), 2.5e35F}) {
    const auto on = on_cpu(2);
    const auto packed = rp::pack_b(on, rp::matrix_view<const float>(b.data(), k, n));
    rp::gemm(on, rp::matrix_view<const float>(ones.data(), m, k), packed, rp::matrix_view<float>(c.data(), m, n),
             {.alpha = alpha});
    CHECK(c == std::vector<float>(m * n, alpha * 1000));
  }
}

TEST_CASE("packing checks before it allocates") {
  const rp::matrix_view<const float> huge(nullptr, index_t{1} << 40, index_t{1} << 40), nothing(nullptr, 2, 2);
  CHECK_THROWS_AS(static_cast<void>(rp::pack_b(rp::native_cpu(1), huge)), rp::shape_error);
  const float some[9] = {};
  const rp::matrix_view<const float> far(some, 3, 3, index_t{1} << 61, 1);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::pack_b(rp::native_cpu(1), far)),
                       doctest::Contains("strides must stay within the addresses"), rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::pack_b(rp::native_cpu(1), rp::matrix_view<const float>(some, 4, 3, 2))),
                       doctest::Contains("rows run into each other"), rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::pack_b(rp::native_cpu(1), nothing)), doctest::Contains("null pointer"),
                       rp::shape_error);
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/simd/batch.hpp>

namespace rp = ridgepoint;
namespace simd = ridgepoint::simd;
using rp::index_t;

TEST_CASE("products of small integers are exact") {
  for (const index_t m : {1, 5, 24})
    for (const index_t n : {1, 16, 37})
      for (const index_t k : {1, 8, 65}) {
        std::vector<float> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n)),
            c(static_cast<std::size_t>(m * n));
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
        const rp::matrix_view<const float> left(a.data(), m, k), right(b.data(), k, n);
        const rp::matrix_view<float> product(c.data(), m, n);
        rp::gemm(rp::native_cpu(1), left, right, product);
        int wrong = 0;
        for (index_t i = 0; i < m; ++i)
          for (index_t j = 0; j < n; ++j) {
            float sum = 0;
            for (index_t p = 0; p < k; ++p) sum += left(i, p) * right(p, j);
            wrong += product(i, j) == sum ? 0 : 1;
          }
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(k);
        CHECK(wrong == 0);
      }
}

TEST_CASE("fma rounds once if the instruction set has it") {
  const float x = 1 + 0x1p-12F, exact = std::fma(x, x, -1.0F), twice = 0x1p-11F;
  REQUIRE(exact != twice);
  const float got =
      simd::sum<float>(simd::fma(simd::batch<float>(x), simd::batch<float>(x), simd::batch<float>(-1.0F))) /
      static_cast<float>(simd::lanes<float>);
  CHECK(got == (simd::native::fma ? exact : twice));
}

// SPDX-License-Identifier: MIT
// gemm on the TPU backend: the systolic array's product bit for bit, and the definition within its bounds.
#include <ridgepoint/mxu/gemm.hpp>

#include <ridgepoint/mxu/systolic_array.hpp>

#include "mxu/backend.hpp"

namespace rp = ridgepoint;
namespace sys = ridgepoint::systolic;
using namespace agreement;
using mxu_backend::small_mxu;

namespace {

/// Returns whether bits are equal; a NaN equals a NaN.
bool same(float x, float y) { return std::memcmp(&x, &y, sizeof x) == 0 || (std::isnan(x) && std::isnan(y)); }

/// Values that expose rounding: very different magnitudes, ties of bf16, both zeros, some NaN and infinity.
std::vector<float> values(index_t size, rp::random_stream& random) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float odd[] = {0.0F, -0.0F, 1.01171875F, 1.00390625F, -1.00390625F, 3.4e38F, 1e-40F, -1e-30F, 1e30F};
  std::vector<float> v(static_cast<std::size_t>(size));
  for (float& x : v) {
    x = static_cast<float>(random.uniform(-2, 2)) * static_cast<float>(1U << random.below(20));
    if (random.below(15) == 0) x = odd[random.below(9)];
    if (random.below(300) == 0) x = random.below(2) == 0 ? nan : inf;
  }
  return v;
}

/// Runs one random product on both; returns the number of different elements.
template <class Format, int R, int C>
index_t differences(sys::number_format format, rp::random_stream& random) {
  const auto extent = [&](index_t tile) { return index_t{1 + random.below(static_cast<std::uint32_t>(3 * tile + 2))}; };
  const index_t m = extent(8), k = extent(R), n = extent(C);
  const std::vector<float> a = values(m * k, random), b = values(k * n, random);
  std::vector<float> c(static_cast<std::size_t>(m * n)), expected(c.size());
  const rp::matrix_view<const float> av(a.data(), m, k), bv(b.data(), k, n);
  rp::gemm<float>(small_mxu(format, R, C), av, bv, rp::matrix_view<float>(c.data(), m, n));

  const sys::systolic_array<Format, R, C> array;
  if constexpr (std::same_as<Format, std::int8_t>) {
    std::vector<std::int8_t> qa(a.size()), qb(b.size());
    std::vector<sys::quantiser> columns(static_cast<std::size_t>(n));
    std::vector<std::int32_t> sums(c.size());
    const sys::quantiser all = sys::quantise_matrix(av, qa.data());
    sys::quantise_columns(bv, qb.data(), columns.data());
    array.multiply({qa.data(), m, k}, {qb.data(), k, n}, {sums.data(), m, n});
    for (std::size_t i = 0; i < c.size(); ++i)
      expected[i] = static_cast<float>(sums[i]) *
                    static_cast<float>(all.step() * columns[i % static_cast<std::size_t>(n)].step());
  } else {
    array.multiply(av, bv, {expected.data(), m, n});
  }
  index_t wrong = 0;
  for (std::size_t i = 0; i < c.size(); ++i) wrong += same(c[i], expected[i]) ? 0 : 1;
  return wrong;
}

struct operand_extents {
  index_t m, n, k;
};

/// Multiplies operands 0 and 1 into operand 2.
template <class S>
rp::gemm_args<S> product(const std::vector<S*>& p, const operand_extents& e, rp::gemm_options<S> options) {
  return {.a = {p[0], e.m, e.k}, .b = {p[1], e.k, e.n}, .c = {p[2], e.m, e.n}, .options = options};
}

}  // namespace

TEST_CASE("gemm is the systolic array's product bit for bit") {
  rp::random_stream random(1);
  index_t wrong = 0;
  for (int trial = 0; trial < 400; ++trial) {
    wrong += differences<rp::bfloat16, 4, 4>(sys::number_format::bf16, random);
    wrong += differences<rp::bfloat16, 8, 3>(sys::number_format::bf16, random);
    wrong += differences<rp::bfloat16, 1, 2>(sys::number_format::bf16, random);
    wrong += differences<float, 4, 4>(sys::number_format::fp32, random);
    wrong += differences<float, 5, 16>(sys::number_format::fp32, random);
    wrong += differences<std::int8_t, 4, 4>(sys::number_format::int8, random);
    wrong += differences<std::int8_t, 7, 5>(sys::number_format::int8, random);
  }
  for (int trial = 0; trial < 3; ++trial) wrong += differences<rp::bfloat16, 32, 32>(sys::number_format::bf16, random);
  CHECK(wrong == 0);
}

TEST_CASE("every host gives the same bits") {
  rp::random_stream random(2);
  const index_t m = 9, k = 21, n = 13;
  const std::vector<float> a = values(m * k, random), b = values(k * n, random);
  for (const sys::number_format f : sys::number_formats) {
    std::vector<float> on_cpu(static_cast<std::size_t>(m * n)), by_definition(on_cpu.size());
    rp::gemm<float>(small_mxu(f), {a.data(), m, k}, {b.data(), k, n}, rp::matrix_view<float>(on_cpu.data(), m, n));
    rp::gemm<float>(rp::mxu(rp::reference, mxu_backend::chip_with(4, 4), f), {a.data(), m, k}, {b.data(), k, n},
                    rp::matrix_view<float>(by_definition.data(), m, n));
    for (std::size_t i = 0; i < on_cpu.size(); ++i) CHECK(same(on_cpu[i], by_definition[i]));
  }
}

TEST_CASE("gemm with every option agrees with its definition") {
  for (const operand_extents& e : {operand_extents{1, 1, 1}, {5, 7, 9}, {17, 3, 4}, {3, 18, 13}, {4, 4, 0}})
    for (const float alpha : {1.0F, -0.5F})
      for (const float beta : {0.0F, 1.0F, 0.25F})
        for (const rp::activation act : {rp::activation::none, rp::activation::relu, rp::activation::tanh}) {
          const auto run = [&](const auto& on, const auto& p, rp::step_state*) {
            using S = element_t<decltype(p)>;
            execute(on, product<S>(p, e, {.alpha = S(alpha), .beta = S(beta), .bias = p[3], .act = act}));
          };
          const operand c = beta == 0 ? output(e.m * e.n) : random_values<float>(e.m * e.n, 3),
                        bias = random_values<float>(e.n, 4);
          agree<float>(mxu_backend::on_fp32,
                       {random_values<float>(e.m * e.k, 1), random_values<float>(e.k * e.n, 2), c, bias}, run);
          agree<float>(mxu_backend::on_bf16,
                       {mxu_backend::bf16_values(e.m * e.k, 1), mxu_backend::bf16_values(e.k * e.n, 2), c, bias}, run);
        }
}

TEST_CASE("int8 stays within half a step of each operand") {
  rp::random_stream random(5);
  const index_t m = 20, k = 50, n = 30;
  std::vector<float> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n)),
      c(static_cast<std::size_t>(m * n));
  for (float& x : a) x = static_cast<float>(random.uniform(-2, 2));
  for (float& x : b) x = static_cast<float>(random.uniform(-1, 1));
  rp::gemm<float>(small_mxu(sys::number_format::int8), {a.data(), m, k}, {b.data(), k, n},
                  rp::matrix_view<float>(c.data(), m, n));
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j) {
      // |Σ ab − Σ âb̂| ≤ Σ |a|·δb + |b|·δa + δa·δb, with a half step of at most 2/254 and 1/254.
      double exact = 0, bound = 0;
      for (index_t p = 0; p < k; ++p) {
        const double x = a[static_cast<std::size_t>(i * k + p)], y = b[static_cast<std::size_t>(p * n + j)];
        exact += x * y;
        bound += std::abs(x) / 254 + std::abs(y) * 2 / 254 + 2.0 / (254 * 254);
      }
      CHECK(std::abs(c[static_cast<std::size_t>(i * n + j)] - exact) <= bound * 1.00001);
    }
}

TEST_CASE("a C with any strides, batches and packed operands give the same product") {
  rp::random_stream random(6);
  const index_t m = 6, k = 10, n = 7;
  const std::vector<float> a = values(m * k, random), b = values(k * n, random);
  for (const sys::number_format f : sys::number_formats) {
    const auto on = small_mxu(f);
    std::vector<float> plain(static_cast<std::size_t>(m * n)), other(plain.size());
    rp::gemm<float>(on, {a.data(), m, k}, {b.data(), k, n}, rp::matrix_view<float>(plain.data(), m, n));
    const auto matches = [&](auto at) {
      for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) CHECK(same(at(i, j), plain[static_cast<std::size_t>(i * n + j)]));
    };
    const rp::matrix_view<float> turned = rp::matrix_view<float>(other.data(), n, m).transposed();
    rp::gemm<float>(on, {a.data(), m, k}, {b.data(), k, n}, turned);
    matches([&](index_t i, index_t j) { return turned(i, j); });
    const auto packed = rp::pack_b(on, rp::matrix_view<const float>(b.data(), k, n));
    rp::gemm<float>(on, {a.data(), m, k}, packed, rp::matrix_view<float>(other.data(), m, n));
    matches([&](index_t i, index_t j) { return other[static_cast<std::size_t>(i * n + j)]; });
    std::vector<float> two(2 * plain.size());
    rp::gemm_batched(on, rp::gemm_batched_args<float>{
                             .first = {.a = {a.data(), m, k}, .b = {b.data(), k, n}, .c = {two.data(), m, n}},
                             .count = 2,
                             .c_step = m * n});
    matches([&](index_t i, index_t j) { return two[static_cast<std::size_t>(m * n + i * n + j)]; });
  }
}

TEST_CASE("bf16: ties to even, denormals kept, infinities and NaN per IEEE 754") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const auto times_one = [](float x) {
    float one = 1, y = 0;
    rp::gemm<float>(small_mxu(sys::number_format::bf16), {&x, 1, 1}, {&one, 1, 1}, rp::matrix_view<float>(&y, 1, 1));
    return y;
  };
  CHECK(times_one(1.00390625F) == 1.0F);       // halfway between 1 and 1.0078125: the even one
  CHECK(times_one(1.01171875F) == 1.015625F);  // halfway: the even one is above
  CHECK(times_one(3.4e38F) == inf);            // above the largest bf16
  CHECK(times_one(-inf) == -inf);
  CHECK(std::isnan(times_one(std::numeric_limits<float>::signaling_NaN())));
  CHECK(times_one(0x1p-133F) == 0x1p-133F);        // the smallest bf16
  CHECK(std::signbit(times_one(-0.0F)) == false);  // 0 + (−0): a partial sum starts at +0
}

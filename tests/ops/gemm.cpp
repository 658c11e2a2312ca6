// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <limits>
#include <span>
#include <vector>

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/reference/gemm.hpp>

#include "support/counting.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {
/// Returns a product of dense operands without memory.
template <class T>
constexpr rp::gemm_args<T> plain(index_t m, index_t n, index_t k) {
  return {.a = {nullptr, m, k}, .b = {nullptr, k, n}, .c = {nullptr, m, n}};
}

/// Checks the receipt against the operations that the definition executes, for random problems.
void prove_receipts(int problems) {
  rp::random_stream random(11);
  for (int i = 0; i < problems; ++i) {
    const auto extent = [&] { return static_cast<index_t>(1 + random.below(9)); };
    const index_t m = extent(), n = extent(), k = extent();
    witness::store memory(static_cast<std::uint64_t>(i));
    rp::gemm_options<witness::counting> options;
    const double betas[] = {0, 1, 0.5};
    options.alpha = witness::counting(random.below(2) == 0 ? 1 : 2);
    options.beta = witness::counting(betas[random.below(3)]);
    const rp::activation acts[] = {rp::activation::none, rp::activation::relu, rp::activation::sigmoid,
                                   rp::activation::tanh};
    options.act = acts[random.below(4)];
    const auto* a = memory.add(m * k);
    const auto* b = memory.add(k * n, witness::role::weights);
    auto* c = memory.add(m * n);
    if (random.below(2) == 0) options.bias = memory.add(n, witness::role::weights);
    witness::ledger& ledger = witness::ledger::current();
    ledger.flop = ledger.matrix_flop = ledger.special = 0;
    const rp::gemm_args<witness::counting> args{.a = {a, m, k}, .b = {b, k, n}, .c = {c, m, n}, .options = options};
    execute(rp::reference, args);
    const rp::work executed = ledger.executed();
    CHECK(executed == receipt(args));
  }
}
}  // namespace

TEST_CASE("the receipt of gemm counts what its definition executes") { prove_receipts(300); }
TEST_CASE("the receipt of gemm counts what its definition executes, many problems" * doctest::test_suite("slow")) {
  prove_receipts(5000);
}

TEST_CASE("the receipt of a plain product") {
  const rp::work w = receipt(plain<float>(128, 512, 784));
  CHECK(w.flop == 2ULL * 128 * 512 * 784);
  CHECK(w.matrix_flop == w.flop);
  CHECK(w.bytes.inputs == 4ULL * 128 * 784);
  CHECK(w.bytes.weights == 4ULL * 784 * 512);
  CHECK(w.bytes.outputs == 4ULL * 128 * 512);
  static_assert(receipt(plain<double>(2, 3, 4)).bytes.total() == 8 * (8 + 12 + 6));
}

TEST_CASE("gemm names the extents that disagree and writes nothing") {
  rp::tensor<float> a({3, 4}), b({5, 6}), c({3, 6});
  c[0] = 7;
  CHECK_THROWS_WITH_AS(rp::gemm(rp::reference, a.matrix(), b.matrix(), c.matrix()),
                       "gemm: a is 3x4 but b is 5x6; a.cols must equal b.rows", rp::shape_error);
  rp::tensor<float> b2({4, 6}), c2({3, 5});
  CHECK_THROWS_WITH_AS(rp::gemm(rp::reference, a.matrix(), b2.matrix(), c2.matrix()), "gemm: c is 3x5; must be 3x6",
                       rp::shape_error);
  CHECK(c[0] == 7.0F);
}

TEST_CASE("gemm refuses invalid arguments") {
  float x[4] = {};
  const rp::matrix_view<const float> a(x, 2, 2), nothing(nullptr, 2, 2);
  rp::matrix_view<float> c(x, 2, 2);
  using rp::reference;
  CHECK_THROWS_WITH_AS(rp::gemm(reference, nothing, a, c), doctest::Contains("a is a null pointer"), rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::gemm(reference, a, nothing, c), doctest::Contains("b is a null pointer"), rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::gemm(reference, a, a, rp::matrix_view<float>(nullptr, 2, 2)),
                       doctest::Contains("null pointer"), rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::gemm(reference, a, a, rp::matrix_view<float>(x, 2, 2, 1)),
                       doctest::Contains("positive without overlap"), rp::shape_error);
  CHECK_THROWS_AS(rp::gemm(reference, {x, -1, 2}, a, c), rp::shape_error);
  const index_t huge = index_t{1} << 33;
  CHECK_THROWS_AS(rp::gemm(reference, {x, huge, 1}, {x, 1, huge}, rp::matrix_view<float>(x, huge, huge)),
                  rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::gemm(reference, a, a, c, {.act = rp::activation::leaky_relu}),
                       doctest::Contains("must be none, relu, relu6, sigmoid or tanh"), rp::value_error);
}

TEST_CASE("gemm refuses operands with overlapping rows or columns, as from a wrong leading dimension") {
  float x[64] = {}, y[64] = {}, result[64] = {};
  const rp::matrix_view<const float> b(y, 4, 3);
  const rp::matrix_view<float> c(result, 3, 3);
  CHECK_THROWS_WITH_AS(
      rp::gemm(rp::reference, {x, 3, 4, 3}, b, c),
      "gemm: a is 3x4 (strides 3, 1), whose rows run into each other; its row stride must be 0 or at least 4",
      rp::shape_error);
  CHECK_THROWS_WITH_AS(
      rp::gemm(rp::reference, b.transposed(), {x, 4, 3, 1, 2}, c),
      "gemm: b is 4x3 (strides 1, 2), whose columns run into each other; its column stride must be 0 or at least 4",
      rp::shape_error);
  CHECK_THROWS_AS(rp::gemm(rp::reference, {x, 3, 4, 1, 1}, b, c), rp::shape_error);
  const float one = 1;
  for (const rp::matrix_view<const float>& a :
       {rp::matrix_view<const float>(x, 3, 4), rp::matrix_view<const float>(x, 3, 4, 7),
        rp::matrix_view<const float>(x, 3, 4, 1, 3), rp::matrix_view<const float>(x, 3, 4, 0),
        rp::matrix_view<const float>(&one, 3, 4, 0, 0), rp::matrix_view<const float>(x + 8, 3, 4, -4),
        rp::matrix_view<const float>(x + 3, 3, 4, 4, -1), rp::matrix_view<const float>(x, 3, 4, 2, 8)})
    CHECK_NOTHROW(rp::gemm(rp::reference, a, b, c));
  // A single row or column has no neighbour to overlap.
  CHECK_NOTHROW(rp::gemm(rp::reference, {x, 1, 4, 1}, b, rp::matrix_view<float>(result, 1, 3)));
  CHECK_NOTHROW(rp::gemm(rp::reference, {x, 3, 1}, {y, 1, 3}, c));
  CHECK_NOTHROW(rp::gemm(rp::reference, rp::matrix_view<const float>(x, 1, 3).transposed(), {y, 1, 3}, c));
}

TEST_CASE("gemm refuses a C that overlaps an operand") {
  float x[16] = {};
  const rp::matrix_view<const float> a(x, 2, 2), b(x + 8, 2, 2);
  CHECK_THROWS_WITH_AS(rp::gemm(rp::reference, a, b, rp::matrix_view<float>(x + 2, 2, 2)),
                       doctest::Contains("c overlaps a"), rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::gemm(rp::reference, a, b, rp::matrix_view<float>(x + 8, 2, 2)),
                       doctest::Contains("c overlaps b"), rp::shape_error);
  CHECK_NOTHROW(rp::gemm(rp::reference, a, b, rp::matrix_view<float>(x + 4, 2, 2)));
  // Interleaved columns of one matrix share no element although their spans do.
  float y[4] = {};
  CHECK_NOTHROW(rp::gemm(rp::reference, {x, 2, 2, 8}, {y, 2, 2}, rp::matrix_view<float>(x + 2, 2, 2, 8)));
}

TEST_CASE("gemm sees overlap through strides of any sign") {
  float x[16] = {}, y[16] = {};
  const rp::matrix_view<float> c(x + 4, 2, 2);
  const rp::matrix_view<const float> other(y, 2, 2);
  for (const rp::matrix_view<const float>& a : {rp::matrix_view<const float>(x + 6, 2, 2, -2),      // x[4] … x[7]
                                                rp::matrix_view<const float>(x + 7, 2, 2, -2, -1),  // the same
                                                rp::matrix_view<const float>(x + 9, 2, 2, -3, -1),  // down to x[5]
                                                rp::matrix_view<const float>(x + 5, 2, 2, 4, -3)}) {
    CAPTURE(a.data - x);
    CHECK_THROWS_WITH_AS(rp::gemm(rp::reference, a, other, c), doctest::Contains("c overlaps a"), rp::shape_error);
    CHECK_THROWS_WITH_AS(rp::gemm(rp::reference, other, a, c), doctest::Contains("c overlaps b"), rp::shape_error);
  }
  CHECK_NOTHROW(rp::gemm(rp::reference, {x + 11, 2, 2, -2, -1}, other, c));  // x[8] … x[11]
  CHECK_NOTHROW(rp::gemm(rp::reference, {x + 2, 2, 2, -2}, other, c));       // x[0] … x[3]
  // Other columns of c's matrix, last row first.
  CHECK_NOTHROW(rp::gemm(rp::reference, {x + 10, 2, 2, -8}, other, rp::matrix_view<float>(x, 2, 2, 8)));
}

TEST_CASE("gemm refuses a bias inside c") {
  float x[16] = {};
  const rp::matrix_view<const float> a(x, 2, 2);
  const rp::matrix_view<float> c(x + 8, 2, 2, 4);  // x[8], x[9], x[12], x[13]
  for (const int inside : {7, 8, 9, 11, 12, 13})
    CHECK_THROWS_WITH_AS(rp::gemm(rp::reference, a, a, c, {.bias = x + inside}),
                         "gemm: c overlaps bias; must not overlap", rp::shape_error);
  for (const int outside : {6, 10, 14}) CHECK_NOTHROW(rp::gemm(rp::reference, a, a, c, {.bias = x + outside}));
}

TEST_CASE("the size of gemm's bias is checked if it is known") {
  const rp::tensor<float> a({2, 3}, {1, 0, 2, 0, 1, 0}), b({3, 2}, {1, 4, 2, 5, 3, 6}), row({2}, {10, 20});
  rp::tensor<float> c({2, 2});
  const std::vector<float> bias{10, 20}, three(3);
  const float by_twos[4] = {10, 0, 20, 0};
  const auto is_expected = [&] {
    const rp::tensor<float> expected({2, 2}, {17, 36, 12, 25});
    for (rp::index_t i = 0; i < 4; ++i) CHECK(c[i] == expected[i]);
    for (float& x : c) x = -1;
  };
  CHECK(rp::gemm(rp::reference, a, b, c, {.bias = bias}) ==
        receipt(rp::gemm_args<float>{.a = a.matrix(), .b = b.matrix(), .c = c.matrix(), .options = {.bias = bias}}));
  is_expected();
  rp::gemm(rp::reference, a, b, c, {.bias = std::span(bias)});
  is_expected();
  rp::gemm(rp::reference, a, b, c, {.bias = row});
  is_expected();
  rp::gemm(rp::reference, a, b, c, {.bias = rp::vector_view<const float>{bias.data(), 2}});
  is_expected();
  rp::gemm(rp::reference, a, b, c, {.bias = bias.data()});  // trusted
  is_expected();
  CHECK_THROWS_WITH_AS(rp::gemm(rp::reference, a, b, c, {.bias = three}), "gemm: bias has 3 elements; must have 2",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::gemm(rp::reference, a, b, c, {.bias = rp::vector_view<const float>{by_twos, 2, 2}}),
                       "gemm: bias is a view with gaps or in another order; must be dense", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::gemm(rp::reference, a, rp::pack_b(rp::reference, b), c, {.bias = three}),
                       "gemm: bias has 3 elements; must have 2", rp::shape_error);
  const rp::gemm_batched_args<float> batch{.first = {.a = a, .b = b, .c = c, .options = {.bias = three}}, .count = 1};
  CHECK_THROWS_WITH_AS(rp::gemm_batched(rp::reference, batch), "gemm: bias has 3 elements; must have 2",
                       rp::shape_error);
  for (const float x : c) CHECK(x == -1);
}

TEST_CASE("gemm refuses strides that leave the address space") {
  float x[16] = {}, y[4] = {};
  const rp::matrix_view<const float> b(x, 2, 2);
  const rp::matrix_view<float> c(y, 2, 2);
  const index_t far = std::numeric_limits<index_t>::max(), back = std::numeric_limits<index_t>::min();
  for (const index_t stride : {far, back, far / 4, back / 4, far / 8}) {
    CAPTURE(stride);
    const char* const what = "its strides must stay within the addresses";
    CHECK_THROWS_WITH_AS(rp::gemm(rp::reference, {x, 2, 2, stride}, b, c), doctest::Contains(what), rp::shape_error);
    CHECK_THROWS_WITH_AS(rp::gemm(rp::reference, b, {x, 2, 2, 1, stride}, c), doctest::Contains(what), rp::shape_error);
    CHECK_THROWS_WITH_AS(rp::gemm(rp::reference, b, b, rp::matrix_view<float>(y, 2, 2, stride)),
                         doctest::Contains(what), rp::shape_error);
    // The stride of a single row is not used.
    CHECK_NOTHROW(rp::gemm(rp::reference, {x, 1, 2, stride}, b, rp::matrix_view<float>(y, 1, 2, stride)));
  }
}

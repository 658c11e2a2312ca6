// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/cpu/gemm_batched.hpp>

#include "support/agreement.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {

struct batch_case {
  index_t count, m, n, k;
  bool shares_a = false, shares_b = false, by_pointer = false;
};

/// `count` random problems on the CPU against the definition.
template <class T>
void agree(const batch_case& b) {
  CAPTURE(b.count);
  CAPTURE(b.m);
  CAPTURE(b.n);
  const index_t a_step = b.shares_a ? 0 : b.m * b.k, b_step = b.shares_b ? 0 : b.k * b.n, c_step = b.m * b.n;
  agreement::agree<T>([](int threads) { return rp::cpu(threads); },
                      {agreement::random_values<T>(b.shares_a ? b.m * b.k : b.count * b.m * b.k, 1),
                       agreement::random_values<T>(b.shares_b ? b.k * b.n : b.count * b.k * b.n, 2),
                       agreement::output(b.count * c_step)},
                      [&]<class S>(const auto& on, const std::vector<S*>& p, rp::step_state*) {
                        rp::gemm_batched_args<S> args{
                            .first = {.a = {p[0], b.m, b.k}, .b = {p[1], b.k, b.n}, .c = {p[2], b.m, b.n}},
                            .count = b.count,
                            .a_step = a_step,
                            .b_step = b_step,
                            .c_step = c_step};
                        std::vector<const S*> a_at, b_at;
                        std::vector<S*> c_at;
                        if (b.by_pointer) {                    // the last problem first
                          for (index_t q = b.count - 1; q >= 0; --q) {
                            a_at.push_back(p[0] + q * a_step);
                            b_at.push_back(p[1] + q * b_step);
                            c_at.push_back(p[2] + q * c_step);
                          }
                          args.a_at = a_at.data(), args.b_at = b_at.data(), args.c_at = c_at.data();
                        }
                        rp::gemm_batched(on, args);
                      });
}

}  // namespace

TEST_CASE_TEMPLATE("every problem of a batch equals the exact product", T, float, double) {
  for (const index_t count : {1, 2, 3, 17}) {
    agree<T>({.count = count, .m = 5, .n = 19, .k = 8});
    agree<T>({.count = count, .m = 5, .n = 19, .k = 8, .shares_b = true});
    agree<T>({.count = count, .m = 5, .n = 19, .k = 8, .shares_a = true});
    agree<T>({.count = count, .m = 1, .n = 33, .k = 4, .by_pointer = true});
  }
}

TEST_CASE("a batch counts a shared operand once") {
  float x[64] = {};
  rp::gemm_batched_args<float> args{.first = {.a = {x, 2, 2}, .b = {x + 16, 2, 2}, .c = {x + 32, 2, 2}},
                                    .count = 3,
                                    .a_step = 4,
                                    .b_step = 0,
                                    .c_step = 4};
  CHECK(receipt(args).flop == 3 * 16);
  CHECK(receipt(args).bytes == rp::traffic{.inputs = 48, .weights = 16, .outputs = 48});
  args.b_step = 4;
  CHECK(receipt(args).bytes.weights == 48);
}

TEST_CASE("a batch whose results would overlap is refused") {
  float x[64] = {};
  rp::gemm_batched_args<float> args{.first = {.a = {x, 2, 2}, .b = {x + 16, 2, 2}, .c = {x + 32, 2, 2}},
                                    .count = 3,
                                    .a_step = 4,
                                    .b_step = 0,
                                    .c_step = 3};
  CHECK_THROWS_WITH_AS(rp::gemm_batched(rp::cpu(1), args),
                       doctest::Contains("c_step is 3; problems of 2x2 need at least 4"), rp::shape_error);
  args.count = -1;
  CHECK_THROWS_AS(rp::gemm_batched(rp::cpu(1), args), rp::shape_error);
}

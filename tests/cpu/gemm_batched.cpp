// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <limits>

#include <ridgepoint/cpu/gemm.hpp>

#include "support/agreement.hpp"
#include "support/cpu_copies.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {

struct batch_case {
  index_t count, m, n, k;
  bool shares_a = false, shares_b = false, by_pointer = false;
};

/// Checks `count` random problems on the CPU against the definition.
template <class T>
void check_batch(const batch_case& b) {
  CAPTURE(b.count);
  CAPTURE(b.m);
  CAPTURE(b.n);
  const index_t a_step = b.shares_a ? 0 : b.m * b.k, b_step = b.shares_b ? 0 : b.k * b.n, c_step = b.m * b.n;
  agreement::agree<T>(on_cpu,
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
                        if (b.by_pointer) {  // the last problem first
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
    check_batch<T>({.count = count, .m = 5, .n = 19, .k = 8});
    check_batch<T>({.count = count, .m = 5, .n = 19, .k = 8, .shares_b = true});
    check_batch<T>({.count = count, .m = 5, .n = 19, .k = 8, .shares_a = true});
    check_batch<T>({.count = count, .m = 1, .n = 33, .k = 4, .by_pointer = true});
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

TEST_CASE("a batch with overlapping results is refused") {
  float x[64] = {};
  rp::gemm_batched_args<float> args{.first = {.a = {x, 2, 2}, .b = {x + 16, 2, 2}, .c = {x + 32, 2, 2}},
                                    .count = 3,
                                    .a_step = 4,
                                    .b_step = 0,
                                    .c_step = 3};
  CHECK_THROWS_WITH_AS(rp::gemm_batched(on_cpu(1), args),
                       doctest::Contains("c_step is 3; problems of 2x2 need at least 4"), rp::shape_error);
  args.count = -1;
  CHECK_THROWS_AS(rp::gemm_batched(on_cpu(1), args), rp::shape_error);
}

TEST_CASE("result pointers that share elements are refused") {
  float x[64] = {}, y[64] = {};
  const float* in[] = {x, x, x, x};
  rp::gemm_batched_args<float> args{
      .first = {.a = {x, 2, 2}, .b = {x + 16, 2, 2}, .c = {y, 2, 2}}, .count = 4, .a_at = in, .b_at = in};
  const auto at = [&](index_t p, index_t q, index_t r, index_t s) {
    float* out[] = {y + p, y + q, y + r, y + s};
    args.c_at = out;
    rp::gemm_batched(on_cpu(1), args);
  };
  CHECK_NOTHROW(at(0, 4, 8, 12));
  CHECK_NOTHROW(at(12, 8, 4, 0));
  CHECK_NOTHROW(at(20, 0, 9, 4));
  CHECK_THROWS_WITH_AS(at(0, 4, 0, 12), "gemm_batched: two c share elements; must not overlap", rp::shape_error);
  CHECK_THROWS_AS(at(12, 3, 30, 0), rp::shape_error);
  args.first.c.row_stride = 8;  // columns of one matrix
  CHECK_NOTHROW(at(0, 2, 4, 6));
  CHECK_NOTHROW(at(6, 2, 18, 4));
  CHECK_THROWS_AS(at(0, 2, 3, 6), rp::shape_error);
  CHECK_THROWS_AS(at(0, 8, 4, 6), rp::shape_error);
}

TEST_CASE("a result that overlaps an operand of any problem is refused") {
  float x[64] = {};
  const rp::gemm_batched_args<float> base{.first = {.a = {x, 2, 2}, .b = {x + 12, 2, 2}, .c = {x + 24, 2, 2}},
                                          .count = 3,
                                          .a_step = 4,
                                          .b_step = 4,
                                          .c_step = 4};
  CHECK_NOTHROW(rp::gemm_batched(on_cpu(1), base));
  const auto refused = [](const rp::gemm_batched_args<float>& args, const char* what) {
    CHECK_THROWS_WITH_AS(rp::gemm_batched(on_cpu(1), args), doctest::Contains(what), rp::shape_error);
  };
  auto args = base;
  args.a_step = 11;  // a of problem 2 overlaps c of problem 0 only
  refused(args, "a c overlaps a of another problem");
  args.a_step = 12, args.b_step = -4;  // c also overlaps b of its own problem
  refused(args, "a c overlaps a of another problem");
  args = base, args.b_step = 8, args.c_step = -4;  // c goes down on to b
  refused(args, "a c overlaps b of another problem");
  args = base, args.b_step = 0, args.c_step = -6;  // on to the b they share
  args.first.b.data = x + 14;
  refused(args, "a c overlaps b of another problem");
  args = base, args.first.options.bias = x + 29;
  refused(args, "a c overlaps bias of another problem");
  args = base, args.a_step = args.c_step = 12, args.first.c.data = x + 4, args.first.b.data = x + 44;
  CHECK_NOTHROW(rp::gemm_batched(on_cpu(1), args));  // a and c in turn
  args.a_step = 8;
  refused(args, "a c overlaps a of another problem");

  const float *a_at[] = {x, x + 4, x + 26}, *b_at[] = {x + 12, x + 12, x + 12};
  float* c_at[] = {x + 36, x + 24, x + 40};
  args = base, args.a_at = a_at, args.b_at = b_at, args.c_at = c_at;
  refused(args, "a c overlaps a of another problem");
  a_at[2] = x + 28;
  CHECK_NOTHROW(rp::gemm_batched(on_cpu(1), args));
  args.a_at = nullptr, args.a_step = 20;  // x, x + 20, x + 40
  refused(args, "c overlaps a");
  args.a_step = std::numeric_limits<index_t>::min();
  refused(args, "must stay within the addresses");
}

TEST_CASE("an empty batch takes no work, whatever operands its problems share") {
  const rp::work receipt = rp::gemm_batched(
      on_cpu(1), rp::gemm_batched_args<float>{
                     .first = {.a = {nullptr, 0, 3}, .b = {nullptr, 3, 4}, .c = {nullptr, 0, 4}}, .count = 5});
  CHECK(receipt == rp::work{});
}

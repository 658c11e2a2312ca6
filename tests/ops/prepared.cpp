// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/ops/prepare.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace rp = ridgepoint;

namespace mine {

/// Prepares gemm with −A as a constant, and counts how often.
struct negating : rp::host_memory {
  int* made = nullptr;
  static std::string name() { return "negating"; }
};
void execute(const negating&, const rp::gemm_args<float>& g) { execute(rp::reference, g); }
struct negated {
  rp::preparation info;
};
negated prepare(const negating&, const rp::gemm_args<float>& g, const rp::prepare_options&) {
  return {{.algorithm = "negated",
           .workspace_bytes = 64,
           .constant_bytes = static_cast<std::size_t>(g.a.rows * g.a.cols) * sizeof(float)}};
}
void make_constants(const negating& on, const negated&, const rp::gemm_args<float>& g, void* to) {
  ++*on.made;
  for (rp::index_t i = 0; i < g.a.rows * g.a.cols; ++i) static_cast<float*>(to)[i] = -g.a.data[i];
}
void execute(const negating&, const negated&, const rp::gemm_args<float>& g, const rp::call_memory& memory) {
  CHECK(memory.workspace != nullptr);
  rp::gemm_args<float> negative = g;
  negative.a.data = static_cast<const float*>(memory.constants);
  execute(rp::reference, negative);
}

}  // namespace mine

static_assert(rp::prepares<mine::negating, rp::gemm_args<float>>);
static_assert(!rp::prepares<rp::reference_backend, rp::gemm_args<float>>);

TEST_CASE("a prepared call runs with its workspace and constants, which are recomputed on request") {
  int made = 0;
  float a[] = {1, 2}, b[] = {3, 4}, other[] = {1, 1}, c = 0, d = 0;
  const rp::gemm_args<float> args{.a = {a, 1, 2}, .b = {b, 2, 1}, .c = {&c, 1, 1}};
  const rp::prepared product(mine::negating{{}, &made}, args);
  CHECK(std::string_view(product.info().algorithm) == "negated");
  CHECK(receipt(product.args()) == receipt(args));
  CHECK(made == 1);
  product.run();
  CHECK(c == -11);
  a[0] = 2;
  product.run();
  CHECK(c == -11);
  product.refresh();
  CHECK(made == 2);
  product.run({.a = {a, 1, 2}, .b = {other, 2, 1}, .c = {&d, 1, 1}});
  CHECK(d == -4);
}

TEST_CASE("with two backends, the one that runs an op prepares it") {
  int made = 0;
  const float a[] = {1, 2}, b[] = {3, 4};
  float c = 0;
  const rp::gemm_args<float> args{.a = {a, 1, 2}, .b = {b, 2, 1}, .c = {&c, 1, 1}};
  const rp::prepared product(rp::either(mine::negating{{}, &made}, rp::reference), args);
  product.run();
  CHECK(made == 1);
  CHECK(c == -11);
  using other = rp::either<rp::reference_backend, mine::negating>;  // which does not need it
  static_assert(rp::executes<other, rp::gemm_args<float>> && !rp::prepares<other, rp::gemm_args<float>>);
}

TEST_CASE("errors in a call are reported when it is prepared") {
  float a[2] = {}, c[1] = {};
  int made = 0;
  const rp::gemm_args<float> bad{.a = {a, 1, 2}, .b = {a, 1, 1}, .c = {c, 1, 1}};
  CHECK_THROWS_AS((rp::prepared(mine::negating{{}, &made}, bad)), rp::shape_error);
  CHECK(made == 0);
}

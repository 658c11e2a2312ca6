// SPDX-License-Identifier: MIT
// Checks that a prepared product equals the plain one, in exactly the workspace that it reports.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <ridgepoint/cpu/dense.hpp>
#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/cpu/gemm_prepare.hpp>

#include "support/cpu_copies.hpp"
#include "support/gemm_operands.hpp"
#include "support/guarded.hpp"
#include "support/run_prepared.hpp"

namespace rp = ridgepoint;
namespace kernels = rp::kernels;
using rp::index_t;

static_assert(rp::prepares<rp::native_cpu, rp::gemm_args<float>>);
static_assert(rp::prepares<rp::native_cpu, rp::dense_backward_weights_args<double>>);
static_assert(std::is_trivially_copyable_v<rp::gemm_prepared<float>>);

namespace {

/// Operands of a problem, each in its own memory that ends at an inaccessible page.
template <class T>
struct operands_of {
  explicit operands_of(const gemm_case& problem) {
    for (const agreement::operand& o : problem.operands<T>()) {
      memory.emplace_back(static_cast<std::ptrdiff_t>(o.values.size()), placement_in_page::at_the_end);
      std::transform(o.values.begin(), o.values.end(), memory.back().data(),
                     [](double x) { return static_cast<T>(x); });
      p.push_back(memory.back().data());
    }
  }
  std::vector<guarded_vector<T>> memory;
  std::vector<T*> p;
};

/// Bytes of the values: NaN equals itself, and 0 differs from −0.
template <class T>
std::string_view bits_of(const guarded_vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// Prepares a call, runs it and returns its info.
template <class Args>
rp::preparation prepare_and_run(const tested_cpu& on, const Args& args, const rp::prepare_options& options = {}) {
  const auto made = prepare(on, args, options);
  run_prepared(on, made, args);
  return made.info;
}

template <class T>
void same_bits(const gemm_case& problem, int most_threads = 3) {
  for (int threads = 1; threads <= most_threads; ++threads) {
    CAPTURE(threads);
    CAPTURE(problem.m);
    CAPTURE(problem.n);
    CAPTURE(problem.k);
    const tested_cpu on(threads);
    operands_of<T> one(problem), two(problem), three(problem);
    execute(on, problem.args(one.p));
    prepare_and_run(on, problem.args(two.p));
    CHECK(bits_of(one.memory[2]) == bits_of(two.memory[2]));
    const rp::prepare_options constant_b{.constant = three.p[1], .constant_bytes = three.memory[1].size() * sizeof(T)};
    prepare_and_run(on, problem.args(three.p), constant_b);
    CHECK(bits_of(one.memory[2]) == bits_of(three.memory[2]));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("a prepared product has the bits of the plain one, with any algorithm", T, float, double,
                   rp::bfloat16) {
  const index_t lanes = rp::simd::lanes<T>;
  for (gemm_case shape : {gemm_case{.m = 1, .n = 1, .k = 1},
                          gemm_case{.m = 2, .n = 3, .k = 0},
                          gemm_case{.m = 0, .n = 3, .k = 2},
                          gemm_case{.m = 1, .n = 900, .k = 70},
                          gemm_case{.m = 70, .n = 1, .k = 70},
                          gemm_case{.m = 200, .n = 2, .k = 33},
                          gemm_case{.m = 9, .n = 300, .k = 3},
                          gemm_case{.m = 7, .n = 4, .k = 9},
                          gemm_case{.m = 13, .n = 2 * lanes, .k = 40},
                          gemm_case{.m = 64, .n = 64, .k = 64},
                          gemm_case{.m = 23, .n = 3 * lanes + 2, .k = 8},
                          gemm_case{.m = 1, .n = lanes + 1, .k = 30},
                          gemm_case{.m = 64, .n = 2, .k = 512},
                          gemm_case{.m = 256, .n = 1, .k = 128},
                          gemm_case{.m = 33, .n = 2 * lanes + 1, .k = 17},
                          gemm_case{.m = 130, .n = 3 * lanes - 1, .k = 90},
                          gemm_case{.m = 2 * lanes, .n = lanes / 2 + 1, .k = 33},
                          gemm_case{.m = 5 * lanes + 1, .n = lanes + 2, .k = 70},
                          gemm_case{.m = 5 * lanes + 1, .n = 3 * lanes + 2, .k = 90},
                          gemm_case{.m = 150, .n = 161, .k = 149}})
    for (const bool a : {false, true})
      for (const bool b : {false, true})
        for (const bool c : {false, true}) {
          shape.transposed_a = a, shape.transposed_b = b, shape.transposed_c = c;
          same_bits<T>(shape);
          gemm_case rich = shape;
          rich.alpha = 0.5, rich.beta = 2, rich.bias = true, rich.act = rp::activation::tanh, rich.gap = 1;
          same_bits<T>(rich);
          rich.spread_c = 2;
          same_bits<T>(rich);
        }
}

TEST_CASE_TEMPLATE("a small prepared product has the bits of the plain one on every tile, at any depth", T, float,
                   double) {
  const index_t lanes = rp::simd::lanes<T>;
  for (index_t m = 1; m <= 16; ++m)
    for (const index_t n : {index_t{1}, index_t{2}, index_t{5}, lanes - 1, lanes, lanes + 3, 2 * lanes, 3 * lanes - 1,
                            4 * lanes, 5 * lanes + 1})
      for (const index_t k : {1, 2, 3, 4, 7, 8, 9, 14, 23})
        for (const index_t gap : {0, 1})
          if (n > 0 && !kernels::is_tiny(kernels::native_unit, m, n,
                                         k))  // in the element loop the compiler chooses where to fuse
            same_bits<T>({.m = m, .n = n, .k = k, .gap = gap}, 1);
}

TEST_CASE("info reports the family, its memory, and every computing lane") {
  const tested_cpu on(1);
  float memory[4] = {1, 2, 3, 4};
  const auto info = [&](const rp::gemm_args<float>& g) { return prepare(on, g, {}).info; };
  const index_t lanes = rp::simd::lanes<float>, m = 300, k = 400;
  rp::gemm_args<float> one{.a = {memory, 1, 1}, .b = {memory, 1, 1}, .c = {memory, 1, 1}};
  CHECK(std::string_view(info(one).algorithm) == "small");
  CHECK(info(one).executed.matrix_flop == static_cast<std::uint64_t>(2 * lanes));
  one.options.bias = memory;
  CHECK(std::string_view(info(one).algorithm) == "element");
  CHECK(info(one).workspace_bytes == 0);
  CHECK(info(one).constant_bytes == 0);
  CHECK(info(one).executed == receipt(one));

  index_t n = 20 * lanes + 1;  // so wide that B exceeds L2
  while (
      kernels::plan_gemm<float>(kernels::native_unit, m, n, k, {k, 1}, {n, 1}, rp::detail::gemm_host_caches()).family !=
      kernels::gemm_family::packed)
    n += 20 * lanes;
  std::vector<float> large(static_cast<std::size_t>(k * n));
  const rp::gemm_args<float> product{.a = {large.data(), m, k}, .b = {large.data(), k, n}, .c = {large.data(), m, n}};
  const rp::preparation every = info(product);
  CHECK(std::string_view(every.algorithm) == "packed");
  CHECK(every.workspace_bytes > 0);
  CHECK(every.executed.matrix_flop == static_cast<std::uint64_t>(2 * m * k * rp::round_up(n, lanes)));
  CHECK(every.executed.bytes == receipt(product).bytes);
  const auto once = prepare(on, product, {.constant = large.data(), .constant_bytes = 4}).info;
  CHECK(std::string_view(once.algorithm) == "packed once");
  CHECK(once.constant_bytes >= large.size() * sizeof(float));
  CHECK(once.workspace_bytes < every.workspace_bytes);
  const rp::gemm_args<float> cube{
      .a = {large.data(), 13, 13}, .b = {large.data(), 13, 13}, .c = {large.data(), 13, 13}};
  CHECK(std::string_view(info(cube).algorithm) == "small");
  CHECK(info(cube).workspace_bytes == 0);
  CHECK(prepare(on, product, {.constant = memory, .constant_bytes = sizeof memory}).info.constant_bytes == 0);
}

TEST_CASE_TEMPLATE("info counts every lane of every FMA: of rows, columns, a narrow C and small panels", T, float,
                   double) {
  const index_t lanes = rp::simd::lanes<T>, quarter = lanes / 4;
  const std::vector<T> a(4096), b(4096);
  std::vector<T> c(4096);
  const auto executes = [&](const char* algorithm, index_t m, index_t n, index_t k, index_t fmas, index_t gap = 0) {
    CAPTURE(m);
    CAPTURE(n);
    CAPTURE(k);
    const rp::gemm_args<T> g{.a = {a.data(), m, k, k + gap}, .b = {b.data(), k, n}, .c = {c.data(), m, n}};
    const rp::preparation info = prepare(tested_cpu(1), g, {}).info;
    CHECK(std::string_view(info.algorithm) == algorithm);
    CHECK(info.executed.matrix_flop == static_cast<std::uint64_t>(2 * fmas * lanes));
    CHECK(info.executed.flop - info.executed.matrix_flop == receipt(g).flop - receipt(g).matrix_flop);
  };
  executes("vector", 1, 3 * lanes + 1, 5, 4 * 5);  // the last of four vectors overlaps
  executes("vector", 1, 17 * lanes, 5, 17 * 5);
  executes("small", 13, 2 * lanes + 1, 7, 13 * 3 * 7);
  if (lanes > 1) executes("small", 14, lanes, 9, 14 * 9);
  if (kernels::native_unit.width_bytes < 64) return;  // others do not fold
  executes("vector", 1, lanes - 1, 5, 5);
  executes("narrow", 3, 2 * quarter, 9, 3 * 5);
  executes("narrow", 3, quarter + 1, 9, 3 * 5);
  executes("narrow", 5, quarter, 30, 5 * 8);
  if (quarter > 2) executes("narrow", 5, quarter / 2, 30, 5 * 4);
  executes("dot", lanes + 1, 1, 1, 2);
  executes("dot", lanes + 1, 1, 1, 2 * 2, 1);  // two values in a line
  executes("dot", lanes + 1, 1, 2, 2 * 2);
  executes("dot", lanes + 1, 1, 3, 2 * 4);
  executes("dot", lanes + 1, 1, lanes / 2, lanes);
  executes("dot", lanes + 1, 1, lanes + 1, (lanes + 1) * 2);
  executes("dot", 2 * lanes, 1, 2 * lanes - 1, 2 * lanes * 2);

  const index_t share = 125'032;  // rows of each thread: seven blocks and a half more than whole ones in float
  const rp::gemm_args<T> shared{.a = {a.data(), 2 * share, 4}, .b = {b.data(), 4, 1}, .c = {c.data(), 2 * share, 1}};
  CHECK(prepare(tested_cpu(2), shared, {}).info.executed.matrix_flop ==
        static_cast<std::uint64_t>(2 * 2 * rp::round_up(share, lanes) * 4));
}

TEST_CASE_TEMPLATE("a prepared dense layer and its passes have the bits of the plain ones", T, float, double) {
  const index_t n = 70, in = 130, out = 97;
  const tested_cpu on(2);
  std::vector<T> x(static_cast<std::size_t>(n * in)), w(static_cast<std::size_t>(in * out)),
      dy(static_cast<std::size_t>(n * out)), bias(static_cast<std::size_t>(out));
  for (auto* v : {&x, &w, &dy, &bias})
    for (std::size_t i = 0; i < v->size(); ++i) (*v)[i] = static_cast<T>(i % 11) - T(5);
  const auto both = [&](index_t size, auto args_of) {
    std::vector<T> one(static_cast<std::size_t>(size), T(-1)), two = one;
    const auto plain = args_of(one.data()), prepared = args_of(two.data());
    execute(on, plain);
    const rp::preparation info = prepare_and_run(on, prepared);
    CHECK(one == two);
    CHECK(info.executed.matrix_flop >= receipt(plain).matrix_flop);
    CHECK(info.executed.flop - info.executed.matrix_flop == receipt(plain).flop - receipt(plain).matrix_flop);
  };
  both(n * out, [&](T* to) {
    return rp::dense_args<T>{.x = {x.data(), n, in},
                             .w = {w.data(), in, out},
                             .bias = bias.data(),
                             .y = {to, n, out},
                             .act = rp::activation::relu};
  });
  both(n * in, [&](T* to) {
    return rp::dense_backward_data_args<T>{.dy = {dy.data(), n, out}, .w = {w.data(), in, out}, .dx = {to, n, in}};
  });
  both((in + 1) * out, [&](T* to) {
    return rp::dense_backward_weights_args<T>{
        .x = {x.data(), n, in}, .dy = {dy.data(), n, out}, .dw = {to, in, out}, .db = to + in * out};
  });
}

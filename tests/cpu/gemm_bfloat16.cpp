// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/gemm_bfloat16.hpp>

#include <ridgepoint/cpu/dense.hpp>

#include <string_view>

#include "support/cpu_sizes.hpp"
#include "support/every_op.hpp"
#include "support/gemm_operands.hpp"
#include "support/run_prepared.hpp"

namespace rp = ridgepoint;
using namespace agreement;
using rp::bfloat16;
using rp::detail::bfloat16_way;
using rp::simd::bfloat16_speed;

static_assert(rp::prepares<rp::native_cpu, rp::gemm_args<bfloat16>>);
static_assert(rp::prepares<rp::native_cpu, rp::dense_args<bfloat16>>);
static_assert(std::is_trivially_copyable_v<rp::gemm_prepared<bfloat16>>);

namespace {

/// CPU backend with a given algorithm for its prepared products (support/run_prepared.hpp); B is constant on request.
struct on_way : rp::host_memory {
  rp::native_cpu on;
  bfloat16_way way;
  bool constant_b;
  on_way(int threads, bfloat16_way way_, bool constant) : on(threads), way(way_), constant_b(constant) {}
  [[nodiscard]] static std::string name() { return "one way"; }

  friend void execute(const on_way& where, const rp::gemm_args<bfloat16>& g) {
    const rp::prepare_options options{.constant = where.constant_b ? g.b.data : nullptr, .constant_bytes = 1};
    const rp::gemm_prepared<bfloat16> made = rp::detail::prepare_on(where.on, g, options, where.way);
    run_prepared(where.on, made, g);
  }
};

bool has_pairs() {
  return rp::simd::native::width_bytes == 64 && rp::simd::cpu_speed_of_bfloat16() != bfloat16_speed::none;
}
bool has_tiles() { return has_pairs() && rp::simd::cpu_speed_of_bfloat16() == bfloat16_speed::tiles; }
/// Calls run(factory of a backend from a thread count) for every algorithm of this CPU.
template <class Run>
void for_ways(const Run& run) {
  const auto backend = [](bfloat16_way way, bool constant) {
    return [=](int threads) { return on_way(threads, way, constant); };
  };
  run(backend(bfloat16_way::in_floats, false));
  if (!has_pairs()) return;
  run(backend(bfloat16_way::in_pairs, false));
  run(backend(bfloat16_way::in_pairs, true));
  if (!has_tiles()) return;
  run(backend(bfloat16_way::in_tiles, false));
  run(backend(bfloat16_way::in_tiles, true));
}
template <class On>
void agree_on_case(const On& on, const gemm_case& problem) {
  CAPTURE(problem.m);
  CAPTURE(problem.n);
  CAPTURE(problem.k);
  CAPTURE(problem.transposed_a);
  CAPTURE(problem.transposed_b);
  CAPTURE(problem.transposed_c);
  agree<bfloat16>(on, problem.operands<bfloat16>(), [&](const auto& where, const auto& p, rp::step_state*) {
    rp::run(where, problem.args<element_t<decltype(p)>>(p));
  });
}
void agree_on_case(const gemm_case& problem) {
  for_ways([&](const auto& on) { agree_on_case(on, problem); });
}

}  // namespace

TEST_CASE("products in bfloat16 agree with their definition around tiles, registers and empty extents") {
  for (const product_extents& e : {product_extents{1, 1, 1},
                                   {3, 5, 7},
                                   {16, 33, 10},
                                   {5, 17, 31},
                                   {1, 40, 66},
                                   {33, 1, 17},
                                   {0, 4, 3},
                                   {4, 0, 3},
                                   {4, 3, 0}})
    agree_on_products<rp::bfloat16>(on_cpu, e);
}

TEST_CASE("products in bfloat16 agree with their definition around the edges of blocks") {
  using block = rp::detail::stored_block;
  for (const product_extents& e : {product_extents{block::rows + 1, 9, block::cols + 1},
                                   {3, block::depth + 1, 5},
                                   {block::rows, 2 * block::depth, 2},
                                   {2, block::depth - 1, block::cols}})
    agree_on_products<rp::bfloat16>(on_cpu, e);
}

TEST_CASE("a product in bfloat16 preserves NaN, and with beta 0 does not read c") {
  const product_extents e{3, 300, 5};
  const auto multiply = [&](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    rp::run(on, rp::gemm_args<S>{.a = {p[0], e.m, e.k}, .b = {p[1], e.k, e.n}, .c = {p[2], e.m, e.n}});
  };
  operand a = random_values<rp::bfloat16>(e.m * e.k, 1);
  a.values[299] = std::numeric_limits<double>::quiet_NaN();
  agree<rp::bfloat16>(on_cpu, {a, random_values<rp::bfloat16>(e.k * e.n, 2), output(e.m * e.n)}, multiply);
}

TEST_CASE("a long product in bfloat16 accumulates in float throughout") {
  const index_t k = 3000;  // several parts of the depth
  std::vector<rp::bfloat16> x(k, rp::bfloat16(0x1p-9)), ones(k, rp::bfloat16(1));
  x[0] = rp::bfloat16(256);
  rp::bfloat16 y;
  rp::gemm(on_cpu(1), {x.data(), 1, k}, {ones.data(), k, 1}, rp::matrix_view<rp::bfloat16>(&y, 1, 1));
  CHECK(static_cast<float>(y) == 262.0F);  // 256 + 2999/512 = 261.86; it would be 256 if a part were stored
}

TEST_CASE("alpha multiplies the sum of a deep product in bfloat16, not each partial sum") {
  const index_t m = 3, n = 40, k = 3000;
  const std::vector<bfloat16> ones(m * k, bfloat16(1));
  std::vector<bfloat16> b(k * n, bfloat16(2)), c(m * n);
  std::fill(b.begin() + k * n / 2, b.end(), bfloat16(-1));
  const float infinity = std::numeric_limits<float>::infinity();
  for_ways([&](const auto& on) {
    execute(
        on(2),
        rp::gemm_args<bfloat16>{
            .a = {ones.data(), m, k}, .b = {b.data(), k, n}, .c = {c.data(), m, n}, .options = {.alpha = infinity}});
    for (const bfloat16 got : c) CHECK(static_cast<float>(got) == infinity);
  });
}

TEST_CASE("every algorithm agrees around every tile extent, with B by rows and by columns") {
  for (const index_t m : {1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 15, 31})
    for (const index_t n : {1, 15, 16, 17, 31, 32, 33, 65})
      for (const index_t k : {1, 2, 3, 6, 7, 8, 9, 35})
        agree_on_case({.m = m, .n = n, .k = k, .transposed_b = (m + n + k) % 2 == 0, .gap = 1});
}

TEST_CASE("tiles agree around every tile extent, and along the depth") {
  if (!has_tiles()) {
    MESSAGE("this CPU has no tiles: test skipped");
    return;
  }
  const auto agree_in_tiles = [](const gemm_case& problem, bool constant) {
    agree_on_case([=](int threads) { return on_way(threads, bfloat16_way::in_tiles, constant); }, problem);
  };
  for (const index_t m : {1, 15, 16, 17, 31, 32, 33, 49})
    for (const index_t n : {1, 16, 17, 32, 33, 97})
      for (const index_t k : {1, 31, 32, 33, 63, 64, 65}) {
        const bool odd = (m + n + k) % 2 != 0;
        agree_in_tiles({.m = m, .n = n, .k = k, .transposed_a = m % 2 == 0, .transposed_b = odd, .gap = 1}, !odd);
        agree_in_tiles({.m = m, .n = n, .k = k}, odd);
      }
}

TEST_CASE("groups of columns and blocks of rows of a product in pairs do not change its bits") {
  if (!has_pairs()) {
    MESSAGE("this CPU has no bfloat16 products: test skipped");
    return;
  }
  const index_t m = 70, n = 130, k = 2100;
  const auto values = [](index_t size, std::uint64_t seed) {
    rp::random_stream random(seed);
    std::vector<bfloat16> made(static_cast<std::size_t>(size));
    for (bfloat16& x : made) x = bfloat16(random.uniform(-2, 2));
    return made;
  };
  const std::vector<bfloat16> a = values(m * k, 1), b = values(k * n, 2);
  for (const rp::kernels::pair_unit unit : {rp::kernels::pair_unit::registers, rp::kernels::pair_unit::tiles}) {
    if (unit == rp::kernels::pair_unit::tiles && !has_tiles()) continue;
    const auto run_scheduled = [&](const rp::kernels::pair_schedule& s, std::vector<bfloat16>& c) {
      const rp::host_buffer workspace(s.workspace_bytes());
      rp::detail::run_in_pairs(
          rp::native_cpu(2), s,
          rp::gemm_args<bfloat16>{.a = {a.data(), m, k}, .b = {b.data(), k, n}, .c = {c.data(), m, n}},
          static_cast<std::byte*>(workspace.data()));
    };
    std::vector<bfloat16> whole(m * n), grouped(m * n);
    const rp::gemm_args<bfloat16> g{.a = {a.data(), m, k}, .b = {b.data(), k, n}, .c = {whole.data(), m, n}};
    rp::kernels::pair_schedule s = rp::detail::schedule_in_pairs(2, unit, g);
    CHECK(s.shared_b_bytes == 0);  // one block of rows
    const rp::gemm_args<bfloat16> no_depth{
        .a = {a.data(), 1 << 20, 0}, .b = {b.data(), 0, 1}, .c = {whole.data(), 1 << 20, 1}};
    CHECK(rp::detail::schedule_in_pairs(2, unit, no_depth).group == 32);
    run_scheduled(s, whole);
    s.height = rows_of(unit), s.width = 32, s.group = 64;
    s.shared_b_bytes = static_cast<std::size_t>(2 * rp::kernels::packed_pairs(unit, k, 32)) * sizeof(bfloat16);
    run_scheduled(s, grouped);
    CHECK(grouped == whole);
  }
}

TEST_CASE("every algorithm agrees for every storage order and every option") {
  using rp::activation;
  for (const index_t m : {1, 5, 14, 30})
    for (const bool a : {false, true})
      for (const bool b : {false, true})
        for (const bool c : {false, true})
          for (const bool bias : {false, true})
            for (const activation f :
                 {activation::none, activation::relu, activation::relu6, activation::sigmoid, activation::tanh}) {
              gemm_case g{.m = m, .n = 37, .k = 41, .transposed_a = a, .transposed_b = b, .transposed_c = c};
              g.alpha = 0.75, g.bias = bias, g.act = f, g.gap = bias ? 3 : 0;
              agree_on_case(g);
              g.beta = -0.5, g.spread_c = bias ? 2 : 1;
              agree_on_case(g);
            }
}

TEST_CASE("every algorithm agrees if depth and rows are split, and if threads share a product") {
  for (const index_t k : {2047, 2048, 2049, 4097}) {
    agree_on_case({.m = 3, .n = 5, .k = k, .beta = 0.5});
    agree_on_case({.m = 17, .n = 35, .k = k, .transposed_a = true, .bias = true});
  }
  agree_on_case({.m = 30, .n = 33, .k = 2048, .beta = 1});  // rows of A in one set of L1
  agree_on_case({.m = 30, .n = 70, .k = 2048});
  agree_on_case({.m = 270, .n = 36, .k = 2049});
  agree_on_case({.m = 16, .n = 550, .k = 2051});
  agree_on_case({.m = 300, .n = 130, .k = 140});
  agree_on_case({.m = 4, .n = 3, .k = 0, .beta = 2, .bias = true});
  agree_on_case({.m = 40, .n = 33, .k = 0});
}

TEST_CASE("every algorithm propagates NaN correctly and reads none outside its operands") {
  for (const index_t m : {2, 20}) {
    gemm_case g{.m = m, .n = 19, .k = 33};
    g.nan_in_a = m * g.k - 1;
    agree_on_case(g);
    g.nan_in_b = g.k * g.n - 1;
    agree_on_case(g);
    g.gap = 1, g.nan_in_a = g.k, g.nan_in_b = g.n;  // after the first row of A and of B
    agree_on_case(g);
    g.transposed_a = g.transposed_b = true, g.nan_in_a = m, g.nan_in_b = g.k;
    agree_on_case(g);
  }
}

TEST_CASE("denormals are kept by in_floats and flushed to 0 by in_pairs") {
  const bfloat16 a[] = {bfloat16(0x1p-130F), bfloat16(0)}, b[] = {bfloat16(0x1p20F), bfloat16(1)};
  const auto product = [&](bfloat16_way way) {
    bfloat16 c(7.0F);
    execute(on_way(1, way, false), {.a = {a, 1, 2}, .b = {b, 2, 1}, .c = {&c, 1, 1}});
    return static_cast<float>(c);
  };
  CHECK(product(bfloat16_way::in_floats) == 0x1p-110F);
  if (has_pairs()) CHECK(product(bfloat16_way::in_pairs) == 0);
  if (has_tiles()) CHECK(product(bfloat16_way::in_tiles) == 0);
}

TEST_CASE(
    "the algorithm depends on extents, strides and CPU; info reports it with its memory and every computing lane") {
  using rp::detail::b_form;
  using rp::detail::way_of;
  std::vector<bfloat16> memory(300 * 300);
  const auto args = [&](index_t m, index_t n, index_t k) {
    return rp::gemm_args<bfloat16>{.a = {memory.data(), m, k}, .b = {memory.data(), k, n}, .c = {memory.data(), m, n}};
  };
  const rp::kernels::vector_unit avx2{32, 16, true}, avx512{64, 32, true};
  for (const auto& g : {args(1, 300, 300), args(8, 300, 300), args(300, 300, 300), args(300, 1, 300), args(9, 9, 9)})
    for (const b_form form : {b_form::as_it_is, b_form::packed}) {
      CHECK(way_of(avx512, g, bfloat16_speed::none, form) == bfloat16_way::in_floats);
      CHECK(way_of(avx2, g, bfloat16_speed::twice, form) == bfloat16_way::in_floats);
    }
  CHECK(way_of(avx512, args(1, 300, 300), bfloat16_speed::half, b_form::as_it_is) == bfloat16_way::in_pairs);
  CHECK(way_of(avx512, args(14, 300, 300), bfloat16_speed::half, b_form::as_it_is) == bfloat16_way::in_floats);
  CHECK(way_of(avx512, args(14, 300, 300), bfloat16_speed::half, b_form::packed) == bfloat16_way::in_pairs);
  CHECK(way_of(avx512, args(300, 300, 300), bfloat16_speed::half, b_form::packed) == bfloat16_way::in_floats);
  CHECK(way_of(avx512, args(300, 300, 300), bfloat16_speed::twice, b_form::as_it_is) == bfloat16_way::in_pairs);
  CHECK(way_of(avx512, args(300, 1, 300), bfloat16_speed::twice, b_form::as_it_is) == bfloat16_way::in_floats);
  CHECK(way_of(avx512, args(9, 9, 9), bfloat16_speed::half, b_form::as_it_is) == bfloat16_way::in_pairs);
  CHECK(way_of(avx512, args(4, 300, 300), bfloat16_speed::tiles, b_form::as_it_is) == bfloat16_way::in_pairs);
  CHECK(way_of(avx512, args(5, 300, 300), bfloat16_speed::tiles, b_form::as_it_is) == bfloat16_way::in_tiles);
  CHECK(way_of(avx512, args(1, 300, 300), bfloat16_speed::tiles, b_form::packed) == bfloat16_way::in_pairs);
  CHECK(way_of(avx512, args(2, 300, 300), bfloat16_speed::tiles, b_form::packed) == bfloat16_way::in_tiles);
  CHECK(way_of(avx512, args(8, 8, 31), bfloat16_speed::tiles, b_form::as_it_is) == bfloat16_way::in_pairs);
  const rp::native_cpu on(1);
  const auto g = args(3, 33, 301);
  const rp::prepare_options constant_b{.constant = memory.data(), .constant_bytes = 2};
  const rp::preparation floats = rp::detail::prepare_on(on, g, constant_b, bfloat16_way::in_floats).info,
                        pairs = rp::detail::prepare_on(on, g, {}, bfloat16_way::in_pairs).info,
                        once = rp::detail::prepare_on(on, g, constant_b, bfloat16_way::in_pairs).info;
  CHECK(std::string_view(floats.algorithm) == "in floats");
  CHECK(std::string_view(pairs.algorithm) == "vdpbf16ps");
  CHECK(std::string_view(once.algorithm) == "vdpbf16ps, packed once");
  CHECK(floats.constant_bytes == 0);
  CHECK(once.constant_bytes == 302U * 64 * 2);
  CHECK(floats.executed.matrix_flop >= receipt(g).matrix_flop);
  CHECK(pairs.executed.matrix_flop == 2U * 3 * 64 * 302);  // rows of B in two registers at a time
  CHECK(once.executed.matrix_flop == 2U * 3 * 48 * 302);
  for (const rp::preparation& info : {floats, pairs, once}) {
    CHECK(info.executed.bytes == receipt(g).bytes);
    CHECK(info.executed.flop - info.executed.matrix_flop == receipt(g).flop - receipt(g).matrix_flop);
  }
  const rp::preparation tiles = rp::detail::prepare_on(on, g, {}, bfloat16_way::in_tiles).info,
                        tiles_once = rp::detail::prepare_on(on, g, constant_b, bfloat16_way::in_tiles).info;
  CHECK(std::string_view(tiles.algorithm) == "tdpbf16ps");
  CHECK(std::string_view(tiles_once.algorithm) == "tdpbf16ps, packed once");
  CHECK(tiles_once.constant_bytes == 320U * 64 * 2);
  CHECK(tiles.executed.matrix_flop == 2U * 3 * 48 * 320);  // 16 columns and 32 steps of the depth at a time
  const bfloat16_way way = way_of(on.vectors(), g, rp::simd::cpu_speed_of_bfloat16(), b_form::packed);
  const rp::preparation& chosen = way == bfloat16_way::in_tiles   ? tiles_once
                                  : way == bfloat16_way::in_pairs ? once
                                                                  : floats;
  CHECK(std::string_view(prepare(on, g, constant_b).info.algorithm) == chosen.algorithm);
}

// SPDX-License-Identifier: MIT
// bench_small: products of up to 64 a side, for this machine's instruction set. Names: small/fixed/8x8x8 (extents
// known at compile time), small/prepared/…, small/plain/…, and small/libxsmm/… (a kernel generated before timing).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include <ridgepoint/cpu/gemm_fixed.hpp>
#include <ridgepoint/cpu/gemm_prepare.hpp>
#include <ridgepoint/ops/prepare.hpp>
#if defined(RIDGEPOINT_LIBXSMM)
#include <libxsmm.h>
#endif

namespace rp = ridgepoint;
using rp::index_t;

namespace {

struct operands {
  index_t m, n, k;
  std::vector<float> a = std::vector<float>(64 * 64, 0.5F), b = a, c = a;

  [[nodiscard]] rp::gemm_args<float> args() {
    return {.a = {a.data(), m, k}, .b = {b.data(), k, n}, .c = {c.data(), m, n}};
  }
};

/// Times the callable that run(operands) returns.
template <class Run>
void time(const char* how, index_t m, index_t n, index_t k, Run run) {
  benchmark::RegisterBenchmark(rp::concat("small/", how, '/', m, 'x', n, 'x', k).c_str(), [=](benchmark::State& state) {
    operands o{m, n, k};
    const auto call = run(o);
    call();
    const auto wrong = [&](float x) { return x != 0.25F * static_cast<float>(k); };
    if (std::any_of(o.c.begin(), o.c.begin() + m * n, wrong)) return state.SkipWithError("wrong result");
    for ([[maybe_unused]] auto _ : state) {
      call();
      benchmark::ClobberMemory();
    }
    state.counters["flop_per_s"] =
        benchmark::Counter(static_cast<double>(receipt(o.args()).flop), benchmark::Counter::kIsIterationInvariantRate);
  });
}

template <index_t M, index_t N, index_t K>
void product() {
  time("fixed", M, N, K, [](operands& o) { return [&o] { rp::gemm<M, N, K>(o.a.data(), o.b.data(), o.c.data()); }; });
  time("prepared", M, N, K, [](operands& o) { return [p = rp::prepared(rp::native_cpu(1), o.args())] { p.run(); }; });
  time("plain", M, N, K, [](operands& o) { return [g = o.args()] { execute(rp::native_cpu(1), g); }; });
#if defined(RIDGEPOINT_LIBXSMM)
  time("libxsmm", M, N, K, [](operands& o) {  // column-major: Cᵀ = Bᵀ·Aᵀ
    const float one = 1, zero = 0;
    const auto kernel = libxsmm_smmdispatch(N, M, K, nullptr, nullptr, nullptr, &one, &zero, nullptr, nullptr);
    return [&o, kernel] { kernel(o.b.data(), o.a.data(), o.c.data()); };
  });
#endif
}

template <index_t... Edge>
void cubes() {
  (product<Edge, Edge, Edge>(), ...);
}

}  // namespace

void register_benchmarks();
void register_benchmarks() {
  cubes<4, 5, 7, 8, 12, 13, 16, 23, 24, 32, 48, 64>();
  product<4, 64, 13>(), product<64, 4, 8>(), product<5, 48, 23>(), product<13, 24, 64>(), product<23, 7, 12>();
  product<48, 5, 32>(), product<8, 23, 4>(), product<32, 12, 5>(), product<12, 32, 7>(), product<24, 13, 48>();
  product<16, 8, 64>(), product<7, 16, 24>(), product<64, 23, 16>(), product<4, 13, 5>(), product<48, 64, 4>();
  product<5, 7, 64>(), product<23, 48, 8>(), product<12, 5, 23>(), product<32, 64, 13>(), product<13, 4, 12>();
}

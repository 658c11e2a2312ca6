// SPDX-License-Identifier: MIT
// bench_ceilings: the kernels with which probe() measures ceilings, one benchmark each, for every supported
// instruction set; roof_percent is the share of the roof that probe() found.
// Names: fma_f32/ridgepoint.avx2/1thread, load/ridgepoint.avx2/16KiB_1thread.
#include <memory>

#include "support/host.hpp"

namespace rp = ridgepoint;

namespace {

/// Sets the counters of `iterations` executions, each with this receipt.
void place(benchmark::State& state, const rp::cpu& on, const rp::work& receipt, double elapsed_s,
           const std::string& dtype, int threads, std::uint64_t footprint_bytes = 0) {
  const rp::cpu team(threads, on.isa());
  rp::roofline_counters(state, bench::ceilings_of(team), receipt, elapsed_s / static_cast<double>(state.iterations()),
                        footprint_bytes, {.dtype = dtype, .isa = std::string(on.isa()), .threads = threads});
}

template <class T>
void peak(benchmark::State& state, const rp::cpu& on, rp::peak_kind kind, int threads) {
  double elapsed_s = 0;
  rp::work receipt;
  for ([[maybe_unused]] auto _ : state) {
    rp::probe_result r;
    execute(on, rp::peak_args<T>{.kind = kind, .chains = 12, .threads = threads, .iterations = 20'000, .result = &r});
    state.SetIterationTime(r.elapsed_s);
    elapsed_s += r.elapsed_s;
    receipt.flop = r.count;
  }
  place(state, on, receipt, elapsed_s, sizeof(T) == 4 ? "f32" : "f64", threads);
}

void stream(benchmark::State& state, const rp::cpu& on, rp::stream_kind kind, int threads, std::size_t bytes) {
  const rp::index_t arrays = rp::stream_arrays(kind), grain = 64 * threads;
  const rp::index_t size = std::max<rp::index_t>(static_cast<rp::index_t>(bytes / 4) / arrays / grain, 1) * grain;
  const rp::index_t stride = size + 272;  // as probe(): 1088 extra bytes avoid equal page offsets
  const rp::host_buffer memory = on.allocate(static_cast<std::size_t>(arrays * stride) * sizeof(float));
  auto* const a = static_cast<float*>(memory.data());
  rp::probe_result r;
  const auto run = [&](rp::stream_kind what, rp::index_t elements, std::int64_t passes) {
    execute(on, rp::stream_args{.kind = what,
                                .threads = threads,
                                .a = a,
                                .b = arrays > 1 ? a + stride : nullptr,
                                .c = arrays > 2 ? a + 2 * stride : nullptr,
                                .size = elements,
                                .passes = passes,
                                .result = &r});
  };
  run(rp::stream_kind::store, arrays * stride / grain * grain, 1);  // touches every page
  double elapsed_s = 0;
  rp::work receipt;
  for ([[maybe_unused]] auto _ : state) {
    run(kind, size, static_cast<std::int64_t>(std::max<std::size_t>(1, (std::size_t{8} << 20) / bytes)));
    state.SetIterationTime(r.elapsed_s);
    elapsed_s += r.elapsed_s;
    const auto elements = r.count / (static_cast<std::uint64_t>(arrays) * sizeof(float));
    receipt = {.flop = kind == rp::stream_kind::triad ? 2 * elements : 0, .bytes = {.inputs = r.count}};
  }
  place(state, on, receipt, elapsed_s, "f32", threads, static_cast<std::uint64_t>(arrays * size) * sizeof(float));
}

template <class Run>
void add(const std::string& name, Run run) {
  benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Unit(benchmark::kMicrosecond);
}

}  // namespace

void register_benchmarks() {
  for (const auto* v = ridgepoint_dispatch_variants; v->isa != nullptr; ++v) {
    if (!rp::simd::cpu_runs(v->isa)) continue;
    const rp::cpu on(0, v->isa);
    for (const int threads : {1, on.thread_count()}) {
      const std::string who = '/' + on.name() + '/', with = rp::concat(threads, threads == 1 ? "thread" : "threads");
      for (const rp::peak_kind kind : {rp::peak_kind::fma, rp::peak_kind::mul_add}) {
        const std::string name(to_string(kind));
        add(name + "_f32" + who + with, [=](benchmark::State& state) { peak<float>(state, on, kind, threads); });
        add(name + "_f64" + who + with, [=](benchmark::State& state) { peak<double>(state, on, kind, threads); });
      }
      const rp::cache_sizes& caches = rp::host_caches();
      const auto n = static_cast<std::size_t>(threads);
      for (const std::size_t bytes : {n * caches.l1_bytes / 2, n * caches.l2_bytes / 2, caches.l3_bytes / 2,
                                      std::min(4 * caches.l3_bytes, std::size_t{160} << 20)})
        for (const rp::stream_kind kind : {rp::stream_kind::load, rp::stream_kind::copy, rp::stream_kind::triad})
          if (bytes != 0)
            add(rp::concat(to_string(kind), who, bytes >> 10, "KiB_", with),
                [=](benchmark::State& state) { stream(state, on, kind, threads, bytes); });
      if (on.thread_count() == 1) break;
    }
  }
}

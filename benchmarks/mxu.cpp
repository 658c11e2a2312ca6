// SPDX-License-Identifier: MIT
// bench_mxu: the systolic array. Names: closed_form/chunked_fifo, cycle_simulator/ws_bf16/32x32 (PE_steps_per_s),
// layer/alexnet_conv2/os/32x32 (time of the cycle simulator, bf16; cycles of the array).
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include <ridgepoint/mxu/scalesim.hpp>
#include <ridgepoint/mxu/systolic_array.hpp>

namespace rp = ridgepoint;
namespace sys = rp::systolic;

namespace {

constexpr std::pair<const char*, sys::dataflow> dataflows[] = {{"ws", sys::dataflow::weight_stationary},
                                                               {"os", sys::dataflow::output_stationary},
                                                               {"is", sys::dataflow::input_stationary}};

void closed_form(const char* name, const sys::array_shape& array, const sys::gemm_extent& extent,
                 const sys::array_options& options) {
  benchmark::RegisterBenchmark(rp::concat("closed_form/", name).c_str(), [=](benchmark::State& state) {
    sys::array_shape a = array;
    sys::gemm_extent e = extent;
    sys::array_options o = options;
    for ([[maybe_unused]] auto _ : state) {
      benchmark::DoNotOptimize(a);
      benchmark::DoNotOptimize(e);
      benchmark::DoNotOptimize(o);
      benchmark::DoNotOptimize(sys::count_cycles(a, e, o));
    }
    state.counters["cycles"] = static_cast<double>(sys::count_cycles(array, extent, options).cycles);
  });
}

/// Times one product on the cycle simulator; its counters must equal the closed form's.
template <class Format, int R, int C>
void simulate(benchmark::State& state, const sys::gemm_extent& e, sys::dataflow flow) {
  using T = rp::array_operand_t<Format>;
  std::vector<T> a(static_cast<std::size_t>(e.m * e.k)), b(static_cast<std::size_t>(e.k * e.n));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(static_cast<int>(i % 17) - 8);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(static_cast<int>(i % 13) - 6);
  std::vector<rp::array_sum_t<Format>> c(static_cast<std::size_t>(e.m * e.n));
  const sys::systolic_array<Format, R, C> array({.flow = flow});
  sys::array_counters counted;
  for ([[maybe_unused]] auto _ : state) {
    counted = array.multiply({a.data(), e.m, e.k}, {b.data(), e.k, e.n}, {c.data(), e.m, e.n});
    benchmark::ClobberMemory();
  }
  if (counted != sys::count_cycles({R, C}, e, {.flow = flow}))
    state.SkipWithError("cycles differ from the closed form");
  state.counters["cycles"] = static_cast<double>(counted.cycles);
  state.counters["PE_steps_per_s"] =
      benchmark::Counter(static_cast<double>(counted.cycles) * R * C, benchmark::Counter::kIsIterationInvariantRate);
}

template <class Format, int R, int C>
void simulator(const std::string& what, const sys::gemm_extent& e, sys::dataflow flow) {
  benchmark::RegisterBenchmark(rp::concat(what, '/', R, 'x', C).c_str(), [=](benchmark::State& state) {
    simulate<Format, R, C>(state, e, flow);
  })->Unit(benchmark::kMillisecond);
}

struct named_layer {
  const char* name;
  sys::scalesim_layer layer;
};
/// AlexNet and ResNet-50 layers as in the topology files of SCALE-Sim, and a plain product.
constexpr named_layer layers[] = {{"alexnet_conv1", {227, 227, 11, 11, 3, 96, 4}},
                                  {"alexnet_conv2", {31, 31, 5, 5, 96, 256, 1}},
                                  {"alexnet_conv3", {15, 15, 3, 3, 256, 384, 1}},
                                  {"resnet50_conv1", {224, 224, 7, 7, 3, 64, 2}},
                                  {"resnet50_conv2_3x3", {56, 56, 3, 3, 64, 64, 1}},
                                  {"resnet50_fc", sys::scalesim_layer::gemm({.m = 1, .k = 2048, .n = 1000})},
                                  {"gemm_512", sys::scalesim_layer::gemm({.m = 512, .k = 512, .n = 512})}};

}  // namespace

void register_benchmarks();
void register_benchmarks() {
  closed_form("resident", {128, 128}, {.m = 8192, .k = 8192, .n = 16384}, {});
  closed_form("fifo", {256, 256}, {.m = 200, .k = 2000, .n = 2000}, {.fetch_cycles = 1349});
  closed_form("chunked_fifo", {256, 256}, {.m = 5000, .k = 2000, .n = 2000},
              {.fetch_cycles = 1349, .accumulator_rows = 2048});
  closed_form("two_mxus", {128, 128}, {.m = 8192, .k = 8192, .n = 16384}, {.accumulator_rows = 1024, .mxus = 2});
  closed_form("output_stationary", {128, 128}, {.m = 8192, .k = 8192, .n = 16384},
              {.flow = sys::dataflow::output_stationary});
  for (const auto& [name, flow] : dataflows) {
    const std::string what = rp::concat("cycle_simulator/", name);
    simulator<rp::bfloat16, 32, 32>(what + "_bf16", {.m = 512, .k = 128, .n = 128}, flow);
    simulator<std::int8_t, 32, 32>(what + "_int8", {.m = 512, .k = 128, .n = 128}, flow);
    simulator<rp::bfloat16, 128, 128>(what + "_bf16", {.m = 512, .k = 256, .n = 256}, flow);
  }
  for (const named_layer& one : layers)
    for (const auto& [name, flow] : dataflows) {
      const std::string what = rp::concat("layer/", one.name, '/', name);
      simulator<rp::bfloat16, 32, 32>(what, one.layer.extent(), flow);
      simulator<rp::bfloat16, 128, 128>(what, one.layer.extent(), flow);
    }
}

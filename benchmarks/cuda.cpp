// SPDX-License-Identifier: MIT
// bench_cuda: ops on a GPU, timed by its own events over a batch of calls that follow one another, with warm caches,
// and their place on its measured roofline. Where there is no GPU every row says so.
#include <benchmark/benchmark.h>

#include <algorithm>

#include <ridgepoint/benchmark/on_roofline.hpp>
#include <ridgepoint/cuda/probe.hpp>

#include "measurement/peers/device_task.hpp"

namespace rp = ridgepoint;

namespace {

/// The GPU, with products of exact f32 or of TF32.
const rp::cuda& gpu(rp::gpu_products products) {
  static const rp::cuda exact, fast({.products = rp::gpu_products::tensor_floats});
  return products == rp::gpu_products::exact ? exact : fast;
}
/// Its ceilings, measured once.
const rp::machine& ceilings() {
  static const rp::machine measured = rp::probe(gpu(rp::gpu_products::exact), {.rounds = 5}).machine;
  return measured;
}

/// Calls that together take about a millisecond, as the rate of iterations is the host's to keep up with.
int calls_of(const rp::cuda& on, const peer::task& task) {
  const double once_s = on.elapsed_s([&] { task.run(); });
  return static_cast<int>(std::clamp(1e-3 / std::max(once_s, 1e-9), 1.0, 1000.0));
}

void time(benchmark::State& state, const peer::words& problem, rp::gpu_products products) {
  const rp::cuda& on = gpu(products);
  const auto [task, receipt] = peer::on_device(on, problem);
  task.run();
  task.verify();
  const int calls = calls_of(on, task);
  double elapsed_s = 0;
  for ([[maybe_unused]] auto _ : state) {
    const double s = on.elapsed_s([&] {
      for (int call = 0; call < calls; ++call) task.run();
    });
    state.SetIterationTime(s);
    elapsed_s += s;
  }
  const double each_s = elapsed_s / static_cast<double>(state.iterations()) / calls;
  state.counters["calls"] = calls;
  state.counters["call_s"] = each_s;
  state.counters["flop"] = static_cast<double>(receipt.flop);
  state.counters["bytes"] = static_cast<double>(receipt.bytes.total());
  const char* const dtype = products == rp::gpu_products::exact ? problem[1].c_str() : "tf32";
  rp::roofline_counters(state, ceilings(), receipt, each_s, 0, {.dtype = dtype});
}

/// "gemm f32 nn 512 512 512" as gemm/cuda/nn/512x512x512, or gemm/cuda.tf32/…
void add(const peer::words& problem, rp::gpu_products products = rp::gpu_products::exact) {
  std::string name = problem[0] + (products == rp::gpu_products::tensor_floats ? "/cuda.tf32/"
                                   : problem[1] == "f64"                       ? "/cuda.f64/"
                                                                               : "/cuda/");
  for (std::size_t i = 2; i < problem.size(); ++i) name += (i == 2 ? "" : i == 3 ? "/" : "x") + problem[i];
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        if (rp::gpu_count() == 0)
          return state.SkipWithError(rp::concat("no GPU: ", ridgepoint_cuda()->why_none()).c_str());
        try {
          time(state, problem, products);
        } catch (const std::exception& e) {
          state.SkipWithError(e.what());
        }
      })
      ->UseManualTime()
      ->MinWarmUpTime(0.05);
}
void add(const std::string& problem, rp::gpu_products products = rp::gpu_products::exact) {
  add(peer::split(problem), products);
}

}  // namespace

void register_benchmarks();
void register_benchmarks() {
  for (const char* extents : {"512 512 512", "2048 2048 2048", "4096 4096 4096", "8192 8192 8192", "128 512 784"}) {
    add(std::string("gemm f32 nn ") + extents);
    add(std::string("gemm f32 nn ") + extents, rp::gpu_products::tensor_floats);
  }
  add("gemm f64 nn 4096 4096 4096");
  for (const char* pass : {"forward", "backward-data", "backward-weights"}) {
    add(std::string("dense f32 ") + pass + " 128 784 512");
    add(std::string("dense f32 ") + pass + " 1024 1024 1024");
    for (const char* extents : {"64 56 64 64 3 1", "64 28 128 128 3 1", "64 14 256 256 3 1", "64 56 256 64 1 1"})
      for (const rp::gpu_products products : {rp::gpu_products::exact, rp::gpu_products::tensor_floats})
        add(std::string("conv2d f32 ") + pass + ' ' + extents, products);
  }
  for (const char* cell : {"lstm", "gru_reset_after"})
    for (const char* pass : {"forward", "backward"})
      for (const char* extents : {" 128 64 256 256", " 128 64 1024 1024"})
        add(std::string(cell) + " f32 " + pass + extents);
  for (const char* op : {"relu", "tanh", "softmax"}) add(std::string("map f32 ") + op + " 16384 1024");
  for (const char* op : {"sgd", "momentum", "rmsprop_keras", "adam", "adadelta"})
    add(std::string("map f32 ") + op + " 1 100000000");
  for (const char* pass : {"forward", "backward"}) {
    add(std::string("layer_norm f32 ") + pass + " 16384 1024");
    add(std::string("batch_norm f32 ") + pass + " 200704 64");
    add(std::string("max_pool2d f32 ") + pass + " 64 112 64 2 2");
  }
}

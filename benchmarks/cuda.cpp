// SPDX-License-Identifier: MIT
// bench_cuda: ops on a GPU, timed by device events over a batch of consecutive calls, with warm caches; memory-bound
// ops also with cold caches, each call after overwriting the L2 cache. Also reports the position on the measured
// roofline, and clocks and power if the driver provides them. Without a GPU each row reports that.
#include <benchmark/benchmark.h>

#include <ridgepoint/cuda/probe.hpp>

#include "support/device_row.hpp"

namespace rp = ridgepoint;

namespace {

using bench::caches;

/// The GPU, with exact f32 or TF32 products; its ceilings are measured once.
bench::known_gpu gpu(rp::gpu_products products) {
  static const rp::cuda exact, fast({.products = rp::gpu_products::tensor_floats});
  static const rp::machine measured = rp::probe(exact, {.rounds = 5}).machine;
  static const measurement::gpu_meter meter(exact.described().address);
  return {.on = products == rp::gpu_products::exact ? exact : fast, .ceilings = measured, .meter = meter};
}

/// Names "gemm f32 nn 512 512 512" as gemm/cuda/nn/512x512x512 or gemm/cuda.tf32/…
std::string name_of(const peer::words& problem, rp::gpu_products products) {
  std::string name = problem[0] + (products == rp::gpu_products::tensor_floats ? "/cuda.tf32/"
                                   : problem[1] == "f32"                       ? "/cuda/"
                                                                               : "/cuda." + problem[1] + '/');
  for (std::size_t i = 2; i < problem.size(); ++i) name += (i == 2 ? "" : i == 3 ? "/" : "x") + problem[i];
  return name;
}
void add(const std::string& words, rp::gpu_products products = rp::gpu_products::exact, caches are = caches::warm) {
  const peer::words problem = peer::split(words);
  benchmark::RegisterBenchmark(
      (name_of(problem, products) + (are == caches::cold ? "/cold" : "")).c_str(),
      [=](benchmark::State& state) {
        if (rp::gpu_count() == 0)
          return state.SkipWithError(rp::concat("no GPU: ", ridgepoint_cuda()->why_none()).c_str());
        try {
          const char* const dtype = products == rp::gpu_products::exact ? problem[1].c_str() : "tf32";
          bench::time_on_device(state, gpu(products), {.problem = problem, .dtype = dtype, .are = are});
        } catch (const std::exception& e) {
          state.SkipWithError(e.what());
        }
      })
      ->UseManualTime()
      ->MinWarmUpTime(0.05);
}
/// Adds a memory-bound problem, with warm and with cold caches.
void add_stream(const std::string& words) {
  for (const caches are : {caches::warm, caches::cold}) add(words, rp::gpu_products::exact, are);
}

}  // namespace

void register_benchmarks();
void register_benchmarks() {
  for (const char* extents : {"512 512 512", "2048 2048 2048", "4096 4096 4096", "8192 8192 8192", "128 512 784"}) {
    add(std::string("gemm f32 nn ") + extents);
    add(std::string("gemm f32 nn ") + extents, rp::gpu_products::tensor_floats);
    add(std::string("gemm bf16 nn ") + extents);
  }
  add("gemm f64 nn 4096 4096 4096");
  for (const char* pass : {"forward", "backward-data", "backward-weights"}) {
    add(std::string("dense f32 ") + pass + " 128 784 512");
    add(std::string("dense f32 ") + pass + " 1024 1024 1024");
    for (const char* extents : {"64 56 64 64 3 1", "64 28 128 128 3 1", "64 14 256 256 3 1", "64 56 256 64 1 1"}) {
      for (const rp::gpu_products products : {rp::gpu_products::exact, rp::gpu_products::tensor_floats})
        add(std::string("conv2d f32 ") + pass + ' ' + extents, products);
      add(std::string("conv2d bf16 ") + pass + ' ' + extents);
    }
  }
  for (const char* cell : {"lstm", "gru_reset_after"})
    for (const char* pass : {"forward", "backward"})
      for (const char* extents : {" 128 64 256 256", " 128 64 1024 1024"})
        add(std::string(cell) + " f32 " + pass + extents);
  for (const char* op : {"relu", "bias_relu", "tanh", "softmax", "softmax_cross_entropy"})
    add_stream(std::string("map f32 ") + op + " 16384 1024");
  for (const char* op : {"sgd", "momentum", "rmsprop_keras", "adam", "adadelta"})
    add(std::string("map f32 ") + op + " 1 100000000");  // far beyond any cache
  for (const char* pass : {"forward", "backward"}) {
    add_stream(std::string("layer_norm f32 ") + pass + " 16384 1024");
    add_stream(std::string("batch_norm f32 ") + pass + " 200704 64");
    add_stream(std::string("max_pool2d f32 ") + pass + " 64 112 64 2 2");
  }
}

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/cuda/cuda.hpp>
#include <ridgepoint/roofline/machine.hpp>
#include <ridgepoint/roofline/measure.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Options for measuring a GPU's ceilings.
struct gpu_probe_options {
  int rounds = 10;                                  // samples of each ceiling; the best one counts
  std::size_t memory_bytes = std::size_t{1} << 30;  // of each array streamed through memory
  index_t product = 8192;                           // extent of the square matrices that cuBLAS multiplies
  index_t chain_rounds = 20'000;                    // 16 FLOP each, by every thread
  int launches = 1000;                              // empty kernels, one after the other
};

/// A measured GPU, with the launch time of a kernel, one by one and in a recording.
struct probed_gpu {
  ridgepoint::machine machine;
  double launch_s = 0, recorded_launch_s = 0;
};

namespace detail {

class gpu_prober {
 public:
  gpu_prober(const cuda& on, const gpu_probe_options& options) : on_(on), options_(options), is_(on.described()) {}

  [[nodiscard]] probed_gpu measure() {
    const index_t threads = index_t{is_.multiprocessors} * 8 * 256;
    chains<float>("f32", threads);
    chains<double>("f64", threads);
    products<float>("f32", on_);
    products<float>("tf32", cuda({.device = is_.device, .products = gpu_products::tensor_floats}));
    products<double>("f64", on_);
    products<bfloat16>("bf16", on_);
    streams("L2", is_.l2_bytes / 4, is_.l2_bytes, threads);
    streams("DRAM", options_.memory_bytes, 0, threads);
    made_.machine.name = on_.name();
    made_.machine.description =
        concat("compute capability ", is_.major, '.', is_.minor, ", ", is_.multiprocessors, " multiprocessors");
    made_.machine.clock_hz = is_.clock_hz;
    launches();
    return std::move(made_);
  }

 private:
  /// Returns the seconds of body() per sample, after one warm-up run that is not counted.
  template <class Body>
  [[nodiscard]] std::vector<double> timed(const cuda& on, const Body& body) const {
    std::vector<double> elapsed_s;
    for (int round = 0; round <= options_.rounds; ++round) {
      const double s = on.elapsed_s(body);
      if (round > 0) elapsed_s.push_back(s);
    }
    return elapsed_s;
  }
  [[nodiscard]] static ceiling compute(const char* operation, const char* dtype) {
    ceiling c;
    c.operation = operation;
    c.dtype = dtype;
    return c;
  }
  [[nodiscard]] static ceiling bandwidth(const char* operation, const char* level, std::size_t capacity_bytes) {
    ceiling c;
    c.kind = ceiling_kind::bandwidth;
    c.operation = operation;
    c.level = level;
    c.capacity_bytes = capacity_bytes;
    return c;
  }
  void keep(ceiling c, double amount, const std::vector<double>& elapsed_s) {
    std::vector<double> rates;
    for (const double s : elapsed_s)
      if (s > 0) rates.push_back(amount / s);
    c.measured = spread_of(std::move(rates));
    c.per_s = c.measured->max;
    c.source = "best of its samples, by the device's events";
    made_.machine.ceilings.push_back(std::move(c));
  }

  template <class T>
  void chains(const char* dtype, index_t threads) {
    const auto out = on_.allocate(static_cast<std::size_t>(threads) * sizeof(T));
    const gpu_peak_args<T> args{
        .rounds = options_.chain_rounds, .threads = threads, .out = static_cast<T*>(out.data())};
    keep(compute("fma", dtype), 16.0 * static_cast<double>(args.rounds) * static_cast<double>(threads),
         timed(on_, [&] { execute(on_, args); }));
  }
  template <class T>
  void products(const char* dtype, const cuda& on) {
    const index_t n = options_.product;
    const auto bytes = static_cast<std::size_t>(n * n) * sizeof(T);
    const auto a = on.allocate(bytes), b = on.allocate(bytes), c = on.allocate(bytes);
    random_stream random(1);
    std::vector<T> values(static_cast<std::size_t>(n * n));
    for (T& v : values) v = static_cast<T>(random.uniform(-1, 1));
    for (void* const to : {a.data(), b.data()}) on.upload(to, values.data(), bytes);
    const gemm_args<T> args{.a = {static_cast<const T*>(a.data()), n, n},
                            .b = {static_cast<const T*>(b.data()), n, n},
                            .c = {static_cast<T*>(c.data()), n, n}};
    const auto size = static_cast<double>(n);
    keep(compute("cublasLt", dtype), 2 * size * size * size, timed(on, [&] { execute(on, args); }));
  }
  void streams(const char* level, std::size_t bytes, std::size_t capacity, index_t threads) {
    using way = gpu_stream_args::way;
    const auto from = on_.allocate(bytes), to = on_.allocate(bytes),
               sums = on_.allocate(static_cast<std::size_t>(threads) * sizeof(std::uint32_t));
    const index_t passes = capacity == 0 ? 1 : 50;
    for (const auto& [kind, name, moved] :
         {std::tuple{way::copy, "copy", 2}, {way::read, "read", 1}, {way::write, "write", 1}}) {
      const gpu_stream_args args{.kind = kind,
                                 .passes = passes,
                                 .words = static_cast<index_t>(bytes / 16),
                                 .from = from.data(),
                                 .to = to.data(),
                                 .sums = static_cast<std::uint32_t*>(sums.data()),
                                 .threads = threads};
      keep(bandwidth(name, level, capacity), 16 * static_cast<double>(args.words) * moved * static_cast<double>(passes),
           timed(on_, [&] { execute(on_, args); }));
    }
  }
  void launches() {
    const auto all = [&] {
      for (int i = 0; i < options_.launches; ++i) execute(on_, gpu_nothing_args{});
    };
    const auto of_one = [&](const auto& body) {
      const std::vector<double> elapsed_s = timed(on_, body);
      return *std::min_element(elapsed_s.begin(), elapsed_s.end()) / options_.launches;
    };
    made_.launch_s = of_one(all);
    const cuda::recording recorded = on_.record(all);
    made_.recorded_launch_s = of_one([&] { on_.replay(recorded); });
    made_.machine.launch_s = made_.recorded_launch_s;  // steps are replayed recordings
  }

  cuda on_;
  gpu_probe_options options_;
  ridgepoint_cuda_device is_;
  probed_gpu made_;
};

}  // namespace detail

/// Measures a GPU's ceilings: multiply-adds in registers (f32, f64), square products by cublasLt (f32, TF32, f64,
/// bf16), bytes through the L2 cache and through memory (copy, read, write), and the launch time of a kernel. Every
/// ceiling is the best of its samples, with their spread.
/// Throws: gpu_error, also if out of memory: it allocates up to 3 · memory_bytes.
/// Example:
///   const rp::machine gpu = rp::probe(rp::cuda{}).machine;
[[nodiscard]] inline probed_gpu probe(const cuda& on, const gpu_probe_options& options = {}) {
  return detail::gpu_prober(on, options).measure();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/cpu/caches.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/kernels/probe/args.hpp>
#include <ridgepoint/roofline/environment.hpp>
#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/machine.hpp>
#include <ridgepoint/roofline/measure.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// One candidate for a ceiling: a window of some length, run repeatedly.
///
/// Windows of 0.1 ms mostly fall between two interruptions, so the best of many is the hardware's limit. The spread is
/// over the bests of the rounds and measures how repeatable that is.
struct probe_trial {
  ceiling what;
  std::function<probe_result(std::int64_t length)> window;
  bool fixed_length = false;  // length stays 1
  std::int64_t warm_up = 0;   // uncounted windows before each round
  std::int64_t length = 1;
  bool settled = false;  // needs no more rounds
  std::vector<double> round_bests = {};

  /// Warms up, then sets the length so that a window takes window_s.
  void calibrate(double window_s) {
    if (fixed_length) return;
    const auto shortest_of_three_s = [&] {
      return (std::min)({window(length).elapsed_s, window(length).elapsed_s, window(length).elapsed_s});
    };
    double elapsed_s = 0;
    while ((elapsed_s = shortest_of_three_s()) < window_s / 2 && length < std::int64_t{1} << 40) length *= 2;
    length = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(length) * window_s / elapsed_s));
  }
  void run_round(int windows) {
    for (std::int64_t i = 0; i < warm_up; ++i) window(length);
    double best = 0;
    for (int i = 0; i < windows; ++i) {
      const probe_result r = window(length);
      if (r.elapsed_s > 0) best = (std::max)(best, static_cast<double>(r.count) / r.elapsed_s);
    }
    round_bests.push_back(best);
  }
  /// Returns true if the best sample is not an outlier: others are close to it.
  [[nodiscard]] bool is_repeatable() const { return spread_of(round_bests).top_gap < 0.05; }
  [[nodiscard]] ceiling result() const {
    ceiling c = what;
    c.measured = spread_of(round_bests);
    c.per_s = c.measured->max;
    return c;
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Options of probe(). The defaults take about two seconds on an idle machine.
struct probe_options {
  int rounds = 40;                                 // over all ceilings: a slow moment affects them equally
  int windows = 5;                                 // per ceiling and round; the best one counts
  double window_s = 100e-6;                        // long for the timer, short for the scheduler
  double budget_s = 8;                             // no new round after that, but at least three
  std::size_t max_bytes = std::size_t{160} << 20;  // largest set in memory, or 8 MiB a thread; 4 × L3 if less
};

/// A CPU backend with measurable ceilings: cpu for any instruction set, and native_cpu with cpu/probe_ops.hpp.
template <class B>
concept probeable = backend<B> && executes<B, peak_args<float>> && executes<B, peak_args<double>> &&
    executes<B, peak_args<bfloat16>> && executes<B, stream_args> && requires(const B& on) {
  { on.thread_count() } -> std::same_as<int>;
};

namespace detail {

/// Returns "avx2" for the backend "ridgepoint.avx2".
[[nodiscard]] inline std::string isa_of(const auto& on) { return on.name().substr(on.name().rfind('.') + 1); }

template <probeable Backend>
class prober {
 public:
  prober(const Backend& on, const probe_options& options) : on_(on), options_(options) {}

  machine measure();

 private:
  static constexpr std::size_t window_bytes = std::size_t{2} << 20;  // of one thread

  /// Memory traversed by the windows of some trials, one after the other.
  struct area {
    std::size_t bytes = 0, offset = 0;
    typename Backend::buffer buffer = {};

    /// Writes the memory once from the threads that use it: unwritten pages would all be read from one page of zeros.
    void allocate(const Backend& on, int threads) {
      buffer = on.allocate(bytes);
      probe_result r;
      const index_t grain = 64 * threads, size = static_cast<index_t>(bytes / sizeof(float)) / grain * grain;
      auto* const a = static_cast<float*>(buffer.data());
      execute(on, stream_args{.kind = stream_kind::store, .threads = threads, .a = a, .size = size, .result = &r});
    }
    float* next(std::size_t chunk_bytes, std::size_t set_bytes) {
      if (offset + chunk_bytes > set_bytes) offset = 0;
      float* const start = static_cast<float*>(buffer.data()) + offset / sizeof(float);
      offset += chunk_bytes;
      return start;
    }
  };

  probe_trial& add(const ceiling& what, std::function<probe_result(std::int64_t)> window) {
    trials_.push_back({.what = what, .window = std::move(window)});
    return trials_.back();
  }
  /// Runs the same trials in the same order for any number of threads; a thread does equal work in each.
  void add_ceilings(int threads) {
    ceiling c;
    c.isa = isa_of(on_);
    c.threads = threads;
    c.source = concat("best of ", options_.windows, " windows a sample");
    add_peaks<float>(c, "f32");
    add_peaks<double>(c, "f64");
    if (multiplies_bfloat16(on_)) add_peak_of_bfloat16(c);

    const cache_sizes& caches = host_caches();
    const auto cores = static_cast<std::size_t>(threads), domains = (cores - 1) / caches.l3_sharers + 1;  // of L3
    const std::size_t l1 = caches.l1_bytes * cores, l2 = caches.l2_bytes * cores, l3 = caches.l3_bytes * domains;
    const std::size_t most = (std::max)(options_.max_bytes, 4 * window_bytes * cores);
    add_level(c, "L1", l1, l1 / 2);
    add_level(c, "L2", l2, l2 / 2);
    if (l3 != 0) add_level(c, "L3", l3, (std::min)(l3, most) / 2);
    add_level(c, "DRAM", 0, (std::min)(4 * (std::max)(l2, l3), most));
  }

  template <class T>
  void add_peaks(ceiling c, const char* dtype) {
    c.dtype = dtype;
    for (const peak_kind kind : {peak_kind::fma, peak_kind::mul_add})
      for (const int chains : {6, 8, 12, 24}) {
        c.operation = to_string(kind);
        add(c, peak_window<T>(kind, chains, c.threads));
      }
  }
  /// Whether products of bfloat16 have a ceiling above that of f32.
  [[nodiscard]] static bool multiplies_bfloat16(const Backend& on) {
    const simd::bfloat16_speed speed = simd::cpu_speed_of_bfloat16();
    return isa_of(on) == simd::isa::avx512::name &&
           (speed == simd::bfloat16_speed::twice || speed == simd::bfloat16_speed::tiles);
  }
  void add_peak_of_bfloat16(ceiling c) {
    c.dtype = "bf16";
    c.operation = simd::cpu_speed_of_bfloat16() == simd::bfloat16_speed::tiles ? "tile product" : "pair product";
    add(c, peak_window<bfloat16>(peak_kind::fma, 12, c.threads));
  }
  template <class T>
  auto peak_window(peak_kind kind, int chains, int threads) {
    return [=, this](std::int64_t length) {
      probe_result r;
      execute(on_, peak_args<T>{kind, chains, threads, length, &r});
      return r;
    };
  }

  void add_level(ceiling c, const char* level, std::size_t capacity_bytes, std::size_t set_bytes) {
    c.kind = ceiling_kind::bandwidth;
    c.level = level;
    c.capacity_bytes = capacity_bytes;
    c.set_bytes = set_bytes;
    c.source += concat(", set of ", capacity(set_bytes));
    for (const stream_kind kind : {stream_kind::load, stream_kind::copy, stream_kind::triad})
      add_stream(c, {.kind = kind, .set_bytes = set_bytes});
    if (capacity_bytes == 0) add_stream(c, {.kind = stream_kind::copy, .non_temporal = true, .set_bytes = set_bytes});
  }
  /// Data moved by a window, and the memory it moves through.
  struct traffic {
    stream_kind kind = stream_kind::load;
    bool non_temporal = false;
    std::size_t set_bytes = 0;
  };
  /// Windows of 2 MiB per thread move through a larger set. Caches and memory have separate areas. All trials of memory
  /// advance through their area together, so that none finds data of another in a cache.
  void add_stream(ceiling c, const traffic& t) {
    c.operation = concat(to_string(t.kind), t.non_temporal ? " non-temporal" : "");
    area& from = c.capacity_bytes == 0 ? memory_area_ : cache_area_;
    from.bytes = (std::max)(from.bytes, t.set_bytes);
    const std::size_t chunk_bytes = (std::min)(t.set_bytes, window_bytes * static_cast<std::size_t>(c.threads));
    // A load that follows a store to the same offset in another page waits for it: gaps of 1088 bytes prevent that.
    const index_t arrays = stream_arrays(t.kind), gap = arrays > 1 ? 272 : 0, grain = 64 * c.threads;
    const index_t elements = static_cast<index_t>(chunk_bytes / sizeof(float));
    const index_t size = std::max<index_t>((elements / arrays - gap) / grain, 1) * grain;
    const auto window = [=, this, &from, threads = c.threads](std::int64_t passes) {
      probe_result r;
      float* const a = from.next(chunk_bytes, t.set_bytes);
      execute(on_, stream_args{.kind = t.kind,
                               .non_temporal = t.non_temporal,
                               .threads = threads,
                               .a = a,
                               .b = arrays > 1 ? a + size + gap : nullptr,
                               .c = arrays > 2 ? a + 2 * (size + gap) : nullptr,
                               .size = size,
                               .passes = passes,
                               .result = &r});
      return r;
    };
    probe_trial& trial = add(c, window);
    trial.fixed_length = t.set_bytes > chunk_bytes;
    trial.warm_up = c.capacity_bytes == 0 ? 0 : static_cast<std::int64_t>(t.set_bytes / chunk_bytes);
  }
  /// Merges trials that differ only in their number of chains into one ceiling.
  static void keep_best(std::vector<ceiling>& ceilings, const ceiling& c) {
    for (ceiling& known : ceilings)
      if (to_string(known) == to_string(c) && known.kind == c.kind) {
        if (c.per_s > known.per_s) known = c;
        return;
      }
    ceilings.push_back(c);
  }

  const Backend& on_;
  probe_options options_;
  area cache_area_, memory_area_;
  std::vector<probe_trial> trials_;
};

template <probeable Backend>
machine prober<Backend>::measure() {
  using clock = std::chrono::steady_clock;
  const std::chrono::duration<double> budget(options_.budget_s);
  const int threads = on_.thread_count();
  add({}, peak_window<float>(peak_kind::integer_add, 1, 1));
  add_ceilings(1);
  const std::size_t of_one_thread = trials_.size();
  if (threads > 1) add_ceilings(threads);
  cache_area_.allocate(on_, threads);
  memory_area_.allocate(on_, threads);
  for (std::size_t i = 0; i < of_one_thread; ++i) trials_[i].calibrate(options_.window_s);
  for (std::size_t i = of_one_thread; i < trials_.size(); ++i)
    trials_[i].length = trials_[i - of_one_thread + 1].length;
  const auto run_rounds = [&](auto end) {
    for (int round = 0; round < options_.rounds && (round < 3 || clock::now() < end); ++round)
      for (probe_trial& trial : trials_)
        if (!trial.settled) trial.run_round(options_.windows);
  };
  run_rounds(clock::now() + budget);
  bool all_settled = true;  // a ceiling that no second sample confirms is measured again
  for (probe_trial& trial : trials_) all_settled &= trial.settled = trial.is_repeatable();
  if (!all_settled) run_rounds(clock::now() + budget / 2);

  machine m{.name = cpu_model(), .description = {}, .ceilings = {}};
  m.description = concat("measured with ", on_.name(), " on ", threads, threads == 1 ? " thread" : " threads");
  m.clock_hz = trials_[0].result().per_s;
  for (std::size_t i = 1; i < trials_.size(); ++i) keep_best(m.ceilings, trials_[i].result());
  return m;
}

}  // namespace detail

/// Measures this machine's ceilings with one instruction set: fma and mul+add peaks of f32 and f64, products of bf16
/// where they are faster than f32's (AMX, AVX512-BF16), and load, copy and triad bandwidth of L1, L2, L3 and memory,
/// each on one thread and on all of them.
///
/// Takes a few seconds and up to 3/2 of the largest set of memory. Peaks are measured with several numbers of chains.
/// Other load on this machine widens the spread of each ceiling; ceilings whose best sample is not confirmed by a
/// similar one are measured again.
///
/// The ceilings of `native_cpu` are measured with the strongest instruction set of this CPU, even if this file is
/// compiled for a weaker one: better flags must not lower the share of the roof.
/// Throws: value_error unless rounds, windows and window_s are positive and max_bytes is at least 1 MiB.
/// Example:
///   const rp::machine host = rp::probe(rp::cpu{});
///   std::cout << rp::table(host);
template <probeable Backend>
[[nodiscard]] machine probe(const Backend& on, const probe_options& options = {}) {
  require<value_error>(options.rounds > 0 && options.windows > 0 && options.window_s > 0, "probe: rounds is ",
                       options.rounds, ", windows ", options.windows, ", window_s ", options.window_s, "; must be > 0");
  require<value_error>(options.max_bytes >= 1 << 20, "probe: max_bytes is ", options.max_bytes, "; must be >= 1048576");
  if constexpr (requires { strongest(on); })
    if (const auto host = strongest(on); host.name() != on.name()) {
      machine m = detail::prober<decltype(strongest(on))>(host, options).measure();
      m.description += concat("; this build: ", detail::isa_of(on));
      return m;
    }
  return detail::prober<Backend>(on, options).measure();
}

#if RIDGEPOINT_COMPILED
RIDGEPOINT_EXTERN template machine detail::prober<cpu>::measure();
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

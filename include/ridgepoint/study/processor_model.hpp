// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/gpu/products.hpp>
#include <ridgepoint/roofline/machine.hpp>
#include <ridgepoint/study/modelled_graph.hpp>
#include <ridgepoint/study/modelled_profile.hpp>

/// \file
/// Model of a CPU: the time of a step from the CPU's roofs and from constants of the software that runs on it.
namespace ridgepoint::inline RIDGEPOINT_ABI::processor {

/// A level of memory: the bandwidth of one core and of all cores.
struct level {
  double capacity_bytes = 0;  // in all
  double core_bytes_per_s = 0, bytes_per_s = 0;
  friend constexpr bool operator==(const level&, const level&) = default;
};

/// A CPU as data.
struct chip {
  std::string name, description;
  index_t cores = 1;
  double core_flop_per_s = 0;  // f32, fused multiply-adds
  std::vector<level> levels;   // smallest first; the last is main memory, whose capacity does not count
  double clock_hz = 0;         // 0: unknown
  friend bool operator==(const chip&, const chip&) = default;
};

/// Returns the CPU whose roofs were measured, by probe() or `ridgepoint machine`.
/// Throws: value_error if it lacks the peak of one thread or the bandwidth of a level.
[[nodiscard]] inline chip chip_of(const machine& m) {
  chip c;
  c.name = m.name, c.description = m.description, c.clock_hz = m.clock_hz;
  const ceiling* const one = m.peak({.dtype = "f32", .threads = 1});
  bool complete = one != nullptr && one->threads == 1 && !m.levels().empty();
  for (const ceiling& each : m.ceilings) c.cores = (std::max)(c.cores, static_cast<index_t>(each.threads));
  for (const std::string& name : m.levels()) {
    const ceiling *const core = m.bandwidth(name, {.threads = 1}), *const all = m.bandwidth(name);
    complete = complete && core->threads == 1;
    c.levels.push_back({static_cast<double>(all->capacity_bytes), core->per_s, all->per_s});
  }
  require<value_error>(complete, "processor: machine ", m.name,
                       " has no f32 peak or no bandwidth of one thread; must have both");
  c.core_flop_per_s = one->per_s;
  return c;
}

/// Constants of a library on CPUs, which no data sheet has. The time of a step is linear in each.
struct software {
  std::string name, description;
  double product = 1;           // time of products ÷ their time at the peak
  double window = 1;            // likewise of convolutions with windows, by the FLOP of the definition
  double result_flop = 0;       // to finish an element of a product
  double image_flop = 0;        // to bring an element of a window's images to the kernel's layout, or transform it
  double operand_traffic = 1;   // bytes moved for a product ÷ bytes of its operands
  double traffic = 1;           // bytes moved by an op ÷ compulsory bytes
  double op_s = 0;              // of an op
  double op_core_s = 0;         // of an op, for each core that takes part
  double recurrent_step_s = 0;  // of a step of a recurrent layer
  double gate_traffic = 0;      // bytes moved for gates of recurrent layers ÷ bytes to write and read each once
  double fixed_product_s = 0;   // per FLOP of products, that neither cores nor wider vectors shorten
  double fixed_window_s = 0;    // likewise of convolutions with windows
  double flop_per_cycle = 0;    // f32, of the instruction set it is compiled for; 0: the CPU's own
  std::string source = "nothing is fitted";
  friend bool operator==(const software&, const software&) = default;
};

/// Formats the constants: "products take 1.2 of their time at the peak and …".
[[nodiscard]] inline std::string text(const software& with) {
  return concat("products take ", figures(with.product), " of their time at the peak and ",
                quantity(with.fixed_product_s, "s"), " per FLOP, windows ", figures(with.window), " and ",
                quantity(with.fixed_window_s, "s"), ", results ", figures(with.result_flop),
                " FLOP, images of windows ", figures(with.image_flop), " FLOP; traffic of operands ",
                figures(with.operand_traffic), ", of ops ", figures(with.traffic), ", of gates ",
                figures(with.gate_traffic), "; an op ", quantity(with.op_s, "s"), " and ",
                quantity(with.op_core_s, "s"), " per core, a recurrent step ", quantity(with.recurrent_step_s, "s"));
}

/// A CPU, its software, and the number of its cores that compute.
struct platform {
  chip on;
  software with;
  index_t cores = 1;
  std::string name = {};

  /// Returns the peak of the cores in the software's instruction set.
  [[nodiscard]] double flop_per_s() const noexcept {
    const double compiled_for = with.flop_per_cycle * on.clock_hz;
    return static_cast<double>(cores) *
           (compiled_for > 0 ? (std::min)(compiled_for, on.core_flop_per_s) : on.core_flop_per_s);
  }
  /// Returns the bytes per second of data that are used in turn and have `set_bytes` in all: each level holds a part.
  [[nodiscard]] double bytes_per_s(double set_bytes) const noexcept {
    const auto n = static_cast<double>(cores);
    double inner = 0, s_per_byte = 0;
    for (const level& l : on.levels) {
      const double rate = cores == 1 ? l.core_bytes_per_s : (std::min)(l.bytes_per_s, n * l.core_bytes_per_s);
      const double capacity = &l == &on.levels.back() ? set_bytes : (std::min)(l.capacity_bytes, set_bytes);
      if (capacity > inner) s_per_byte += (capacity - inner) / (set_bytes * rate);
      inner = (std::max)(inner, capacity);
    }
    return s_per_byte > 0 ? 1 / s_per_byte : HUGE_VAL;
  }
};

/// The load of an op on a CPU.
struct op_load {
  double product_flop = 0, window_flop = 0;  // of matrix products; of convolutions with windows
  double results = 0;                        // elements of all products, each time
  double operand_bytes = 0;                  // of all products, each time
  double operand_set = 0;                    // of the largest product
  double bytes = 0;                          // compulsory traffic
  double recurrent_steps = 0;                // steps of a recurrent layer
  double image_values = 0;                   // elements of the images of a convolution with windows
  double gate_bytes = 0;                     // of its gates at all steps, written and read once
};

/// Returns the load of any op in ops/all.hpp.
template <class Args>
[[nodiscard]] op_load load_of(const Args& args) {
  const work r = receipt(args);
  op_load load{.bytes = static_cast<double>(r.bytes.total())};
  bool window = false;
  if constexpr (requires {
                  args.geometry.kh;
                  args.geometry.output_size();
                }) {
    window = args.geometry.kh * args.geometry.kw > 1;
    if (window && r.matrix_flop > 0)
      load.image_values = static_cast<double>(args.geometry.input_size() + args.geometry.output_size());
  }
  (window ? load.window_flop : load.product_flop) = static_cast<double>(r.matrix_flop);
  if constexpr (requires { gpu::products(args); })
    for (const gpu::product& p : gpu::products(args)) {
      const double each = 4 * static_cast<double>(p.m * p.k + p.k * p.n + p.m * p.n);
      const auto times = static_cast<double>(p.count * p.turns);
      load.operand_bytes += times * each;
      load.results += times * static_cast<double>(p.m * p.n);
      load.operand_set = (std::max)(load.operand_set, each);
    }
  if constexpr (gpu::recurrent_op<Args>) {
    const recurrent_geometry g = gpu::geometry_of(args);
    load.recurrent_steps = static_cast<double>(g.steps);
    load.gate_bytes = 2 * 4 * static_cast<double>(g.steps * g.n * g.columns());
  }
  return load;
}

/// An op of a step: its load, and its place in the network.
struct loaded_op {
  op_load load;
  std::string name = {};
  ridgepoint::pass pass = ridgepoint::pass::forward;
  std::string shape = {};
  work receipt = {};
  double elapsed_s = 1;  // 0: takes no time on any CPU
};

/// The ops of a step and the bytes of its data, on any CPU.
struct step_load {
  std::vector<loaded_op> ops;
  double working_set = 0;
};

namespace detail {
struct any_processor {};
template <class Args>
  requires(all_ops<float>::template contains<Args>)
[[nodiscard]] loaded_op modelled(const any_processor&, const Args& args) {
  return {.load = load_of(args), .receipt = receipt(args)};
}
[[nodiscard]] inline loaded_op modelled(const any_processor&, const advance_args&) {
  return {.load = {}, .elapsed_s = 0};
}
}  // namespace detail

/// Returns the loads of a compiled graph. Throws: unsupported for an op without a model.
template <class UserOps = type_list<>>
[[nodiscard]] step_load load_of(const compiled& made, UserOps user_ops = {}) {
  step_load step{.ops = {}, .working_set = static_cast<double>(made.plan.memory().bytes())};
  const double fed = 4 * static_cast<double>(made.batch) * static_cast<double>(study::fed_values(made));
  step.ops.push_back({.load = {.bytes = 2 * fed}, .name = "copy of the batch", .pass = pass::feed});
  step.working_set += fed;
  study::for_each_modelled<loaded_op>(detail::any_processor{}, "CPU", made.plan, user_ops,
                                      [&](const planned_call& call, loaded_op op) {
                                        op.name = call.info.layer;
                                        step.ops.push_back(std::move(op));
                                      });
  return step;
}

/// The constants of software that are fitted, in the order of parts_of().
inline constexpr std::array constants{
    &software::product,         &software::window,         &software::result_flop,  &software::operand_traffic,
    &software::traffic,         &software::op_s,           &software::op_core_s,    &software::recurrent_step_s,
    &software::fixed_product_s, &software::fixed_window_s, &software::gate_traffic, &software::image_flop};
/// The constants of a library whose products and windows run on all cores.
inline constexpr std::array parallel_constants{
    &software::product,      &software::window,    &software::result_flop, &software::operand_traffic,
    &software::traffic,      &software::op_s,      &software::op_core_s,   &software::recurrent_step_s,
    &software::gate_traffic, &software::image_flop};
/// The factor of each constant in a time.
using parts = std::array<double, constants.size()>;

/// Returns the parts of an op's time. Products read their operands from the level that holds them, every op its new
/// data from the levels that hold the step's.
[[nodiscard]] inline parts parts_of(const platform& p, const op_load& op, double working_set) {
  const double flop_per_s = p.flop_per_s();
  return {op.product_flop / flop_per_s,
          op.window_flop / flop_per_s,
          op.results / flop_per_s,
          op.operand_bytes > 0 ? op.operand_bytes / p.bytes_per_s(op.operand_set) : 0,
          op.bytes / p.bytes_per_s(working_set),
          1.0,
          static_cast<double>(p.cores),
          op.recurrent_steps,
          op.product_flop,
          op.window_flop,
          op.gate_bytes / p.bytes_per_s(working_set),
          op.image_values / flop_per_s};
}
/// Adds parts, `times` times.
inline void add(parts& to, const parts& more, double times) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += times * more[i];
}
/// Returns the sum of the parts of a step's ops.
[[nodiscard]] inline parts parts_of(const platform& p, const step_load& step) {
  parts sum{};
  for (const loaded_op& op : step.ops) add(sum, parts_of(p, op.load, step.working_set), 1);
  return sum;
}
/// Returns the sum of the parts, each times its constant.
[[nodiscard]] inline double seconds(const software& with, const parts& of) {
  double total = 0;
  for (std::size_t i = 0; i < of.size(); ++i) total += with.*constants[i] * of[i];
  return total;
}

/// The modelled cost of one op.
struct modelled_op {
  std::string name = {};
  ridgepoint::pass pass = ridgepoint::pass::forward;
  std::string shape = {};
  work receipt = {};
  double elapsed_s = 0;
  double bytes = 0;
  std::uint64_t repeat = 1;

  [[nodiscard]] double total_s() const noexcept { return elapsed_s * static_cast<double>(repeat); }
  [[nodiscard]] static constexpr std::uint64_t launches() noexcept { return 1; }
};

/// A modelled step: its ops, one after the other.
struct modelled_step {
  std::string title, machine, software;
  std::vector<modelled_op> ops;
  double step_s = 0;
};

/// Models a step on a CPU: each op takes the sum of its parts.
/// Example: modelled(rp::processor::find_platform("cpu8"), rp::processor::load_of(made)).step_s
[[nodiscard]] inline modelled_step modelled(const platform& p, const step_load& load) {
  modelled_step step{.title = {}, .machine = p.name, .software = p.with.name, .ops = {}};
  for (const loaded_op& op : load.ops) {
    const double elapsed_s = seconds(p.with, parts_of(p, op.load, load.working_set));
    step.ops.push_back({op.name, op.pass, op.shape, op.receipt, elapsed_s, op.load.bytes});
    step.step_s += elapsed_s;
  }
  return step;
}

/// Models a compiled graph on a CPU, without running it. Throws: unsupported for an op without a model.
template <class UserOps = type_list<>>
[[nodiscard]] modelled_step modelled(const platform& p, const compiled& made, UserOps user_ops = {}) {
  return modelled(p, load_of(made, user_ops));
}

/// A measured time, and its parts.
struct measured_time {
  parts of = {};
  double elapsed_s = 0;
};

/// Fits constants of the software to measured times: the least squares of predicted / measured − 1 with constants ≥ 0,
/// by coordinate descent. Constants that are not in `fitted` are 0. Deterministic.
/// Throws: value_error without measurements.
[[nodiscard]] inline software fit(const std::vector<measured_time>& times,
                                  std::span<double software::*const> fitted = constants) {
  require<value_error>(!times.empty(), "processor: no measured time to fit to; must have some");
  constexpr std::size_t n = constants.size();
  std::array<parts, n> squares{};  // of the parts ÷ measured
  parts sums{}, found{};
  for (const measured_time& m : times) {
    parts of = m.of;
    for (double& part : of) part /= m.elapsed_s;
    for (std::size_t i = 0; i < n; ++i) {
      sums[i] += of[i];
      for (std::size_t j = 0; j < n; ++j) squares[i][j] += of[i] * of[j];
    }
  }
  for (int round = 0; round < 20'000; ++round)
    for (std::size_t i = 0; i < n; ++i) {
      if (squares[i][i] <= 0 || std::ranges::find(fitted, constants[i]) == fitted.end()) continue;
      double rest = sums[i];
      for (std::size_t j = 0; j < n; ++j) rest -= j == i ? 0 : squares[i][j] * found[j];
      found[i] = (std::max)(0.0, rest / squares[i][i]);
    }
  software with{.name = "fitted", .description = "f32"};
  for (std::size_t i = 0; i < n; ++i) with.*constants[i] = found[i];
  with.source = concat("fitted to ", times.size(), " measured times");
  return with;
}

/// Returns the constants of TensorFlow 1.2 on CPUs, compiled for an instruction set of `flop_per_cycle`.
[[nodiscard]] inline software tensorflow_for(std::string_view instruction_set, double flop_per_cycle) {
  return {.name = concat("tensorflow, ", instruction_set),
          .description = concat("Keras 2.0 on TensorFlow 1.2, compiled for ", instruction_set),
          .product = 1.26,
          .window = 0.772,
          .operand_traffic = 0,
          .traffic = 2.46,
          .op_s = 28.1e-6,
          .op_core_s = 7.17e-6,
          .recurrent_step_s = 220e-6,
          .fixed_product_s = 12.3e-12,
          .fixed_window_s = 4.21e-12,
          .flop_per_cycle = flop_per_cycle,
          .source = "fitted to study D's 56 trainings of July 2017"};
}
/// The constants that tensorflow_for() fits; study D's times do not tell the others from these.
inline constexpr std::array tensorflow_constants{
    &software::product,   &software::window,           &software::traffic,         &software::op_s,
    &software::op_core_s, &software::recurrent_step_s, &software::fixed_product_s, &software::fixed_window_s};

/// CPUs of the studies, with the software that ran there: study D's machines with 8 to 64 virtual CPUs, with TensorFlow
/// as published (SSE2) and compiled for AVX2; study A's machine with 2; study C's two desktop CPUs. A core has two
/// virtual CPUs. Bandwidths of caches are bytes per cycle of the architecture times the clock; study E measured that of
/// study D's memory. Other memories' bandwidths, and the generation of study C's CPUs, are assumed. No memory is too
/// small: the studies do not print it.
[[nodiscard]] inline const std::vector<platform>& published_platforms() {
  static const std::vector<platform> all = [] {
    constexpr double kib = 1024, mib = 1024 * kib;
    struct core {
      double clock_hz, flop_per_cycle, l1_bytes, l1_per_cycle, l2_bytes, l2_per_cycle, l3_per_cycle;
    };
    const auto cpu = [](std::string name, std::string description, index_t cores, const core& c, double l3_bytes,
                        double memory_bytes_per_s) {
      const auto n = static_cast<double>(cores);
      const auto cache = [&](double bytes, double per_cycle) {
        return level{bytes, per_cycle * c.clock_hz, n * per_cycle * c.clock_hz};
      };
      return chip{.name = std::move(name),
                  .description = std::move(description),
                  .cores = cores,
                  .core_flop_per_s = c.flop_per_cycle * c.clock_hz,
                  .levels = {cache(n * c.l1_bytes, c.l1_per_cycle),
                             cache(n * c.l2_bytes, c.l2_per_cycle),
                             cache(l3_bytes, c.l3_per_cycle),
                             {0, memory_bytes_per_s, memory_bytes_per_s}},
                  .clock_hz = c.clock_hz};
    };
    const software published = tensorflow_for("SSE2", 8), compiled = tensorflow_for("AVX2", 32);
    const core skylake{2.7e9, 64, 32 * kib, 64, mib, 32, 10};
    std::vector<platform> platforms;
    for (const index_t cores : {4, 8, 16, 32}) {
      const std::string name = concat("cpu", 2 * cores);
      const chip on =
          cpu(name, concat("Google Compute Engine, 2017: ", cores, " cores of a Skylake, 2.7 GHz under load"), cores,
              skylake, 1.375 * mib * static_cast<double>(cores), 16.6e9);
      platforms.push_back({on, published, cores, name});
      platforms.push_back({on, compiled, cores, name + "-compiled"});
    }
    const chip colab = cpu("colab-cpu", "Colab, 2021: a core of a 2.2 GHz Broadwell", 1,
                           {2.2e9, 32, 32 * kib, 64, 256 * kib, 32, 10}, 55 * mib, 10e9);
    platforms.push_back({colab, compiled, 1, colab.name});
    const auto i7 = [&](const char* name, index_t cores, double clock_hz) {
      const auto n = static_cast<double>(cores);
      const chip on = cpu(name, concat("Core i7, ", cores, " cores of ", clock_hz / 1e9, " GHz"), cores,
                          {clock_hz, 16, 32 * kib, 48, 256 * kib, 32, 10}, 2 * mib * n, 20e9);
      platforms.push_back({on, published, cores, name});
    };
    i7("i7-dual", 2, 2.5e9), i7("i7-quad", 4, 3.4e9);
    return platforms;
  }();
  return all;
}
/// Returns a published platform by its name. Throws: value_error for an unknown name.
[[nodiscard]] inline const platform& find_platform(std::string_view name) {
  return find_named(published_platforms(), name, "processor: no platform");
}

/// Roofs of a platform: the peak of its cores in the software's instruction set, and the bandwidths of its levels.
[[nodiscard]] inline machine roofs_of(const platform& p) {
  using ridgepoint::detail::sheet_memory, ridgepoint::detail::sheet_peak;
  machine m{.name = concat("CPU ", p.name, " (model)"),
            .description = p.on.description,
            .ceilings = {sheet_peak("f32", "fma", p.flop_per_s() / 1e12, p.with.name)},
            .clock_hz = p.on.clock_hz};
  for (std::size_t i = 0; i < p.on.levels.size(); ++i) {
    const level& l = p.on.levels[i];
    const bool last = i + 1 == p.on.levels.size();
    m.ceilings.push_back(
        sheet_memory(last ? "DRAM" : concat('L', i + 1).c_str(), l.bytes_per_s / 1e9, p.on.description));
    m.ceilings.back().capacity_bytes = last ? 0 : static_cast<std::uint64_t>(l.capacity_bytes);
  }
  return m;
}

/// Converts a modelled step to a profile: equal ops become one row.
[[nodiscard]] inline profile as_profile(const modelled_step& step) {
  return {.title = concat("modelled: ", step.title),
          .backend = concat("model of CPU ", step.machine, " with ", step.software),
          .threads = 0,
          .rows = study::profile_rows(step.ops),
          .step_s = step.step_s,
          .dtype = "f32"};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::processor

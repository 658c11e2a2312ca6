// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <ridgepoint/gpu/products.hpp>
#include <ridgepoint/roofline/machine.hpp>
#include <ridgepoint/roofline/measure.hpp>
#include <ridgepoint/study/modelled_graph.hpp>
#include <ridgepoint/study/paradnn_fc.hpp>

/// \file
/// Model of a CPU: the time of a step from the CPU's roofs and from eight constants of the software that runs on it.
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
  friend bool operator==(const chip&, const chip&) = default;
};

/// Returns the CPU whose roofs were measured, by probe() or `ridgepoint machine`.
/// Throws: value_error if it lacks the peak of one thread or the bandwidth of a level.
[[nodiscard]] inline chip chip_of(const machine& m) {
  chip c;
  c.name = m.name, c.description = m.description;
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

/// Constants of a library on CPUs, which no data sheet has. The time of a step is linear in each, except serial_share.
struct software {
  std::string name, description;
  double product = 1;           // time of products ÷ their time at the peak
  double window = 1;            // likewise of convolutions with windows, by the FLOP of the definition
  double result_flop = 0;       // to finish an element of a product
  double operand_traffic = 1;   // bytes moved for a product ÷ bytes of its operands
  double traffic = 1;           // bytes moved by an op ÷ compulsory bytes
  double op_s = 0;              // of an op
  double recurrent_step_s = 0;  // of a step of a recurrent layer
  double serial_share = 0;      // of the computation, that more cores do not make faster
  std::string source = "nothing is fitted";
  friend bool operator==(const software&, const software&) = default;
};

/// A CPU, its software, and the number of its cores that compute.
struct platform {
  chip on;
  software with;
  index_t cores = 1;

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
};

/// Returns the load of any op in ops/all.hpp.
template <class Args>
[[nodiscard]] op_load load_of(const Args& args) {
  const work r = receipt(args);
  op_load load{.bytes = static_cast<double>(r.bytes.total())};
  bool window = false;
  if constexpr (requires { args.geometry.kh; }) window = args.geometry.kh * args.geometry.kw > 1;
  (window ? load.window_flop : load.product_flop) = static_cast<double>(r.matrix_flop);
  if constexpr (requires { gpu::products(args); })
    for (const gpu::product& p : gpu::products(args)) {
      const double each = 4 * static_cast<double>(p.m * p.k + p.k * p.n + p.m * p.n);
      const auto times = static_cast<double>(p.count * p.turns);
      load.operand_bytes += times * each;
      load.results += times * static_cast<double>(p.m * p.n);
      load.operand_set = (std::max)(load.operand_set, each);
    }
  if constexpr (gpu::recurrent_op<Args>) load.recurrent_steps = static_cast<double>(gpu::geometry_of(args).steps);
  return load;
}

/// The loads of a step's ops and the bytes of its data, on any CPU.
struct step_load {
  std::vector<op_load> ops;
  double working_set = 0;
};

namespace detail {
/// A load in the form that for_each_modelled() collects.
struct loaded_op {
  op_load load;
  double elapsed_s = 1;
  ridgepoint::pass pass = ridgepoint::pass::forward;
  std::string shape = {};
};
struct any_processor {};
template <class Args>
  requires(all_ops<float>::template contains<Args>)
[[nodiscard]] loaded_op modelled(const any_processor&, const Args& args) { return {load_of(args)}; }
[[nodiscard]] inline loaded_op modelled(const any_processor&, const advance_args&) { return {{}, 0}; }
}  // namespace detail

/// Returns the loads of a compiled graph. Throws: unsupported for an op without a model.
template <class UserOps = type_list<>>
[[nodiscard]] step_load load_of(const compiled& made, UserOps user_ops = {}) {
  step_load step{.ops = {}, .working_set = static_cast<double>(made.plan.memory().bytes())};
  const double fed = 4 * static_cast<double>(made.batch) * static_cast<double>(study::fed_values(made));
  step.ops.push_back({.bytes = 2 * fed});  // the batch is copied
  step.working_set += fed;
  study::for_each_modelled<detail::loaded_op>(
      detail::any_processor{}, "CPU", made.plan, user_ops,
      [&](const planned_call&, const detail::loaded_op& op) { step.ops.push_back(op.load); });
  return step;
}

/// The linear constants of software, in the order of parts().
inline constexpr std::array linear_constants{&software::product,         &software::window,  &software::result_flop,
                                             &software::operand_traffic, &software::traffic, &software::op_s,
                                             &software::recurrent_step_s};

/// Returns what each linear constant is multiplied by in the time of a step. Products read their operands from the
/// level that holds them, every op its new data from the levels that hold the step's.
[[nodiscard]] inline std::array<double, linear_constants.size()> parts(const platform& p, const step_load& step) {
  const auto cores = static_cast<double>(p.cores);
  const double flop_per_s = p.on.core_flop_per_s * cores / (1 + p.with.serial_share * (cores - 1));
  const double bytes_per_s = p.bytes_per_s(step.working_set);
  std::array<double, linear_constants.size()> sum{};
  for (const op_load& op : step.ops) {
    const double operands_s = op.operand_bytes > 0 ? op.operand_bytes / p.bytes_per_s(op.operand_set) : 0;
    const std::array of{op.product_flop / flop_per_s,
                        op.window_flop / flop_per_s,
                        op.results / flop_per_s,
                        operands_s,
                        op.bytes / bytes_per_s,
                        1.0,
                        op.recurrent_steps};
    for (std::size_t i = 0; i < of.size(); ++i) sum[i] += of[i];
  }
  return sum;
}

/// Returns the seconds of a step: the sum of its parts, each times its constant.
[[nodiscard]] inline double seconds(const platform& p, const step_load& step) {
  const auto of = parts(p, step);
  double total = 0;
  for (std::size_t i = 0; i < of.size(); ++i) total += p.with.*linear_constants[i] * of[i];
  return total;
}

/// A measured step, to fit constants to.
struct measured_load {
  step_load step;
  index_t cores = 1;
  double elapsed_s = 0;
};

/// Fits the constants of the software to measured steps: the least squares of predicted / measured − 1 with constants
/// ≥ 0, by coordinate descent, for each serial_share of a golden section. Deterministic.
/// Throws: value_error without measurements.
[[nodiscard]] inline software fit(const chip& on, const std::vector<measured_load>& steps) {
  require<value_error>(!steps.empty(), "processor: no measured step to fit to; must have some");
  constexpr std::size_t n = linear_constants.size();
  platform p{.on = on, .with = {.name = "ridgepoint", .description = "this library, f32"}};
  const auto cost_with = [&](double serial_share) {
    p.with.serial_share = serial_share;
    std::array<std::array<double, n>, n> squares{};  // of the parts ÷ measured
    std::array<double, n> sums{}, constants{};
    for (const measured_load& m : steps) {
      p.cores = m.cores;
      auto of = parts(p, m.step);
      for (double& part : of) part /= m.elapsed_s;
      for (std::size_t i = 0; i < n; ++i) {
        sums[i] += of[i];
        for (std::size_t j = 0; j < n; ++j) squares[i][j] += of[i] * of[j];
      }
    }
    for (int round = 0; round < 20'000; ++round)
      for (std::size_t i = 0; i < n; ++i) {
        if (squares[i][i] <= 0) continue;
        double rest = sums[i];
        for (std::size_t j = 0; j < n; ++j) rest -= j == i ? 0 : squares[i][j] * constants[j];
        constants[i] = (std::max)(0.0, rest / squares[i][i]);
      }
    double cost = static_cast<double>(steps.size());
    for (std::size_t i = 0; i < n; ++i) {
      p.with.*linear_constants[i] = constants[i];
      cost -= 2 * constants[i] * sums[i];
      for (std::size_t j = 0; j < n; ++j) cost += constants[i] * squares[i][j] * constants[j];
    }
    return cost;
  };
  static_cast<void>(cost_with(study::lowest(cost_with, 0, 1)));
  p.with.source = concat("fitted to ", steps.size(), " measured steps");
  return p.with;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::processor

// SPDX-License-Identifier: MIT
#include "measured_training.hpp"

#include <iostream>
#include <optional>

#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/cuda/probe.hpp>
#include <ridgepoint/roofline/placement.hpp>

#include "available_memory.hpp"
#include "backends.hpp"
#include "command_files.hpp"
#include "measurement/doubts.hpp"
#include "number_option.hpp"
#include "seed_option.hpp"
#include "step_memory.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;

/// Measures the machine that a backend computes on.
template <class Backend>
rp::machine measured_below(const Backend& on, int threads) {
  const auto measure = [](const auto& where) {
    std::cerr << "measuring the ceilings of " << rp::printable(where.name()) << " ...\n";
    return rp::probe(where);
  };
  if constexpr (std::same_as<Backend, rp::cuda>) return measure(on).machine;
  else return measure(rp::cpu(threads));
}

template <class Trainer>
rp::profile measured_step(Trainer& trainer, const rp::any_dataset& data, const std::string& what, int steps) {
  std::cerr << rp::printable(what) << " for " << steps << " steps ...\n";
  progress_bar bar(what);
  return trainer.profile(data, (steps + 1) / 2,  // the other half is timed as full steps
                         [&](int done, int total) { bar.show(done, total); });
}

template <class Backend>
ready_training ready_on(const Backend& on, const char* who, const training_options& o,
                        const std::filesystem::path& out) {
  using trainer_type = rp::trainer<float, Backend>;
  ready_training ready{.of = network_named(o.model, o.step, o.seed), .memory = {}, .measure = {}};
  const rp::plan step = training_plan(ready.of).plan;
  check_trains(who, o.model, on, o.step.stored(), step);
  if constexpr (!std::same_as<Backend, rp::cuda>)
    if (const std::uint64_t available = available_bytes(); available > 0)
      check_step_memory("host", static_cast<double>(step.memory().bytes()), static_cast<double>(available));
  const auto data =
      std::make_shared<const training_data>(ready.of.load({.path = o.data, .threads = o.threads, .out = out}));
  check_batch(data->train(), ready.of.batch);
  rp::graph net{rp::concat(ready.of.name, o.step.network_text())};
  const std::vector<rp::objective> objectives = ready.of.build(net);
  const std::shared_ptr<trainer_type> trainer(new trainer_type(ready.of.trainer(on, net, objectives)));
  ready.memory = to_string(trainer->memory(data->train()));
  const std::string what = rp::concat("training ", net.name(), " on ", on.name());
  ready.measure = [=, threads = o.threads, steps = o.steps] {
    measured_training m{.machine = {}, .profile = {}, .at = rp::observe_environment()};
    measurement::say_doubts(m.at);
    m.machine = measured_below(on, threads);
    m.profile = measured_step(*trainer, data->train(), what, steps);
    if constexpr (std::same_as<Backend, rp::cuda>)  // one kernel or more per op
      for (rp::profile_row& row : m.profile.rows) row.launches = row.pass == rp::pass::feed ? 0 : 1;
    m.at.steal_share = measurement::say_stolen_time(m.at);
    measurement::say_doubts(rp::suspicions(m.profile, m.machine));
    return m;
  };
  return ready;
}

}  // namespace

void add_training_options(CLI::App& app, training_options& o, const char* what_data) {
  app.add_option("--steps", o.steps, "Training steps: half timed by op, half in full")
      ->capture_default_str()
      ->check(number_in(2, 1'000'000));
  app.add_option("--data", o.data, rp::concat(which_data, what_data))->check(existing_path());
  app.add_option("--threads", o.threads, "Threads (default: all cores)")->check(thread_counts());
  add_step_options(app, o.step);
  add_seed_option(app, o.seed);
}

ready_training made_ready(const char* who, const training_options& o, const std::filesystem::path& out) {
  std::optional<ready_training> ready;
  static_cast<void>(with_backend(o.backend, o.threads, [&](const auto& on) {
    ready = ready_on(on, who, o, out);
    return 0;
  }));
  return std::move(*ready);
}

}  // namespace tool

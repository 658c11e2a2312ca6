// SPDX-License-Identifier: MIT
// ridgepoint roofline: the main job. Measures this machine's ceilings, trains a network for some hundred steps, and
// places every op of the step on the roofline, as text, JSON and a page.
#include <filesystem>
#include <iostream>
#include <memory>

#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/cuda/probe.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/roofline/html_json.hpp>
#include <ridgepoint/roofline/plot.hpp>
#include <ridgepoint/roofline/table.hpp>

#include "backends.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "measurement/doubts.hpp"
#include "networks.hpp"
#include "seed_option.hpp"
#include "step_options.hpp"
#include "trained_network.hpp"
#include "vega_bundle.hpp"
#include "writable.hpp"

namespace rp = ridgepoint;

namespace tool::roofline {

struct options {
  std::string model = "mnist-mlp", data, out = ".", backend = "cpu";
  int steps = 300, threads = 0;
  std::uint64_t seed = 42;
  tool::step_options step;
};

/// The machine that a backend computes on.
template <class Backend>
rp::machine measured_below(const Backend& on, int threads) {
  const auto measure = [](const auto& where) {
    std::cerr << "measuring the ceilings of " << where.name() << " ...\n";
    return rp::probe(where);
  };
  if constexpr (std::same_as<Backend, rp::cuda>) return measure(on).machine;
  else return measure(rp::cpu(threads));
}

/// What can be refused is refused before the ceilings are measured.
template <class Backend>
int place_training(const options& o, const Backend& on) {
  tool::check_trains("roofline", o.model, on, o.step.in);
  const std::filesystem::path directory = tool::made_directory("roofline", o.out);
  const std::string json = (directory / "roofline.json").string(), page = (directory / "roofline.html").string();
  tool::check_writable(json);
  tool::check_writable(page);
  rp::environment at = rp::observe_environment();
  measurement::say_doubts(at);

  const tool::trained_network of = tool::network_named(o.model, o.step, o.seed);
  const tool::training_data data = of.load(o.data, o.threads, directory);
  tool::check_batch(data.train(), of.batch);
  rp::graph net{rp::concat(of.name, o.step.network_text())};
  auto trainer = of.trainer(on, net, of.build(net));
  const rp::machine machine = measured_below(on, o.threads);
  std::cout << "memory of a step: " << to_string(trainer.memory(data.train())) << std::endl;
  std::cerr << "training " << net.name() << " on " << on.name() << " for " << o.steps << " steps ...\n";
  const rp::profile profile = trainer.profile(data.train(), (o.steps + 1) / 2);  // as many steps again are timed whole
  at.steal_share = measurement::say_stolen_time(at);
  measurement::say_doubts(rp::suspicions(profile, machine));

  std::cout << '\n'
            << rp::table(machine, rp::roofs_for(profile)) << '\n'
            << rp::table(profile, machine) << '\n'
            << rp::plot(profile, machine);
  rp::save_roofline(json, profile, machine, at);
  rp::save_html(page, profile, machine, at, tool::vega_bundle());
  std::cout << "\nwrote " << json << " and " << page << '\n';
  return tool::ok;
}

int run(const options& o) {
  return tool::with_backend(o.backend, o.threads, [&](const auto& on) { return place_training(o, on); });
}

const tool::command command(
    "roofline", "Train a network for some steps and place every op on this machine's roofline",
    [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.add_option("model", o->model, tool::which_network())->capture_default_str();
      app.add_option("--steps", o->steps,
                     "Steps to train, half of them timed call by call, half whole; those of a sequence are --length")
          ->capture_default_str()
          ->check(CLI::Range(2, 1'000'000));
      app.add_option("--data", o->data, rp::concat(tool::which_data, " below --out)"));
      app.add_option("--out", o->out, "Directory for all that is written: roofline.json, roofline.html, synthetic data")
          ->capture_default_str();
      app.add_option("--threads", o->threads, "Threads (default: all cores)")->check(CLI::Range(0, 1024));
      tool::add_step_options(app, o->step);
      tool::add_seed_option(app, o->seed);
      app.add_option("--backend", o->backend, rp::concat("Where to compute: ", tool::backend_names))
          ->capture_default_str();
      return [o] { return run(*o); };
    });

}  // namespace tool::roofline

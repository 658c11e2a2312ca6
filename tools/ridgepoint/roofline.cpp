// SPDX-License-Identifier: MIT
// ridgepoint roofline: the main job. Measures this machine's ceilings, trains a network for some hundred steps, and
// places every op of the step on the roofline, as text, JSON and a page.
#include <filesystem>
#include <iostream>
#include <memory>

#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/all.hpp>
#include <ridgepoint/roofline/html_json.hpp>
#include <ridgepoint/roofline/plot.hpp>
#include <ridgepoint/roofline/table.hpp>

#include "backends.hpp"
#include "commands.hpp"
#include "digits.hpp"
#include "doubts.hpp"
#include "vega_bundle.hpp"

namespace rp = ridgepoint;

namespace tool::roofline {

struct options {
  std::string model = "mnist-mlp", data, out = ".", backend = "cpu";
  int steps = 300, threads = 0;
  std::uint64_t seed = 42;
};

template <class Model, class Backend>
rp::profile measure_training(const options& o, const Backend& on) {
  const rp::mnist_data digits = tool::load_digits(o.data);
  rp::graph net{std::string(Model::name)};
  const rp::node output = Model{}.build(net);
  auto trainer = net.template train<float>(on, output, typename Model::loss{}, typename Model::optimiser{},
                                           {.batch = Model::batch, .seed = o.seed});
  std::cerr << "training " << Model::name << " on " << on.name() << " for " << o.steps << " steps ...\n";
  return trainer.profile(digits.train, (o.steps + 1) / 2);  // as many steps again are timed whole
}

/// Throws: data_error if files can not be written into the directory; it is made if it does not exist.
std::filesystem::path output_directory(const std::string& name) {
  const std::filesystem::path directory(name);
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  rp::require<rp::data_error>(!failure && std::filesystem::is_directory(directory), "roofline: ", name,
                              " can not be made: ", failure.message(), "; must be a directory");
  return directory;
}

int run(const options& o) {
  const std::filesystem::path directory = output_directory(o.out);
  const rp::environment before = rp::observe_environment();
  tool::say_doubts(before);

  const rp::dispatched_cpu host(o.threads);
  std::cerr << "measuring the ceilings of " << host.name() << " ...\n";
  const rp::machine machine = rp::probe(host);
  rp::profile profile;
  static_cast<void>(rp::models::with_model(tool::digit_networks{}, o.model, [&]<class Model>() {
    return tool::with_backend(o.backend, o.threads, [&](const auto& on) {
      profile = measure_training<Model>(o, on);
      return 0;
    });
  }));
  tool::say_stolen_time(before);

  std::cout << rp::table(machine, {.isa = std::string(host.isa()), .threads = host.thread_count()}) << '\n'
            << rp::table(profile, machine) << '\n'
            << rp::plot(profile, machine);
  const std::string json = (directory / "roofline.json").string(), page = (directory / "roofline.html").string();
  rp::save_roofline(json, profile, machine, before);
  rp::save_html(page, profile, machine, before, tool::vega_bundle());
  std::cout << "\nwrote " << json << " and " << page << '\n';
  return tool::ok;
}

const tool::command command(
    "roofline", "Train a network for some steps and place every op on this machine's roofline",
    [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.add_option("model", o->model,
                     rp::concat("Which network: ", tool::names(tool::digit_networks{}), "; a backend may lack ops"))
          ->capture_default_str();
      app.add_option("--steps", o->steps, "Steps to train, half of them timed call by call, half whole")
          ->capture_default_str()
          ->check(CLI::Range(2, 1'000'000));
      app.add_option("--data", o->data,
                     "Directory with MNIST's four IDX files (default: synthetic digits, drawn into data/digits)");
      app.add_option("--out", o->out, "Directory for roofline.json and roofline.html")->capture_default_str();
      app.add_option("--threads", o->threads, "Threads (default: all cores)")->check(CLI::Range(0, 1024));
      app.add_option("--seed", o->seed, "Of weights, shuffles and dropout")->capture_default_str();
      app.add_option("--backend", o->backend, rp::concat("Where to compute: ", tool::backend_names))
          ->capture_default_str();
      return [o] { return run(*o); };
    });

}  // namespace tool::roofline

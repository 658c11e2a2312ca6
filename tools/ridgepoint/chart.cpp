// SPDX-License-Identifier: MIT
// ridgepoint chart: a network's training step on several machines in one roofline chart; each step is measured here,
// read from a file or modelled, and labelled as such.
#include <iostream>
#include <memory>
#include <optional>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/study/network_chart.hpp>
#include <ridgepoint/study/network_chart_json.hpp>

#include "chart_machine.hpp"
#include "command_files.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "measured_training.hpp"
#include "number_option.hpp"
#include "one_of.hpp"
#include "vega_bundle.hpp"

namespace rp = ridgepoint;

namespace tool::chart {

struct options {
  tool::training_options training;
  std::string machines = "host,h200,tpu-v3", software = "recorded", gpu_precision, json, html, out = ".";
  std::size_t rows = 5;
};

rp::study::chart_step placed_here(const tool::ready_training& ready) {
  const auto [machine, profile, at] = ready.measure();
  return {.name = "host",
          .origin = rp::study::origin::measured,
          .how = rp::concat("by ", where_it_ran(profile, machine), " on ", machine.name, ", ", at.time, ", version ",
                            at.version),
          .note = busy_host(profile),
          .profile = profile,
          .machine = machine,
          .at = at};
}

/// Validates all input before measuring.
int run(const options& o) {
  const tool::training_options& t = o.training;
  std::optional<tool::ready_training> ready;
  tool::trained_network of = tool::network_named(t.model, t.step, t.seed);
  const std::vector<tool::chart_machine> machines = tool::machines_named(o.machines, of.name);
  const rp::gpu::software& software = rp::gpu::find_software(o.software);
  std::vector<std::string> read = tool::machine_files(o.machines);
  read.push_back(tool::data_directory(t.data, o.out));
  tool::check_files({.written = {o.json, o.html}, .read = read});
  const auto is_host = [](const tool::chart_machine& m) { return std::holds_alternative<tool::this_host>(m.is); };
  if (std::any_of(machines.begin(), machines.end(), is_host)) {
    ready = tool::made_ready("chart", t, tool::made_directory("chart", o.out));
    of = ready->of;  // a text's vocabulary is now known
  }
  const auto plan = [&](rp::index_t batch) {
    rp::compile_options one = of.options;
    one.batch = batch;
    one.precision = rp::precision::f32;  // the models choose their own formats
    rp::graph net(of.name);
    const std::vector<rp::objective> objectives = of.build(net);
    return rp::plan_training(net, objectives, of.optimiser, one);
  };
  const std::string title = rp::concat(of.name, t.step.network_text());
  const tool::chart_models models{
      .plan = plan, .batch = of.batch, .title = title, .software = software, .gpu_precision = o.gpu_precision};
  rp::study::network_chart chart{.network = title, .batch = of.batch, .steps = {}};
  for (const tool::chart_machine& m : machines)
    chart.steps.push_back(is_host(m) ? placed_here(*ready) : tool::placed_on(m, models));

  std::cout << rp::study::table(chart, o.rows) << '\n' << rp::study::plot(chart);
  if (!o.json.empty()) rp::save_json(o.json, to_json_document(chart));
  if (!o.html.empty()) rp::write_file(o.html, html(chart, tool::vega_bundle()));
  for (const std::string& file : {o.json, o.html})
    if (!file.empty()) std::cout << "wrote " << rp::printable(file) << '\n';
  return tool::ok;
}

const tool::command command(
    "chart", "Place a network's step on several machines in one chart, measured or modelled",
    [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      tool::add_training_options(app, o->training, " below --out)");
      app.add_option("--machines", o->machines, tool::which_machines())->capture_default_str();
      app.add_option("--software", o->software, "Software of modelled GPUs: " + rp::names_of(rp::gpu::known_software()))
          ->capture_default_str();
      app.add_option("--gpu-precision", o->gpu_precision,
                     "Format of modelled GPU products (default: f16 on tensor cores, else f32)")
          ->transform(tool::one_of({"f32", "tf32", "f16"}));
      app.add_option("--rows", o->rows, "Longest ops per machine in the table")
          ->check(tool::number_in(0, 1'000'000))
          ->capture_default_str();
      app.add_option("--json", o->json, "Write the chart's data to this file");
      app.add_option("--html", o->html, "Write a page with the chart to this file");
      app.add_option("--out", o->out, "Directory for synthetic data")->capture_default_str();
      app.footer(
          "--steps, --data, --threads, --algorithm and --precision apply to the host; a TPU uses its own format. Only "
          "the host runs the step; a step that a machine cannot run is listed with the reason.");
      return [o] { return run(*o); };
    });

}  // namespace tool::chart

// SPDX-License-Identifier: MIT
// ridgepoint roofline: the main command. Places a network's training step on machines: measured here, read from a file
// or modelled. One machine gets a table op by op, several share a chart; both are also written as JSON and a page.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <variant>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/learning.hpp>
#include <ridgepoint/roofline/communication.hpp>
#include <ridgepoint/roofline/html_json.hpp>
#include <ridgepoint/roofline/plot.hpp>
#include <ridgepoint/roofline/table.hpp>
#include <ridgepoint/study/network_chart.hpp>
#include <ridgepoint/study/network_chart_json.hpp>

#include "backends.hpp"
#include "command_files.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "measured_training.hpp"
#include "named_machine.hpp"
#include "number_option.hpp"
#include "one_of.hpp"
#include "vega_bundle.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

namespace tool::roofline {

struct options {
  tool::training_options training;
  std::string on = "host", software = "recorded", out = ".";
  std::string link;  // "": the usual one
  rp::index_t cores = 0, feed = 0, gpus = 1;
  std::optional<std::size_t> rows;
};

/// Trains for some steps; the table has the ceilings, the ops and the chart.
tool::step_on_machine measured_here(const tool::ready_training& ready) {
  std::cout << "memory of a step: " << ready.memory << std::endl;
  const auto [machine, profile, at] = ready.measure();
  return {.step = {.name = "host",
                   .origin = study::origin::measured,
                   .how = rp::concat("by ", where_it_ran(profile, machine), " on ", machine.name, ", ", at.time,
                                     ", version ", at.version),
                   .note = busy_host(profile),
                   .profile = profile,
                   .machine = machine,
                   .at = at},
          .table = [](const study::chart_step& step) {
            return rp::concat('\n', rp::table(step.machine, rp::roofs_for(step.profile)), '\n',
                              rp::table(step.profile, step.machine), '\n', rp::plot(step.profile, step.machine), '\n');
          }};
}

/// Prints the step on one machine, and writes its page and, unless `json` is empty, its JSON.
void show(const tool::step_on_machine& placed, const std::string& json, const std::string& page) {
  const study::chart_step& step = placed.step;
  if (!json.empty()) rp::save_roofline(json, step.profile, step.machine, step.at);
  rp::save_html(page, step.profile, step.machine, step.at, tool::vega_bundle());
  std::cout << placed.table(step) << "wrote " << (json.empty() ? "" : rp::printable(json) + " and ")
            << rp::printable(page) << '\n';
}

std::string link_names() {
  std::vector<std::string_view> names;
  for (const rp::network_link& each : rp::published_links()) names.push_back(each.name);
  return rp::names_of(names);
}

/// Validates all input before measuring.
int run(const options& o) {
  const tool::training_options& t = o.training;
  tool::step_options step = t.step;
  step.precision.clear();  // the host and the models check it
  tool::trained_network of = tool::network_named(t.model, step, t.seed);
  const rp::gpu::software& software = rp::gpu::find_software(o.software);
  const std::vector<tool::named_machine> machines = tool::machines_named("roofline", o.on, of.name);
  if (!o.link.empty()) static_cast<void>(rp::find_link(o.link));
  const bool measures = std::ranges::any_of(machines, &tool::named_machine::is_host);
  if (!measures && step.batch == 0)
    of.batch = std::ranges::find(known_networks(), of.name, &known_network::name)->batch;

  const std::filesystem::path directory = tool::made_directory("roofline", o.out);
  // A step that is shown again is in a file already.
  const bool writes_json = machines.size() > 1 || !std::holds_alternative<tool::saved_step>(machines[0].is);
  const std::string json = writes_json ? (directory / "roofline.json").string() : "",
                    page = (directory / "roofline.html").string();
  std::vector<std::string> read = tool::machine_files(o.on);
  read.push_back(tool::data_directory(t.data, directory));
  tool::check_files({.written = {json, page}, .read = read});
  std::optional<tool::ready_training> ready;
  if (measures) {
    ready = tool::made_ready("roofline", t, directory);
    of = ready->of;  // the vocabulary of a text is now known
  }
  tool::modelled_network network = tool::modelled_training(of, t.step, software);
  network.cores = o.cores;
  network.gpus = o.gpus;
  network.link = o.link;
  network.fed_per_s = static_cast<double>(o.feed);
  network.rows = o.rows.value_or(network.rows);
  if (machines.size() == 1 && t.step.optimiser.empty()) add_inference(network, of);  // a chart compares training steps
  if (machines.size() == 1) {
    show(measures ? measured_here(*ready) : tool::placed_on(machines[0], network), json, page);
    return tool::ok;
  }
  study::network_chart chart{.network = network.title, .batch = of.batch, .steps = {}};
  for (const tool::named_machine& m : machines)
    chart.steps.push_back(m.is_host() ? measured_here(*ready).step : tool::step_or_reason(m, network));
  tool::check_one_runs("roofline", chart.steps);
  std::cout << study::table(chart, o.rows.value_or(5)) << '\n' << study::plot(chart);
  rp::save_json(json, to_json_document(chart));
  rp::write_file(page, html(chart, tool::vega_bundle()));
  std::cout << "wrote " << rp::printable(json) << " and " << rp::printable(page) << '\n';
  return tool::ok;
}

const tool::command command(
    "roofline", "Compare a network's training step with measured or modelled rooflines",
    [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      tool::add_network_argument(app, "network", o->training.model, tool::known_networks())->capture_default_str();
      app.add_option("--on", o->on,
                     rp::concat("Machines, one or a list: ", tool::known_machines(),
                                "; or .json files that roofline, machine or machine --chip wrote"))
          ->capture_default_str();
      tool::add_training_options(app, o->training, " below --out)");
      app.add_option("--precision", o->training.step.precision,
                     "Number format: f32, bf16, f16 on host; f32, tf32, f16 on GPUs (default: f32; f16 on GPUs that "
                     "have it; TPUs: their own)")
          ->transform(tool::one_of({"f32", "tf32", "bf16", "f16", "int8"}));
      app.add_option("--backend", o->training.backend, rp::concat("Backend of the host: ", tool::backend_names))
          ->capture_default_str();
      app.add_option("--software", o->software, "Software of modelled GPUs: " + rp::names_of(rp::gpu::known_software()))
          ->capture_default_str();
      app.add_option("--cores", o->cores, "Cores of a modelled TPU (default: as many as share the batch evenly)")
          ->check(tool::number_in(1, 1 << 20));
      app.add_option("--gpus", o->gpus, "GPUs that share the batch, as --on 2xk80 does for one machine")
          ->check(tool::number_in(1, 1 << 16));
      app.add_option("--link", o->link, "Link between GPUs: " + link_names() + " (default: the GPU's)");
      app.add_option("--feed", o->feed, "Samples/s that a GPU's or TPU's host prepares (default: the model's)")
          ->check(tool::number_in(1, 1 << 30));
      app.add_option("--rows", o->rows, "Rows of a model's table (default: 40; in a chart 5 per machine)")
          ->check(tool::number_in(0, 1'000'000));
      app.add_option("--out", o->out, "Output directory: roofline.json, roofline.html, synthetic data")
          ->capture_default_str();
      app.footer(
          "host is this machine: it trains for --steps steps. Other machines are modelled, nothing runs there;\n"
          "they ignore --steps, --data, --threads, --seed, --algorithm, --backend. Several share a chart.\n\n"
          "Examples:\n"
          "  ridgepoint roofline resnet-50 --on h200 --batch 256\n"
          "  ridgepoint roofline paradnn-fc --set layers=32 --on host,tpu-v3,v100");
      return [o] { return run(*o); };
    });

}  // namespace tool::roofline

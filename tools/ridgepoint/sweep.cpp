// SPDX-License-Identifier: MIT
// ridgepoint sweep: a grid of networks and batches on machines. On one TPU: ParaDnn's networks as JSON lines, a page of
// charts, and the heat map as a Vega-Lite specification and in the terminal. On the host or on several machines: a row
// of JSON per point and machine, and a page of maps (sweep_machines.hpp).
#include <chrono>
#include <iostream>
#include <memory>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/mxu/chip_json.hpp>
#include <ridgepoint/study/charts_json.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "measurement/decimal.hpp"
#include "named_machine.hpp"
#include "number_option.hpp"
#include "one_of.hpp"
#include "step_options.hpp"
#include "sweep_families.hpp"
#include "sweep_machines.hpp"
#include "tpu_chip.hpp"
#include "vega_bundle.hpp"

namespace rp = ridgepoint;
using rp::index_t;
using rp::study::sweep_network;
using rp::study::sweep_row;

namespace tool::sweep {

struct options {
  std::vector<const CLI::Option*> of_rows, of_charts;  // options that only one kind of output has
  std::string networks, newer = "tpu-v3", gpu = "v100";
  bool quick = false, row = false;
  tool::step_options step;  // of --row
  tool::machine_sweep machines{.on = "tpu-v2"};
};

rp::json document(const sweep_row& r) {
  rp::json line{{"batch", r.batch}, {"fits", r.fits}};
  for (const auto& [name, value] : r.network->parameters) line[name] = value;
  const auto number = [&](const char* name, double value) {
    line[name] = std::isnan(value) ? rp::json(nullptr) : rp::json(value);
  };
  number("step_s", r.step_s);
  number("device_s", r.device_s);
  number("utilisation", r.utilisation);
  number("one_core_utilisation", r.one_core_utilisation);
  number("non_parallel_share", r.non_parallel_share);
  number("infeed_share", r.infeed_share);
  number("speed_up", r.speed_up);
  number("gpu_step_s", r.gpu_step_s);
  number("gpu_utilisation", r.gpu_utilisation);
  number("over_gpu", r.over_gpu);
  return line;
}

/// Prints how often and by how much the board is faster than the GPU.
void print_over_gpu(const std::vector<sweep_row>& rows, const rp::study::sweep_chips& chips) {
  std::vector<double> ratios, used;
  for (const sweep_row& r : rows) {
    if (!std::isnan(r.gpu_utilisation)) used.push_back(100 * r.gpu_utilisation);
    if (!std::isnan(r.over_gpu)) ratios.push_back(r.over_gpu);
  }
  if (ratios.empty()) return;
  const auto faster = static_cast<double>(std::ranges::count_if(ratios, [](double ratio) { return ratio > 1; }));
  std::cout << rp::printable(chips.board.name) << " over GPU " << chips.gpu.on.name << " in " << to_string(chips.gpu.in)
            << ": faster for " << rp::figures(100 * faster / static_cast<double>(ratios.size())) << " % of "
            << ratios.size() << ", median " << rp::figures(rp::median(ratios)) << ", "
            << rp::figures(rp::quantile(ratios, 0)) << " to " << rp::figures(rp::quantile(ratios, 1))
            << "; highest utilisation of the GPU " << rp::figures(rp::quantile(used, 1)) << " %\n";
}

tool::sweep_grid grid_of(const options& o) {
  return tool::published_grid(o.networks, o.quick ? tool::extent_of_sweep::drawn : tool::extent_of_sweep::all);
}

/// Draws a family of ParaDnn's networks on a model of a TPU.
int draw(const options& o) {
  const std::string& on = o.machines.on;
  rp::study::sweep_chips chips{tool::tpu_named("sweep: --on", on), tool::tpu_named("sweep: --newer", o.newer)};
  const rp::gpu::chip& gpu = rp::gpu::find_chip(o.gpu);
  const tool::sweep_grid grid = grid_of(o);
  const tool::family f = tool::family_of(o.networks, grid);
  chips.gpu = f.gpu;
  chips.gpu.on = gpu;
  check(chips.gpu);
  const std::filesystem::path directory = tool::made_directory("sweep", o.machines.out);
  const std::string stem = "tpu_sweep_" + o.networks;
  const std::string json = (directory / (stem + ".jsonl")).string(), page = (directory / (stem + ".html")).string(),
                    chart = (directory / (stem + ".vl.json")).string();
  tool::check_files({.written = {json, page, chart}, .read = {tool::json_file(on), tool::json_file(o.newer)}});
  const auto start = std::chrono::steady_clock::now();
  std::vector<sweep_row> rows;
  std::string lines;
  for (const sweep_network& network : f.networks)
    for (const index_t batch : f.batches) {
      rows.push_back(sweep_one(chips, network, batch));
      lines += rp::json_text(document(rows.back()), -1) + '\n';
    }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  const rp::study::heat_map used = map_of(rows,
                                          rp::concat("modelled: utilisation of TPU ", rp::printable(chips.board.name),
                                                     ", ", chips.board.cores(), " cores, %"),
                                          f.width_name, 100, rp::study::used_percent);
  std::cout << text(used) << '\n';
  const rp::study::box_chart faster = speed_ups(rows, "");
  double most = 0, most_one = 0, best = 0;
  std::vector<double> non_parallel;
  for (const sweep_row& r : rows) {
    if (r.fits) most = std::max(most, r.utilisation);
    if (!std::isnan(r.one_core_utilisation)) most_one = std::max(most_one, r.one_core_utilisation);
    if (r.fits && r.batch == f.batches.back() && !std::isnan(r.non_parallel_share))
      non_parallel.push_back(100 * r.non_parallel_share);
    if (!std::isnan(r.speed_up)) best = std::max(best, r.speed_up);
  }
  std::cout << "highest utilisation: " << rp::figures(100 * most) << " % on " << chips.board.cores() << " cores, "
            << rp::figures(100 * most_one) << " % on one\n";
  if (!non_parallel.empty())
    std::cout << "not parallel by Amdahl's law, batch " << f.batches.back() << ": median "
              << rp::figures(rp::median(non_parallel)) << " %, 90th percentile "
              << rp::figures(rp::quantile(non_parallel, 0.9)) << " %, highest "
              << rp::figures(rp::quantile(non_parallel, 1)) << " %\n";
  if (const auto fit = utilisation_weights(rows)) {
    std::cout << "standardised weights in the utilisation:";
    for (const auto& bar : chart_of(*fit, "").bars)
      std::cout << ' ' << bar.name << ' ' << rp::figures(bar.value, 2) << ';';
    std::cout << " R2 " << rp::figures(fit->r2, 2) << '\n';
  }
  std::cout << rp::printable(chips.newer.name) << " over " << rp::printable(chips.board.name)
            << " with twice the batch, medians:";
  for (const auto& box : faster.boxes) std::cout << ' ' << box.name << ' ' << rp::figures(box.middle) << ';';
  std::cout << " highest end to end " << rp::figures(best) << '\n';
  print_over_gpu(rows, chips);

  rp::write_file(json, lines);
  rp::write_file(page, sweep_page(rows, chips, f.name, f.width_name, tool::vega_bundle()));
  rp::write_file(chart, rp::json_text(vega_specification(used), 1) + '\n');
  std::cout << rows.size() << " networks and batches in " << rp::figures(elapsed.count()) << " s; wrote " << stem
            << ".jsonl, .html and .vl.json in " << rp::printable(directory.string()) << '\n';
  return tool::ok;
}

/// True for a published TPU, or a chip's file.
bool is_one_tpu(const std::string& on) {
  return tool::published_tpu(on) != nullptr || (on.ends_with(".json") && on.find(',') == std::string::npos);
}

/// Throws: value_error if one of these options is given.
void refuse(const std::vector<const CLI::Option*>& options, std::string_view reason) {
  for (const CLI::Option* option : options)
    rp::require<rp::value_error>(option->count() == 0, "sweep: ", option->get_name(), " is ", reason);
}

int run(const options& o) {
  const bool known = std::ranges::find(tool::published_grids, o.networks) != tool::published_grids.end();
  if (o.row) return tool::sweep_here({o.networks, o.step.network, o.step.batch}, o.machines);
  const bool file = o.networks.ends_with(".json");
  rp::require<rp::value_error>(known || file, "sweep: networks is ", rp::printable(o.networks), "; must be ",
                               rp::names_of(tool::published_grids),
                               " or a file ending in .json, or a network with --row");
  if (known && tool::is_family(o.networks) && is_one_tpu(o.machines.on)) {
    refuse(o.of_rows, "for rows; --on must be host, another machine or a list");
    return draw(o);
  }
  refuse(o.of_charts, "for charts; --on must be one TPU, and networks fc, cnn or rnn");
  return tool::sweep_machines(known ? grid_of(o) : tool::load_grid(o.networks), o.machines);
}

/// Parses "2/8".
std::string set_shard(tool::machine_sweep& to, const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto shard = measurement::decimal<std::uint64_t>(text.substr(0, slash)),
             shards = measurement::decimal<std::uint64_t>(text.substr(std::min(slash + 1, text.size())));
  if (!shard || !shards || *shard < 1 || *shard > *shards || *shards > 1'000'000)
    return "is " + text + "; must be I/N with I from 1 to N, as 1/4";
  to.shard = *shard, to.shards = *shards;
  return "";
}

const tool::command command(
    "sweep", "Compare machines over a grid of networks: ParaDnn's or your own", [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.add_option(
             "networks", o->networks,
             "ParaDnn's fully connected (fc), convolutional (cnn) or recurrent (rnn) networks; study-a; or a grid's "
             ".json file; with --row one network")
          ->transform(tool::in_any_case({tool::published_grids.begin(), tool::published_grids.end()}))
          ->required();
      tool::machine_sweep& m = o->machines;
      app.add_option(
             "--on", m.on,
             rp::concat("A TPU or a file of machine --chip: charts of its scaling. Else a list of machines, a row "
                        "for each: ",
                        tool::known_machines()))
          ->capture_default_str();
      app.add_option("--newer", o->newer, "Charts: TPU to compare with, at twice the batch")->capture_default_str();
      app.add_option("--gpu", o->gpu, "Charts: GPU to compare with, in ParaDnn's software and number format")
          ->capture_default_str();
      app.add_flag("--quick", o->quick, "Only the networks of the heat map");
      app.add_option("--software", m.software, "Rows: software of GPUs: " + rp::names_of(rp::gpu::known_software()))
          ->capture_default_str();
      const auto add_seconds = [&app](const char* name, double& to, const char* description) {
        app.add_option_function<std::string>(
               name,
               [&to, name](const std::string& text) {
                 to = tool::seconds_in(text);
                 if (!(to >= 1e-3 && to <= 1e8))
                   throw CLI::ValidationError(name, "is " + text + "; must be a time such as 90s, 20min or 2h");
               },
               description)
            ->type_name("TIME");
      };
      app.add_option("--feed", m.fed_per_s,
                     "Rows: samples/s that a GPU's or TPU's host prepares (default: the model's)")
          ->check(tool::number_in(1, 1 << 30));
      add_seconds("--budget", m.budget_s, "Rows: end after this time, as 20min (default: no limit)");
      add_seconds("--limit", m.limit_s, "Rows: longest time of a measured point (default: 60s)");
      add_seconds("--step-seconds", m.step_seconds, "Rows: time of a point's measured steps (default: 1s)");
      app.add_option_function<std::string>(
             "--shard",
             [&m](const std::string& text) {
               if (const std::string wrong = set_shard(m, text); !wrong.empty())
                 throw CLI::ValidationError("--shard", wrong);
             },
             "Rows: only this part of the points, as 1/4")
          ->type_name("I/N");
      app.add_option("--threads", m.threads, "Rows: threads of the host, and of models (default: all cores)")
          ->check(tool::thread_counts());
      CLI::Option* const row = app.add_flag("--row", o->row, "Measure one network here and print its row");
      tool::add_set_option(app, o->step.network);
      app.get_option("--set")->needs(row);
      app.get_option("--feed")->excludes(row);
      app.add_option("--batch", o->step.batch, "With --row: samples per step")
          ->check(tool::number_in(1, 1 << 30))
          ->needs(row);
      app.add_option("--out", m.out, "Output directory")->capture_default_str();
      for (const char* name : {"--newer", "--gpu"}) o->of_charts.push_back(app.get_option(name));
      for (const char* name : {"--software", "--feed", "--budget", "--limit", "--step-seconds", "--shard", "--threads"})
        o->of_rows.push_back(app.get_option(name));
      app.footer(
          "Charts: tpu_sweep_NETWORKS.jsonl, .html and .vl.json. Rows: sweep_NETWORKS.jsonl and .html; points\n"
          "spread over the grid come first; repeat the command to resume. Points of the host train in a process\n"
          "of their own; out of memory and out of time are results.\n\nExamples:\n"
          "  ridgepoint sweep fc --quick\n"
          "  ridgepoint sweep fc --on host,v100,tpu-v2 --budget 20min\n"
          "  ridgepoint sweep paradnn-fc --row --set layers=4,nodes=64 --batch 64");
      return [o] { return run(*o); };
    });

}  // namespace tool::sweep

// SPDX-License-Identifier: MIT
// ridgepoint sweep fc|cnn|rnn: ParaDnn's networks over their ranges on a model of a TPU, as JSON lines, a page of
// charts, and the heat map as a Vega-Lite specification and in the terminal.
#include <chrono>
#include <iostream>
#include <memory>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/mxu/chip_json.hpp>
#include <ridgepoint/study/charts_json.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "one_of.hpp"
#include "sweep_families.hpp"
#include "tpu_chip.hpp"
#include "vega_bundle.hpp"

namespace rp = ridgepoint;
using rp::index_t;
using rp::study::sweep_network;
using rp::study::sweep_row;

namespace tool::sweep {

struct options {
  std::string family, on = "tpu-v2", newer = "tpu-v3", gpu = "v100", out = ".";
  bool quick = false;
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

int run(const options& o) {
  rp::study::sweep_chips chips{tool::tpu_named("sweep: --on", o.on), tool::tpu_named("sweep: --newer", o.newer)};
  const rp::gpu::chip& gpu = rp::gpu::find_chip(o.gpu);
  const auto which = o.quick ? tool::extent_of_sweep::drawn : tool::extent_of_sweep::all;
  const tool::family f = o.family == "fc"    ? tool::fc_family(which)
                         : o.family == "cnn" ? tool::cnn_family(which)
                                             : tool::rnn_family(which);
  chips.gpu = f.gpu;
  chips.gpu.on = gpu;
  check(chips.gpu);
  const std::filesystem::path directory = tool::made_directory("sweep", o.out);
  const std::string stem = "tpu_sweep_" + o.family;
  const std::string json = (directory / (stem + ".jsonl")).string(), page = (directory / (stem + ".html")).string(),
                    chart = (directory / (stem + ".vl.json")).string();
  tool::check_files({.written = {json, page, chart}, .read = {tool::json_file(o.on), tool::json_file(o.newer)}});
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
                                          f.width_name, 100, [](const sweep_row& r) { return 100 * r.utilisation; });
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

const tool::command command(
    "sweep", "Model ParaDnn's networks on TPUs and a GPU: utilisation, scaling, infeed",
    [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.add_option("family", o->family, "Networks: fully connected, convolutional or recurrent")
          ->transform(tool::one_of({"fc", "cnn", "rnn"}))
          ->required();
      app.add_option(
             "--on", o->on,
             rp::concat("TPU: ", rp::names_of(tool::tpu_names()), "; or a .json file that machine --chip wrote"))
          ->capture_default_str();
      app.add_option("--newer", o->newer, "TPU to compare with, at twice the batch; as --on")->capture_default_str();
      app.add_option("--gpu", o->gpu,
                     rp::concat("GPU to compare with, with ParaDnn's software and number format: ",
                                rp::names_of(rp::gpu::published_chips())))
          ->capture_default_str();
      app.add_flag("--quick", o->quick, "Only the networks of the heat map");
      app.add_option("--out", o->out, "Output directory: tpu_sweep_<family>.jsonl, .html and .vl.json")
          ->capture_default_str();
      return [o] { return run(*o); };
    });

}  // namespace tool::sweep

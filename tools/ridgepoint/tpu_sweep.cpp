// SPDX-License-Identifier: MIT
// ridgepoint tpu sweep fc|cnn|rnn: ParaDnn's networks over their ranges on a model of a TPU, as JSON lines, a page of
// charts and a heat map in the terminal.
#include <chrono>
#include <iostream>
#include <memory>

#include <ridgepoint/core/atomic_file.hpp>
#include <ridgepoint/models/paradnn_cnn.hpp>
#include <ridgepoint/models/paradnn_rnn.hpp>
#include <ridgepoint/study/graph_on_tpu.hpp>
#include <ridgepoint/study/paradnn_fc.hpp>
#include <ridgepoint/study/tpu_sweep.hpp>

#include "commands.hpp"
#include "tpu_chip.hpp"

namespace rp = ridgepoint;
using rp::index_t;
using rp::study::placed_step;
using rp::study::sweep_network;
using rp::study::sweep_row;

namespace {

struct options {
  std::string family = "fc", chip = "v2", newer = "v3", out = ".";
  bool quick = false;
};

/// What is swept: networks, batches, and what their width is called.
struct family {
  std::string name, width_name;
  std::vector<index_t> batches;
  std::vector<sweep_network> networks;
};

/// A graph's training step.
template <class Model>
placed_step place_graph(const Model& model, const rp::tpu::chip& on, index_t batch, index_t cores) {
  rp::graph net{std::string(Model::name)};
  const rp::node output = model.build(net);
  const auto plan = rp::plan_training<float>(net, output, typename Model::loss{}, typename Model::optimiser{},
                                             {.batch = rp::tpu::batch_per_core(on, batch, cores)});
  return {modelled(on, plan, cores), fits(on, rp::tpu::memory_of(plan))};
}

family fc_family(bool quick) {
  family f{"fully connected networks", "nodes per layer", {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384}, {}};
  for (const index_t layers : {4, 8, 16, 32, 64, 128})
    for (const index_t node : {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192})
      for (const index_t input : {2000, 4000, 6000, 8000})
        for (const index_t output : {200, 400, 600, 800, 1000}) {
          const bool drawn = layers == 32 && input == 2000 && output == 1000;
          if (quick && !drawn) continue;
          f.networks.push_back({{{"layers", layers}, {"nodes", node}, {"inputs", input}, {"outputs", output}},
                                node,
                                drawn,
                                [=](const rp::tpu::chip& on, index_t batch, index_t cores) {
                                  const rp::study::fc_shape s{layers, node, input, output, batch};
                                  return placed_step{fc_step(on, s, cores), fits(on, fc_memory(s, cores))};
                                }});
        }
  return f;
}
family cnn_family(bool quick) {
  family f{"convolutional networks", "filters", {64, 128, 256, 512, 1024}, {}};
  for (const bool bottleneck : {false, true})
    for (index_t blocks = 1; blocks <= 8; ++blocks)
      for (const index_t filters : {16, 32, 64})
        for (const index_t pixels : {200, 250, 300})
          for (const index_t outputs : {500, 1000, 1500}) {
            const bool drawn = bottleneck && blocks == 4 && pixels == 200 && outputs == 1000;
            if (quick && !drawn) continue;
            const rp::models::paradnn_cnn model{.bottleneck = bottleneck,
                                                .blocks = {blocks, blocks, blocks, blocks},
                                                .filters = filters,
                                                .pixels = pixels,
                                                .outputs = outputs};
            f.networks.push_back({{{"bottleneck", bottleneck},
                                   {"blocks", blocks},
                                   {"filters", filters},
                                   {"pixels", pixels},
                                   {"outputs", outputs}},
                                  filters,
                                  drawn,
                                  [=](const rp::tpu::chip& on, index_t batch, index_t cores) {
                                    return place_graph(model, on, batch, cores);
                                  }});
          }
  return f;
}
template <class Model>
void add_recurrent(family& f, index_t gates, bool quick) {
  for (const index_t layers : {1, 5, 9, 13})
    for (const index_t width : {100, 500, 900})
      for (const index_t steps : {10, 50, 90})
        for (const index_t vocabulary : {2, 8, 32, 128, 512}) {
          const bool drawn = gates == 4 && layers == 5 && steps == 50 && vocabulary == 512;
          if (quick && !drawn) continue;
          const Model model{.layers = layers, .width = width, .vocabulary = vocabulary, .steps = steps};
          f.networks.push_back(
              {{{"gates", gates}, {"layers", layers}, {"width", width}, {"steps", steps}, {"vocabulary", vocabulary}},
               width,
               drawn,
               [=](const rp::tpu::chip& on, index_t batch, index_t cores) {
                 return place_graph(model, on, batch, cores);
               }});
        }
}
family rnn_family(bool quick) {
  family f{"recurrent networks", "units", {16, 64, 256, 1024}, {}};
  add_recurrent<rp::models::paradnn_rnn>(f, 1, quick);
  add_recurrent<rp::models::paradnn_gru>(f, 3, quick);
  add_recurrent<rp::models::paradnn_lstm>(f, 4, quick);
  return f;
}

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
  number("infeed_share", r.infeed_share);
  number("speed_up", r.speed_up);
  return line;
}

int run(const options& o) {
  const rp::study::sweep_chips chips{tool::chip_named(o.chip), tool::chip_named(o.newer)};
  const family f = o.family == "fc"    ? fc_family(o.quick)
                   : o.family == "cnn" ? cnn_family(o.quick)
                                       : rnn_family(o.quick);
  const std::filesystem::path directory = tool::made_directory("tpu sweep", o.out);
  const auto start = std::chrono::steady_clock::now();
  std::vector<sweep_row> rows;
  std::string lines;
  for (const sweep_network& network : f.networks)
    for (const index_t batch : f.batches) {
      rows.push_back(sweep_one(chips, network, batch));
      lines += document(rows.back()).dump() + '\n';
    }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  const rp::study::heat_map used = map_of(
      rows, rp::concat("modelled: utilisation of TPU ", chips.board.name, ", ", chips.board.cores(), " cores, %"),
      f.width_name, 100, [](const sweep_row& r) { return 100 * r.utilisation; });
  std::cout << text(used) << '\n';
  const rp::study::box_chart faster = speed_ups(rows, "");
  double most = 0, most_one = 0, best = 0;
  for (const sweep_row& r : rows) {
    if (r.fits) most = std::max(most, r.utilisation);
    if (!std::isnan(r.one_core_utilisation)) most_one = std::max(most_one, r.one_core_utilisation);
    if (!std::isnan(r.speed_up)) best = std::max(best, r.speed_up);
  }
  std::cout << "highest utilisation: " << rp::figures(100 * most) << " % on " << chips.board.cores() << " cores, "
            << rp::figures(100 * most_one) << " % on one\n"
            << chips.newer.name << " over " << chips.board.name << " with twice the batch, medians:";
  for (const auto& box : faster.boxes) std::cout << ' ' << box.name << ' ' << rp::figures(box.middle) << ';';
  std::cout << " highest end to end " << rp::figures(best) << '\n';

  const std::string stem = "tpu_sweep_" + o.family;
  rp::atomic_file json((directory / (stem + ".jsonl")).string());
  json.write(lines);
  json.commit();
  rp::atomic_file page((directory / (stem + ".html")).string());
  page.write(sweep_page(rows, chips, f.name, f.width_name));
  page.commit();
  std::cout << rows.size() << " networks and batches in " << rp::figures(elapsed.count()) << " s; wrote " << stem
            << ".jsonl and " << stem << ".html in " << directory.string() << '\n';
  return tool::ok;
}

const tool::command command(
    "tpu sweep", "Model ParaDnn's networks over their ranges: utilisation, scaling, v3 over v2, infeed",
    [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.add_option("family", o->family, "fc, cnn or rnn")->check(CLI::IsMember({"fc", "cnn", "rnn"}))->required();
      app.add_option("--chip", o->chip, "The board: v2, v2-spec, v3, v3-spec, or a file ending in .json")
          ->capture_default_str();
      app.add_option("--newer", o->newer, "The board it is compared with, at twice the batch")->capture_default_str();
      app.add_flag("--quick", o->quick, "Only the networks of the heat map");
      app.add_option("--out", o->out, "Directory for tpu_sweep_<family>.jsonl and .html")->capture_default_str();
      return [o] { return run(*o); };
    });

}  // namespace

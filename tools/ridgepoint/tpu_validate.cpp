// SPDX-License-Identifier: MIT
// ridgepoint tpu validate: the TPU model against everything published it can be held against, each error shown.
// ridgepoint tpu calibrate: the fitted constants of TPU v2, derived again from the published measurements.
#include <iostream>
#include <memory>

#include <ridgepoint/core/atomic_file.hpp>
#include <ridgepoint/mxu/chip_json.hpp>
#include <ridgepoint/roofline/text_table.hpp>
#include <ridgepoint/study/calibrate.hpp>
#include <ridgepoint/study/targets/all.hpp>

#include "commands.hpp"
#include "tpu_families.hpp"
#include "writable.hpp"

namespace rp = ridgepoint;
using rp::study::comparison;
using rp::study::demand;

namespace tool::tpu_validate {

struct options {
  std::string data, json, chip;
  std::vector<std::string> only;
};

std::string demanded(const comparison& c) {
  switch (c.wanted) {
    case demand::equal:
      return "equal";
    case demand::within:
      return rp::concat("within ", rp::figures(100 * c.limit), " %");
    case demand::points:
      return rp::concat("within ", rp::figures(c.limit), " points");
    case demand::at_most:
      return rp::concat("at most ", rp::figures(c.limit));
    case demand::at_least:
      return rp::concat("at least ", rp::figures(c.limit));
    case demand::none:
      break;
  }
  return "shown";
}
std::string cell(double value) { return std::isnan(value) ? "" : rp::figures(value, 4); }

void print(const rp::study::target& t, const rp::study::target_result& r) {
  std::cout << t.name << ": " << t.title << "\n";
  if (!r.lines.empty()) {
    rp::text_table table{.head = {"", "ours", "theirs", "error, %", "demanded", ""}, .align = "lrrrll"};
    for (const comparison& c : r.lines)
      table.rows.push_back({c.what, cell(c.ours), cell(c.theirs),
                            std::isnan(c.error()) ? "" : rp::figures(100 * c.error(), 2), demanded(c),
                            c.wanted == demand::none ? ""
                            : c.holds()              ? "holds"
                                                     : "FALLS SHORT"});
    std::cout << table.text();
  }
  std::cout << r.verdict() << "; " << r.rows << " rows";
  if (r.judged() > 0) std::cout << "; " << r.differences() << " of " << r.judged() << " demands not met";
  std::cout << (r.note.empty() ? "" : "\nnote: " + r.note) << "\n\n";
}

struct placed_resnet {
  double images_per_s = 0, utilisation = 0;
};
placed_resnet model_resnet(const rp::tpu::chip& on) {
  const rp::tpu::modelled_step step = tool::place_graph(rp::models::paradnn_cnn{}, on, 1024, on.cores()).step;
  return {1024 / step.step_s, 100 * step.quoted_utilisation()};
}

/// ParaDnn's convolutional and recurrent networks, of which only maxima are published. Of the convolutional ones those
/// with 1000 outputs.
rp::study::target_result compare_graphs(const std::filesystem::path&) {
  const rp::study::sweep_chips chips{rp::tpu::find_chip("v2"), rp::tpu::find_chip("v3")};
  rp::study::target_result r{.lines = {}};
  const auto highest = [&](const tool::family& f, const auto& keep) {
    double board = 0, one = 0, faster = 0;
    for (const rp::study::sweep_network& n : f.networks) {
      if (!keep(n)) continue;
      for (const rp::index_t batch : f.batches) {
        const rp::study::sweep_row row = sweep_one(chips, n, batch);
        if (row.fits) board = std::max(board, 100 * row.utilisation);
        if (!std::isnan(row.one_core_utilisation)) one = std::max(one, 100 * row.one_core_utilisation);
        if (!std::isnan(row.speed_up)) faster = std::max(faster, row.speed_up);
        ++r.rows;
      }
    }
    return std::array{board, one, faster};
  };
  const auto cnn = highest(tool::cnn_family(tool::extent_of_sweep::all), [](const rp::study::sweep_network& n) {
    return n.parameters.back() == std::pair<std::string, rp::index_t>("outputs", 1000);
  });
  const auto bottleneck = highest(tool::cnn_family(tool::extent_of_sweep::all), [](const rp::study::sweep_network& n) {
    return n.parameters.front().second == 1 && n.parameters.back().second == 1000 && n.parameters[2].second == 64;
  });
  const auto rnn = highest(tool::rnn_family(tool::extent_of_sweep::all), [](const auto&) { return true; });
  const placed_resnet resnet = model_resnet(chips.board);
  r.lines = {{"CNN on 8 cores, highest, % of 180 TFLOP/s", cnn[0], 40, demand::points, 12},
             {"the same, bottleneck blocks and 64 filters only", bottleneck[0], 40, demand::points, 12},
             {"CNN on 1 core, highest, %", cnn[1], 55, demand::points, 12},
             {"CNN end to end, v3 over v2, twice the batch, highest", cnn[2], 2.31, demand::within, 0.10},
             {"RNN end to end, v3 over v2, twice the batch, highest", rnn[2], 3.11, demand::within, 0.20},
             {"RNN on 8 cores, highest, % (published: below 26)", rnn[0], 26},
             {"ResNet-50, batch 1024 on 8 cores, images/s (published: about 3000)", resnet.images_per_s, 3000},
             {"ResNet-50, the same, % of 180 TFLOP/s", resnet.utilisation, std::nan("")}};
  r.note =
      "nothing is fitted to these; no measurements of single networks are public. The figure for RNN counts one time "
      "step of the loop, as the profiler did, or all of them: which one the paper does not say";
  return r;
}

const std::vector<rp::study::target>& all_targets() {
  static const std::vector<rp::study::target> all = [] {
    std::vector<rp::study::target> targets = rp::study::tpu_targets();
    targets.push_back({"cnn-rnn", "TPU v2 and v3: CNN and RNN, published maxima", {}, compare_graphs});
    return targets;
  }();
  return all;
}
const rp::study::target& target_named(const std::string& name) {
  std::string known;
  for (const rp::study::target& t : all_targets()) {
    if (t.name == name) return t;
    known += (known.empty() ? "" : ", ") + t.name;
  }
  throw rp::value_error(rp::concat("validate: no target is called ", name, "; must be one of ", known));
}

rp::json document(const rp::study::target& t, const rp::study::target_result& r) {
  rp::json lines = rp::json::array();
  for (const comparison& c : r.lines) {
    rp::json line{{"what", c.what}, {"ours", c.ours}, {"demanded", demanded(c)}, {"holds", c.holds()}};
    if (!std::isnan(c.theirs)) line["theirs"] = c.theirs;
    if (!std::isnan(c.error())) line["error"] = c.error();
    lines.push_back(std::move(line));
  }
  return {{"target", t.name},
          {"title", t.title},
          {"verdict", r.verdict()},
          {"rows", r.rows},
          {"judged", r.judged()},
          {"not_met", r.differences()},
          {"differences", r.differing.value_or(r.differences())},
          {"errors", std::move(lines)},
          {"note", r.note}};
}

int validate(const options& o) {
  rp::json documents = rp::json::array();
  bool short_of_one = false;
  std::vector<const rp::study::target*> targets;
  for (const std::string& name : o.only) targets.push_back(&target_named(name));
  if (o.only.empty())
    for (const rp::study::target& t : all_targets()) targets.push_back(&t);
  tool::check_writable(o.json);
  rp::text_table summary{.head = {"target", "rows", "demands", "not met", "verdict"}, .align = "lrrrl"};
  for (const rp::study::target* t : targets) {
    const rp::study::target_result r = evaluate(*t, o.data);
    print(*t, r);
    documents.push_back(document(*t, r));
    short_of_one |= r.differences() > 0;
    summary.rows.push_back(
        {t->name, rp::concat(r.rows), rp::concat(r.judged()), rp::concat(r.differences()), r.verdict()});
  }
  std::cout << summary.text();
  if (!o.json.empty()) rp::write_file(o.json, documents.dump(2) + '\n');
  return short_of_one ? tool::failed : tool::ok;
}

int calibrate(const options& o) {
  tool::check_writable(o.chip);
  rp::tpu::chip on = rp::tpu::find_chip("v2");
  const rp::tpu::calibration before = on.fit;
  on.fit = rp::study::fit_all(on, o.data);
  rp::text_table table{.head = {"constant", "fitted", "in the program"}, .align = "lrr"};
  std::map<std::string, double> stored;
  rp::tpu::detail::for_each_constant(before, [&](const char* name, double value) { stored[name] = value; });
  rp::tpu::detail::for_each_constant(on.fit, [&](const char* name, double value) {
    table.rows.push_back({name, rp::figures(value, 4), rp::figures(stored[name], 4)});
  });
  std::cout << "TPU v2-8, from traces and step times of networks with 4 or 32 layers and input 2000; copy_stream is "
               "quoted, not fitted\n\n"
            << table.text();
  if (!o.chip.empty()) rp::tpu::save_chip(o.chip, on);
  return on.fit == before ? tool::ok : tool::failed;
}

const tool::command validate_command(
    "tpu validate", "Compare the TPU model with published measurements, each error shown",
    [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.add_option("--data", o->data, "Directory with the published tables (paradnn_tpu_fc.csv, scalesim.csv …)")
          ->required();
      app.add_option("--only", o->only, "Only this target; may be repeated")->allow_extra_args(false);
      app.add_option("--json", o->json, "Write one object per target to this file");
      return [o] { return validate(*o); };
    });
const tool::command calibrate_command(
    "tpu calibrate", "Fit TPU v2's constants again; exit code 1 if they changed", [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.add_option("--data", o->data, "Directory with ParaDnn's published tables")->required();
      app.add_option("--chip", o->chip, "Write v2 with these constants to this file");
      return [o] { return calibrate(*o); };
    });

}  // namespace tool::tpu_validate

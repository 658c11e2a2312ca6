// SPDX-License-Identifier: MIT
// ridgepoint mxu accuracy: the effect of a TPU matrix unit's number format on a network trained in fp32, and on its
// training.
#include <cmath>
#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/all.hpp>
#include <ridgepoint/mxu/all.hpp>
#include <ridgepoint/roofline/strict_json.hpp>
#include <ridgepoint/roofline/text_table.hpp>
#include <ridgepoint/study/numerics.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "networks.hpp"
#include "number_option.hpp"
#include "seed_option.hpp"
#include "tpu_chip.hpp"
#include "trained_network.hpp"

namespace rp = ridgepoint;

namespace tool::mxu_accuracy {

struct options {
  std::string model = "mnist-mlp", chip = "tpu-v2", data, checkpoint, json;
  std::vector<std::string> formats;
  int epochs = -1, steps = 20, threads = 0;
  std::uint64_t seed = 42;
};

/// A format's row of the report.
struct result {
  rp::systolic::number_format format = {};
  rp::output_difference test;
  std::vector<double> losses;  // of training in that format
};

/// Returns losses of the first `steps` training steps, from the same start on every backend.
template <class Backend>
std::vector<double> first_losses(const tool::trained_network& of, const Backend& on, const options& o,
                                 const rp::dataset& data) {
  rp::graph net(of.name);
  auto trainer = of.trainer(on, net, of.build(net));
  rp::feeder<float> batches(data, trainer.learning().form());
  batches.shuffle(o.seed, 0);
  const rp::index_t per_epoch = data.size() / of.batch;
  std::vector<double> losses;
  tool::progress_bar bar("training on " + on.name());
  for (int step = 0; step < o.steps && per_epoch > 0; ++step) {
    batches.take(step % per_epoch * of.batch, of.batch);
    losses.push_back(trainer.step(batches.x(), batches.targets()));
    bar.show(step + 1, o.steps);
  }
  return losses;
}

/// Trains in fp32, or loads a checkpoint.
template <class Trainer>
void obtain(const tool::trained_network& of, Trainer& trainer, const options& o, const rp::dataset& data) {
  if (!o.checkpoint.empty()) return trainer.load_parameters(o.checkpoint);
  const int epochs = o.epochs >= 0 ? o.epochs : of.epochs;
  tool::progress_bar bar(rp::concat("training ", of.name, " in fp32, ", epochs, " epochs"));
  static_cast<void>(trainer.fit(data, {.epochs = epochs}, [&](const rp::progress& p) {
    bar.show((p.epoch - 1) * p.steps + p.step, p.epochs * p.steps, rp::concat("loss ", rp::figures(p.loss)));
    return true;
  }));
}

double largest_gap(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

void print(const std::string& title, const std::string& fp32_on, const std::vector<result>& results,
           const std::vector<double>& fp32) {
  rp::text_table t{.head = {"format", "accuracy", "changed", "mean |error|", "max |error|", "of max |logit|"},
                   .units = {"", "%", "predictions", "", "", "%"},
                   .align = "lrrrrr"};
  const rp::output_difference& any = results.front().test;
  t.rows.push_back({"fp32 on " + fp32_on, rp::figures(100 * any.expected_accuracy(), 5)});
  for (const result& r : results)
    t.rows.push_back({std::string(to_string(r.format)) + " on the MXU", rp::figures(100 * r.test.accuracy(), 5),
                      rp::concat(r.test.changed), rp::figures(r.test.mean_error), rp::figures(r.test.largest_error),
                      rp::figures(100 * r.test.largest_error / r.test.largest_output)});
  std::cout << rp::printable(title) << ", " << any.samples << " test samples\n\n" << t.text();
  if (fp32.empty()) return;
  rp::text_table losses{.head = {"training loss", "step 1", rp::concat("step ", fp32.size()), "largest gap"},
                        .align = "lrrr"};
  losses.rows.push_back({"fp32 on " + fp32_on, rp::figures(fp32.front(), 6), rp::figures(fp32.back(), 6)});
  for (const result& r : results)
    losses.rows.push_back({std::string(to_string(r.format)) + " on the MXU", rp::figures(r.losses.front(), 6),
                           rp::figures(r.losses.back(), 6), rp::figures(largest_gap(r.losses, fp32))});
  std::cout << '\n' << losses.text();
}

void write_json(const options& o, const rp::tpu::chip& chip, const std::string& fp32_on,
                const std::vector<result>& results, const std::vector<double>& fp32) {
  const rp::output_difference& any = results.front().test;
  nlohmann::ordered_json json{{"schema", "ridgepoint.mxu_accuracy"},
                              {"schema_version", 1},
                              {"model", o.model},
                              {"chip", chip.name},
                              {"seed", o.seed},
                              {"samples", any.samples},
                              {"fp32_backend", fp32_on},
                              {"fp32_accuracy", any.expected_accuracy()},
                              {"fp32_training_losses", fp32},
                              {"formats", nlohmann::ordered_json::array()}};
  for (const result& r : results)
    json["formats"].push_back({{"format", to_string(r.format)},
                               {"accuracy", r.test.accuracy()},
                               {"changed_predictions", r.test.changed},
                               {"mean_logit_error", r.test.mean_error},
                               {"largest_logit_error", r.test.largest_error},
                               {"largest_logit", r.test.largest_output},
                               {"training_losses", r.losses}});
  rp::save_json(o.json, json);
}

/// Prints the report; `fp32` trains the network and is the baseline.
template <class Backend>
int report(const tool::trained_network& of, const options& o, const Backend& fp32_on, const rp::cpu& host,
           const rp::tpu::chip& chip) {
  std::vector<result> results;
  for (const std::string& name : o.formats) results.push_back({rp::systolic::number_format_of(name), {}, {}});
  tool::check_files(
      {.written = {o.json}, .read = {tool::data_directory(o.data), o.checkpoint, tool::json_file(o.chip)}});
  const rp::mnist_data digits = tool::load_digits(o.data);

  rp::graph net(of.name);
  const std::vector<rp::objective> objectives = of.build(net);
  const rp::node output = objectives.front().output;
  auto trainer = of.trainer(fp32_on, net, objectives);
  obtain(of, trainer, o, digits.train);
  const std::vector<double> fp32 = first_losses(of, fp32_on, o, digits.train);
  for (result& r : results) {
    const rp::mxu on(host, chip, r.format);
    {
      tool::progress_bar bar("evaluating on " + on.name());
      r.test = rp::compare_outputs<float>(net, output, trainer, fp32_on, on, digits.test, 500,
                                          [&](auto done, auto total) { bar.show(done, total); });
    }
    r.losses = first_losses(of, on, o, digits.train);
  }
  print(rp::concat(of.name, " in the numerics of TPU ", chip.name), fp32_on.name(), results, fp32);
  if (!o.json.empty()) write_json(o, chip, fp32_on.name(), results, fp32);
  return tool::ok;
}

int run(const options& o) {
  tool::step_options step;
  step.batch = rp::models::with_model(tool::digit_networks{}, o.model, []<class Model>() { return Model::batch; });
  const tool::trained_network of = tool::network_named(o.model, step, o.seed);
  const rp::tpu::chip chip = tool::tpu_named("mxu accuracy: --chip", o.chip);
  const rp::cpu host(o.threads);
  if (tool::missing_op<rp::cpu>(tool::training_plan(of).plan).empty()) return report(of, o, host, host, chip);
  return report(of, o, rp::mxu(host, chip, rp::systolic::number_format::fp32), host, chip);
}

const tool::command command(
    "mxu accuracy", "Evaluate and train a network in the number formats of a TPU", [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      tool::add_network_argument(app, "network", o->model, tool::known(tool::digit_networks{}))->capture_default_str();
      app.add_option("--format", o->formats, "Number format: bf16, int8 or fp32; may be repeated (default: all three)");
      app.add_option(
             "--chip", o->chip,
             rp::concat("TPU: ", rp::names_of(tool::tpu_names()), "; or a .json file that machine --chip wrote"))
          ->capture_default_str();
      app.add_option("--data", o->data, "Directory of MNIST's four IDX files (default: synthetic digits)")
          ->check(tool::existing_directory());
      app.add_option("--checkpoint", o->checkpoint, "Load a network trained by `ridgepoint train --checkpoint`")
          ->check(tool::existing_path());
      app.add_option("--epochs", o->epochs, "Epochs in fp32 without --checkpoint (default: the model's)")
          ->check(tool::number_in(0, 1'000'000));
      app.add_option("--steps", o->steps, "Training steps in each format, from the same start")
          ->check(tool::number_in(0, 1'000'000))
          ->capture_default_str();
      app.add_option("--threads", o->threads, "Threads (default: all cores)")->check(tool::thread_counts());
      tool::add_seed_option(app, o->seed);
      app.add_option("--json", o->json, "Write the report to this file");
      return [o] {
        if (o->formats.empty()) o->formats = {"bf16", "int8", "fp32"};
        return run(*o);
      };
    });

}  // namespace tool::mxu_accuracy

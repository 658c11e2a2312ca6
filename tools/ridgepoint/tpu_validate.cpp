// SPDX-License-Identifier: MIT
// ridgepoint tpu validate: compares the TPU model with all published measurements and prints each error.
// ridgepoint tpu calibrate: refits the constants of TPU v2 from the published measurements.
#include <iostream>
#include <memory>

#include <ridgepoint/mxu/chip_json.hpp>
#include <ridgepoint/roofline/text_table.hpp>
#include <ridgepoint/study/calibrate.hpp>
#include <ridgepoint/study/targets/all.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "tpu_graphs.hpp"
#include "validation.hpp"

namespace rp = ridgepoint;

namespace tool::tpu_validate {

struct options {
  std::string data, chip;
};

const std::vector<rp::study::target>& all_targets() {
  static const std::vector<rp::study::target> all = [] {
    std::vector<rp::study::target> targets = rp::study::tpu_targets();
    targets.push_back({"cnn-rnn", "TPU v2 and v3: CNN and RNN, published maxima", {}, tool::compare_graphs});
    return targets;
  }();
  return all;
}

int calibrate(const options& o) {
  tool::check_files({.written = {o.chip}, .read = {o.data}});
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

const tool::command validate_command("tpu validate", "Compare the TPU model with published measurements",
                                     [](CLI::App& app) -> tool::action {
                                       const auto o = std::make_shared<tool::validation_options>();
                                       tool::add_validation_options(app, *o, "paradnn_tpu_fc.csv, scalesim.csv …");
                                       return [o] { return tool::validate(*o, all_targets()); };
                                     });
const tool::command calibrate_command("tpu calibrate", "Refit TPU v2's constants; exit code 1 if they changed",
                                      [](CLI::App& app) -> tool::action {
                                        const auto o = std::make_shared<options>();
                                        app.add_option("--data", o->data, "Directory with ParaDnn's published tables")
                                            ->check(tool::existing_directory())
                                            ->required();
                                        app.add_option("--chip", o->chip, "Write v2 with these constants to this file");
                                        return [o] { return calibrate(*o); };
                                      });

}  // namespace tool::tpu_validate

// SPDX-License-Identifier: MIT
// ridgepoint calibrate tpu|gpu: refits a model's constants from the published measurements.
#include <iostream>
#include <map>
#include <memory>

#include <ridgepoint/mxu/chip_json.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/roofline/text_table.hpp>
#include <ridgepoint/study/calibrate.hpp>
#include <ridgepoint/study/gpu_calibrate.hpp>

#include "command_files.hpp"
#include "commands.hpp"

namespace rp = ridgepoint;

namespace tool::calibrate {

struct options {
  std::string data, chip;
};

rp::text_table constants() { return {.head = {"constant", "fitted", "in the program"}, .align = "lrr"}; }

int tpu(const options& o) {
  tool::check_files({.written = {o.chip}, .read = {o.data}});
  rp::tpu::chip on = rp::tpu::find_chip("v2");
  const rp::tpu::calibration before = on.fit;
  on.fit = rp::study::fit_all(on, o.data);
  rp::text_table table = constants();
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

int gpu(const options& o) {
  const rp::gpu::platform stored = rp::study::paradnn_gpu(), fitted = rp::study::fit_gpu(o.data);
  rp::text_table table = constants();
  for (const rp::study::gpu_constant& c : rp::study::gpu_constants())
    table.rows.push_back({c.name, rp::figures(c.of(fitted), 4), rp::figures(c.of(stored), 4)});
  std::cout << "V100 with TensorFlow 1, from step times of networks with 4 or 32 layers\n\n" << table.text();
  return fitted == stored ? tool::ok : tool::failed;
}

std::shared_ptr<options> add_data(CLI::App& app) {
  auto o = std::make_shared<options>();
  app.add_option("--data", o->data, "Directory of ParaDnn's published tables")
      ->check(tool::existing_directory())
      ->required();
  return o;
}

const tool::command tpu_command("calibrate tpu", "Refit the constants of TPU v2; exit code 1 if they changed",
                                [](CLI::App& app) -> tool::action {
                                  const auto o = add_data(app);
                                  app.add_option("--chip", o->chip, "Write the refitted model of TPU v2 to this file");
                                  return [o] { return tpu(*o); };
                                });
const tool::command gpu_command("calibrate gpu",
                                "Refit the constants of V100 and TensorFlow; exit code 1 if they changed",
                                [](CLI::App& app) -> tool::action {
                                  const auto o = add_data(app);
                                  return [o] { return gpu(*o); };
                                });

}  // namespace tool::calibrate
